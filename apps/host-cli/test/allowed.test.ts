/** What is allowed always: in one folder, listed, taken back, and never more by a file that cannot be read. */
import { ScriptedServer } from "@belay/testkit"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { completes, typing, use } from "./support/asking.ts"
import { attended, belay, folder, json } from "./support/cli.ts"

const runs = (cwd?: string) => use("execute_command", { command: "bash run.sh", ...(cwd === undefined ? {} : { cwd }) })

let server: ScriptedServer.ScriptedServer
beforeAll(async () => {
  server = await ScriptedServer.startServer({
    tasks: [
      { match: { prompt: "Run it here" }, shared: true, answers: [runs(), completes("Done.")] },
      { match: { prompt: "Run it below" }, shared: true, answers: [runs("api"), completes("Done.")] }
    ]
  })
})
afterAll(() => server.close())

const project = (): string => {
  const made = folder()
  mkdirSync(path.join(made, "api"))
  for (const name of ["run.sh", "api/run.sh"]) writeFileSync(path.join(made, name), "echo >> ran\n")
  return made
}

const ranIn = (folder: string): number => {
  const file = path.join(folder, "ran")
  return existsSync(file) ? readFileSync(file, "utf8").length : 0
}

describe("a command that is allowed always in a project", () => {
  it("runs there from then on, in no other project and no other folder of it, until it is taken back", async () => {
    const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
    const [a, b] = [project(), project()]
    const first = attended(["run", "Run it here"], env, a)
    const line = `p  Always in this project (folder ${path.basename(a)}): the command`
    await first.waitForLine((text) => text.includes(line), "stderr")
    const { code, stderr } = await typing(first, "3")
    assert.deepStrictEqual([code, ranIn(a)], [0, 1], stderr.join("\n"))
    assert.match(stderr.join("\n"), /You allowed the command 'bash run\.sh' always in this project/)
    assert.isFalse(existsSync(path.join(env.BELAY_HOME, "settings.json")))
    const work = (prompt: string, cwd: string) => belay(["run", prompt], env, cwd)
    await work("Run it here", a)
    await work("Run it here", b)
    await work("Run it below", a)
    assert.deepStrictEqual([ranIn(a), ranIn(b), ranIn(path.join(a, "api"))], [2, 0, 0])
    const why = async (cwd: string) =>
      json((await belay(["policy", "explain", "bash run.sh", "--output", "json"], env, cwd)).stdout).rule
    assert.deepStrictEqual([await why(a), await why(b)], ["grant.folder", "commands.other"])

    const list = async (...args: ReadonlyArray<string>) =>
      json((await belay(["allowed", ...args, "--output", "json"], env, a)).stdout)
    const { allowed } = await list()
    assert.deepStrictEqual(
      [allowed.length, allowed[0].folder, allowed[0].text, allowed[0].holds],
      [1, a, "the command 'bash run.sh'", true]
    )
    assert.match(
      (await belay(["allowed", "--plain"], env, a)).stdout.join("\n"),
      /1\tthe command 'bash run\.sh'\t\d{4}-/
    )
    assert.deepStrictEqual((await belay(["allowed"], env, b)).stdout, [])
    assert.strictEqual((await list("--all")).allowed.length, 1)
    assert.strictEqual((await belay(["allowed", "remove", "bash run.sh"], env, b)).code, 2)
    assert.strictEqual((await belay(["allowed", "remove", "bash run.sh"], env, a)).code, 0)
    assert.deepStrictEqual((await list()).allowed, [])
    await work("Run it here", a)
    assert.strictEqual(ranIn(a), 2)

    // Given once more, for what can go wrong with it.
    await typing(attended(["run", "Run it here"], env, a), "3")
    const moved = `${a}-moved`
    renameSync(a, moved)
    await work("Run it here", moved)
    assert.strictEqual(ranIn(moved), 3)
    const gone = await belay(["allowed", "--all", "--plain"], env, b)
    assert.deepStrictEqual([gone.code, gone.stdout.filter((line) => line.endsWith(`${a} (gone)`)).length], [0, 1])
    renameSync(moved, a)
    const [file = ""] = readdirSync(path.join(env.BELAY_HOME, "grants"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".json"))
      .map((name) => path.join(env.BELAY_HOME, "grants", name))
    const before = readFileSync(file, "utf8")
    writeFileSync(file, before.replace('"version": 1', '"version": 7'))
    const ran = await work("Run it here", a)
    assert.deepStrictEqual([ran.code, ranIn(a)], [0, 3])
    const broken = await belay(["allowed"], env, a)
    assert.deepStrictEqual([broken.code, broken.stdout, broken.stderr.length], [2, [], 1])
    assert.include(broken.stderr[0], file)
    assert.include(readFileSync(file, "utf8"), '"version": 7')
  })
})

describe("an exact command of the settings that an earlier version wrote", () => {
  it("runs in no folder by itself, is shown, and runs in all once a person says so", async () => {
    const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
    const a = project()
    const settings = JSON.stringify({ approvals: { commands: { allow: ["=bash run.sh"] } } })
    writeFileSync(path.join(env.BELAY_HOME, "settings.json"), settings)
    await belay(["run", "Run it here"], env, a)
    assert.strictEqual(ranIn(a), 0)
    assert.match(
      (await belay(["allowed"], env, a)).stderr.join("\n"),
      /From your settings, of an earlier version: bash run\.sh\. It asks in each folder where/
    )
    assert.strictEqual((await belay(["allowed", "everywhere", "make"], env, a)).code, 2)
    assert.strictEqual((await belay(["allowed", "everywhere", "bash run.sh"], env, a)).code, 0)
    await belay(["run", "Run it here"], env, a)
    assert.strictEqual(ranIn(a), 1)
    assert.strictEqual(readFileSync(path.join(env.BELAY_HOME, "settings.json"), "utf8"), settings)
  })
})
