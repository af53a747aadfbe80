/** Hooks of a person and of a project, in real runs with nobody there. */
import { ScriptedServer } from "@belay/testkit"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { afterwards } from "./support/afterwards.ts"
import { completes, use } from "./support/asking.ts"
import { alone, belay, folder } from "./support/cli.ts"

const hooks = (command: string) => ({
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] }
})

/** A folder in which a task would make a file, and the settings of its person. */
const world = async (settings: object) => {
  const answers = [use("execute_command", { command: "touch made" }, "c"), completes("Done.")]
  const server = await ScriptedServer.startServer({ tasks: [{ match: { prompt: "Work" }, shared: true, answers }] })
  afterwards(() => server.close())
  const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
  const workspace = folder()
  writeFileSync(path.join(env.BELAY_HOME, "settings.json"), JSON.stringify(settings))
  const counter = path.join(folder(), "count")
  return {
    env,
    workspace,
    server,
    counter,
    made: () => existsSync(path.join(workspace, "made")),
    count: () => (existsSync(counter) ? readFileSync(counter, "utf8").length : 0),
    configure: (value: object) => writeFileSync(path.join(env.BELAY_HOME, "settings.json"), JSON.stringify(value)),
    run: () => belay(["run", "Work", "--approvals", "all", "--sandbox", "off"], env, workspace)
  }
}

const said = ({ server }: Awaited<ReturnType<typeof world>>): string => JSON.stringify(server.requests.at(-1)?.body)

describe("a hook of the person", () => {
  it("denies a call that everything else allows, and the task goes on", async () => {
    const own = await world(hooks("echo 'not on Fridays' >&2; exit 2"))
    assert.strictEqual((await own.run()).code, 0)
    assert.isFalse(own.made())
    assert.include(said(own), "denies it: not on Fridays (rule: hook)")
  })

  it("is listed with what it means that it has no answer", async () => {
    const own = await world(hooks("guard.sh"))
    const listed = async (...args: ReadonlyArray<string>) =>
      (await belay(["hooks", "list", ...args], own.env, own.workspace)).stdout
    const none = await belay(["hooks", "list"], { ...own.env, BELAY_HOME: folder() }, own.workspace)
    const [, value = ""] =
      /^There are no hooks\. Add one: belay config set hooks\.PreToolUse '(.*)'$/mu.exec(none.stderr.join("\n")) ?? []
    assert.strictEqual((await belay(["config", "set", "hooks.PreToolUse", value], { BELAY_HOME: folder() })).code, 0)
    assert.match((await listed()).join("\n"), /EVENT .*\n +PreToolUse +Bash +guard\.sh +user +asks/)
    const [found] = JSON.parse((await listed("--output", "json")).join("")).hooks
    assert.deepInclude(found, { event: "PreToolUse", command: "guard.sh", source: "user", onFailure: "ask" })
  })

  it("is named where it would look at a call, and not where the call is denied before", async () => {
    const own = await world(hooks("guard.sh"))
    const explained = async (...args: ReadonlyArray<string>) =>
      (await belay(["policy", "explain", ...args], own.env, own.workspace)).stdout.join("\n")
    assert.include(await explained("touch made"), "Hooks that are asked before it runs: guard.sh")
    assert.deepStrictEqual(JSON.parse(await explained("ls", "--output", "json")).hooks, ["guard.sh"])
    assert.notInclude(await explained("touch made", "--mode", "plan"), "guard.sh")
    assert.notInclude(await explained("--tool", "read_file", "--args", '{"path":"a"}'), "guard.sh")
  })

  it("that cannot be used stops the start with one line that names its place", async () => {
    const own = await world({ hooks: { PreToolUse: [{ hooks: [{ type: "prompt", prompt: "ok?" }] }] } })
    const { code, stderr } = await own.run()
    assert.deepStrictEqual([code, own.server.requests.length], [2, 0])
    assert.match(stderr[0] ?? "", /the setting hooks\.PreToolUse\.0\.hooks\.0\.prompt cannot be "ok\?"/)
  })

  // Its parent is Belay itself.
  it.skipIf(process.platform === "win32")("is not run twice when Belay is killed while it runs", async () => {
    const own = await world({})
    own.configure(hooks(`printf x >> '${own.counter}'; kill -9 $PPID; sleep 60`))
    const killed = await alone(["run", "Work", "--approvals", "all", "--sandbox", "off"], own.env, own.workspace)
    assert.notStrictEqual(killed.code, 0)
    assert.strictEqual(own.count(), 1)
    const resumed = await alone(["task", "resume", "last"], own.env, own.workspace)
    assert.strictEqual(resumed.code, 0)
    assert.deepStrictEqual([own.count(), own.made()], [1, false])
    assert.include(said(own), "it was cut off, and is not run twice")
  })
})

describe("a hook of a project", () => {
  it("does not run until the folder is trusted, which one line says, and only narrows then", async () => {
    const own = await world({})
    mkdirSync(path.join(own.workspace, ".belay"))
    const file = path.join(own.workspace, ".belay", "settings.json")
    writeFileSync(file, JSON.stringify(hooks("touch ran; exit 2")))
    const untrusted = await own.run()
    assert.strictEqual(untrusted.stderr.filter((line) => line.startsWith("Restricted:")).length, 1)
    assert.deepStrictEqual([own.made(), existsSync(path.join(own.workspace, "ran"))], [true, false])
    const other = await world({})
    mkdirSync(path.join(other.workspace, ".belay"))
    writeFileSync(path.join(other.workspace, ".belay", "settings.json"), readFileSync(file))
    await belay(["trust", "--yes"], other.env, other.workspace)
    await other.run()
    // In the sandbox, or where there is none as a check that has failed.
    assert.isFalse(other.made())
  })
})
