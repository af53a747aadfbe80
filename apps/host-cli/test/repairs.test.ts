/** What a person is told of the repairs that a command made before it did anything else. */
import { ScriptedServer } from "@belay/testkit"
import { afterAll, assert, describe, it } from "vitest"
import { completes, use } from "./support/asking.ts"
import { belay, folder, json, start } from "./support/cli.ts"

/** A run that was killed in the middle of its answer. */
const killed = async () => {
  const server = await ScriptedServer.startServer({
    tasks: [
      {
        match: { prompt: "count the tests" },
        answers: [{ content: [{ type: "text", text: "I count" }], hold: "gate", holdAt: 0 }]
      }
    ]
  })
  afterAll(() => server.close())
  const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
  const cwd = folder()
  const run = start(["run", "count the tests"], env, cwd)
  await server.waitForRequests((all) => all.length > 0)
  await run.kill()
  const command = (...args: ReadonlyArray<string>) => belay(args, env, cwd)
  const { id } = json((await command("task", "show", "last", "--output", "json")).stdout)
  return { command, id: id as string }
}

describe("a command after a run was killed", () => {
  it("names the call that the killed process had begun, where it is told how it ended", async () => {
    const command = "touch begun; until [ -e go ]; do sleep 0.05; done"
    const server = await ScriptedServer.startServer({
      tasks: [
        { match: { prompt: "Work" }, shared: true, answers: [use("execute_command", { command }), completes("Done.")] }
      ]
    })
    afterAll(() => server.close())
    const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
    const cwd = folder()
    const run = start(["run", "Work", "--approvals", "all", "--output", "stream-json"], env, cwd)
    await run.waitForLine('"tool.started"')
    await run.kill()
    const { stderr } = await belay(["task", "resume", "last"], env, cwd)
    assert.match(stderr.join("\n"), /\n\S+ command {3}\w+ {2}touch begun; until \[ -e go \]; .* interrupted\n/)
  })

  it("says in one line that the task was repaired and how, and the next one says nothing", async () => {
    const { command, id } = await killed()
    const first = await command("task", "rename", id, "Count")
    assert.strictEqual(first.code, 0)
    assert.deepStrictEqual(first.stderr, [
      `belay: task ${id.slice(-6)} was repaired: its process has ended, and it is interrupted.`
    ])
    const second = await command("task", "rename", id, "Count all")
    assert.deepStrictEqual([second.code, second.stderr], [0, []])
  })

  it("lists repairs that were asked for where they were asked for, and nowhere else", async () => {
    const { command, id } = await killed()
    const { stderr, stdout } = await command("history", "doctor", "--repair")
    assert.match(stdout.join("\n"), new RegExp(`ownerGone +${id}`))
    assert.deepStrictEqual(stderr, [])
  })
})
