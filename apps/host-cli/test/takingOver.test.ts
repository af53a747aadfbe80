/** Tasks of a process that nobody can judge: what each command says, and what takes them from it. */
import { ScriptedServer } from "@belay/testkit"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { belay, folder, json, start } from "./support/cli.ts"

const call = (name: string, input: unknown, id: string) => ({ type: "tool_use" as const, name, input, id })

const command = "echo begun; sleep 600"

/** A run that was killed in the middle of a command; its owner is of another machine by what is stored. */
const lost = async () => {
  const server = await ScriptedServer.startServer({
    tasks: [
      {
        match: { prompt: "the whole" },
        shared: true,
        answers: [
          { content: [call("execute_command", { command }, "command")] },
          { content: [call("attempt_completion", { result: "the result" }, "done")] }
        ]
      }
    ]
  })
  const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
  const cwd = folder()
  const old = start(["run", "the whole", "--approvals", "all", "--output", "stream-json"], env, cwd)
  afterAll(async () => {
    await old.kill()
    await server.close()
  })
  await old.waitForLine((line) => line.includes('"tool.output"') && line.includes("begun"))
  await old.kill()
  const db = new DatabaseSync(path.join(env.BELAY_HOME, "belay.db"), { timeout: 30_000 })
  db.exec("UPDATE owner SET machine_id = 'another', host = 'laptop'")
  const id = String(db.prepare("SELECT id FROM task").get()?.["id"])
  db.close()
  const task = (...args: ReadonlyArray<string>) => belay(["task", ...args], env, cwd)
  return { env, cwd, id, pid: old.pid, task, server }
}

const one = ({ code, stderr, stdout }: Awaited<ReturnType<typeof belay>>) => {
  assert.deepStrictEqual([stdout, stderr.length], [[], 1], stderr.join("\n"))
  return { code, line: stderr[0] ?? "" }
}

describe("a task of a process that nobody can judge", () => {
  let of: Awaited<ReturnType<typeof lost>>
  let holds: string
  let short: string

  beforeAll(async () => {
    of = await lost()
    short = of.id.slice(-6)
    holds =
      `belay: process ${of.pid} on laptop has "the whole", and nobody can see from here whether it lives: ` +
      `it runs or ran on another machine; "${command}" may still run there. `
  })

  it("is refused by each command with who has it, what may still run and what to type", async () => {
    const gone = `If it is gone: belay task interrupt ${short} --take-over`
    for (const args of [
      ["close", of.id],
      ["delete", of.id, "--yes"],
      ["restore", of.id, "--to", "0"]
    ]) {
      assert.deepStrictEqual(one(await of.task(...args)), { code: 2, line: `${holds}${gone}` })
    }
    const asked = "It was asked and has not confirmed. "
    assert.deepStrictEqual(one(await of.task("send", of.id, "hello")), { code: 3, line: `${holds}${asked}${gone}` })
    const stopping = "It was asked to stop it and has not confirmed. "
    assert.deepStrictEqual(one(await of.task("interrupt", of.id)), { code: 3, line: `${holds}${stopping}${gone}` })
    const { code, line } = one(await of.task("resume", of.id))
    assert.strictEqual(code, 2)
    assert.match(line, new RegExp(`may still run there\\. If it is gone: belay task resume ${of.id} --take-over$`))
  })

  it("is named by the doctor, which finds the history sound, and by lists", async () => {
    const { code, stdout } = await belay(["history", "doctor"], of.env)
    assert.deepStrictEqual(
      [code, stdout],
      [
        0,
        [
          "The history is sound.",
          `unknown  process ${of.pid} (cli) on laptop has task ${of.id}; it runs or ran on another machine. ` +
            `If it is gone: belay task interrupt ${of.id} --take-over`
        ]
      ]
    )
    const { owners } = json((await belay(["history", "doctor", "--output", "json"], of.env)).stdout)
    assert.strictEqual(owners.length, 1)
    assert.deepInclude(owners[0], { state: "unknown", why: "otherMachine", tasks: [of.id] })
    assert.deepInclude(owners[0].process, { pid: of.pid, kind: "cli", host: "laptop" })
    const shown = (await of.task("tree", of.id)).stdout.join("\n")
    assert.include(shown, `process ${of.pid} on laptop, if that still lives`)
    assert.strictEqual(json((await of.task("show", of.id, "--output", "json")).stdout).lease.doubt, "otherMachine")
  })

  it("is taken over and stopped; then everything is done to it as to any other, and its old owner is forgotten", async () => {
    const { code, stdout } = await of.task("interrupt", of.id, "--take-over")
    assert.deepStrictEqual(
      [code, stdout],
      [
        0,
        [
          `Stopped "the whole". Nothing was lost. What process ${of.pid} on laptop has begun is not stopped by this: ` +
            `"${command}" may still run there. Go on with: belay task resume ${short}`
        ]
      ]
    )
    const resumed = await of.task("resume", of.id, "--output", "json")
    assert.strictEqual(resumed.code, 0, resumed.stderr.join("\n"))
    assert.strictEqual(json(resumed.stdout).result, "the result")
    const told = JSON.stringify(of.server.requests.at(-1)?.body.messages)
    assert.include(told, "hello")
    assert.include(told, "It was not run again")
    const { stdout: found } = await belay(["history", "doctor"], of.env)
    assert.deepStrictEqual(found, ["The history is sound."])
    assert.strictEqual((await of.task("delete", of.id, "--yes")).code, 0)
  })
})
