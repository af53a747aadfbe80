/** What a person decides about subtasks whose process was killed, and about a process that does not move. */
import { ScriptedServer } from "@belay/testkit"
import { existsSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, assert, describe, it } from "vitest"
import { belay, folder, json, start } from "./support/cli.ts"

const call = (name: string, input: unknown, id: string) => ({ type: "tool_use" as const, name, input, id })
const complete = (result: string, id: string) => ({ content: [call("attempt_completion", { result }, id)] })
const part = (name: string, asked: number) => ({
  match: { prompt: `part ${name}` },
  shared: true,
  answers: Array.from({ length: asked }, (_, index) => ({
    ...complete(`result of ${name}`, `done-${name}-${index}`),
    ...(index === 0 ? { hold: "gate", holdAt: 0 } : {})
  }))
})

/** A root with two subtasks whose process was killed while both waited for the model. */
const killed = async () => {
  const children = [call("new_task", { message: "part a" }, "new-a"), call("new_task", { message: "part b" }, "new-b")]
  const server = await ScriptedServer.startServer({
    tasks: [
      { match: { prompt: "the whole" }, shared: true, answers: [{ content: children }, complete("whole", "done")] },
      part("a", 2),
      part("b", 2)
    ]
  })
  const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
  const cwd = folder()
  const run = start(["run", "the whole"], env, cwd)
  afterAll(async () => {
    await run.kill()
    await server.close()
  })
  await server.waitForRequests((all) => {
    const asked = all.map(({ body }) => JSON.stringify(body.messages?.[0] ?? ""))
    return ["part a", "part b"].every((name) => asked.some((text) => text.includes(name)))
  })
  await run.kill("SIGKILL")
  server.release("gate")
  const tree = async () => json((await belay(["task", "tree", "last", "--output", "json"], env, cwd)).stdout)
  const ids = (await tree()).children.map((child: any) => child.id) as [string, string]
  return { env, cwd, server, tree, a: ids[0], b: ids[1] }
}

/** What the model of the parent was told at last. */
const told = (server: ScriptedServer.ScriptedServer): string => JSON.stringify(server.requests.at(-1)?.body.messages)

describe("a root with two interrupted subtasks", () => {
  it("goes on when one is abandoned and the other resumed, and is told of both", async () => {
    const { a, b, cwd, env, server, tree } = await killed()
    assert.strictEqual((await belay(["task", "abandon", a, "--yes"], env, cwd)).code, 0)
    const resumed = await belay(["task", "resume", b, "--output", "json"], env, cwd)
    assert.strictEqual(resumed.code, 0, resumed.stderr.join("\n"))
    const { children, outcome, status } = await tree()
    assert.deepStrictEqual([status, outcome], ["completed", "succeeded"])
    assert.deepStrictEqual(
      children.map((child: any) => child.status),
      ["interrupted", "completed"]
    )
    assert.match(told(server), new RegExp(`\\[task ${a}: abandoned\\].*result of b`))
  })

  it("is resumed with only one of them, and waits for the other", async () => {
    const { b, cwd, env, tree } = await killed()
    const resumed = await belay(["task", "resume", "last", "--only", b, "--output", "json"], env, cwd)
    assert.strictEqual(resumed.code, 3, resumed.stderr.join("\n"))
    const { children, status } = await tree()
    assert.deepStrictEqual(
      [status, ...children.map((child: any) => child.status)],
      ["delegated", "interrupted", "completed"]
    )
  })

  it("waits for the new one when one is restarted, whose report it gets", async () => {
    const { a, cwd, env, server, tree } = await killed()
    assert.strictEqual((await belay(["task", "restart", a], env, cwd)).code, 0)
    const resumed = await belay(["task", "resume", "last", "--output", "json"], env, cwd)
    assert.strictEqual(resumed.code, 0, resumed.stderr.join("\n"))
    const { children, status } = await tree()
    assert.deepStrictEqual(
      [status, ...children.map((child: any) => child.status)],
      ["completed", "interrupted", "completed", "completed"]
    )
    assert.include(told(server), `[task ${children[2].id}: succeeded] result of a`)
  })
})

describe("a task whose process does not move", () => {
  it("is taken over once; the old runner writes nothing more and repeats no call", async () => {
    const log = "runs"
    const server = await ScriptedServer.startServer({
      tasks: [
        {
          match: { prompt: "the whole" },
          shared: true,
          answers: [
            { content: [call("execute_command", { command: `echo run >> ${log}` }, "command")] },
            { ...complete("the result", "done"), hold: "gate", holdAt: 0 }
          ]
        }
      ]
    })
    const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
    const cwd = folder()
    const old = start(["run", "the whole", "--approvals", "all"], env, cwd)
    afterAll(async () => {
      await old.kill()
      await server.close()
    })
    await server.waitForRequests(2)
    process.kill(old.pid, "SIGSTOP")
    const refused = await belay(["task", "resume", "last"], env, cwd)
    assert.deepStrictEqual([refused.code, refused.stderr.length], [2, 1], refused.stderr.join("\n"))
    assert.match(
      refused.stderr[0] ?? "",
      new RegExp(`^belay: process ${old.pid} on .* belay task resume .* --take-over`)
    )
    server.release("gate")
    const taken = await belay(["task", "resume", "last", "--take-over", "--output", "json"], env, cwd)
    assert.strictEqual(taken.code, 0, taken.stderr.join("\n"))
    assert.strictEqual(json(taken.stdout).result, "the result")
    process.kill(old.pid, "SIGCONT")
    const exit = await old.exit
    assert.include(exit.stderr.join("\n"), '"the whole" was taken over by another process, which has left it since')
    assert.isTrue(existsSync(path.join(cwd, log)))
    assert.strictEqual(readFileSync(path.join(cwd, log), "utf8"), "run\n")
    const shown = json((await belay(["task", "show", "last", "--output", "json"], env, cwd)).stdout)
    // What the old one's last request took is counted, too.
    assert.deepStrictEqual([shown.metrics.messageCount, shown.metrics.usage.requests], [5, 3])
    assert.deepStrictEqual([shown.attempt, shown.result, shown.lease], [2, "the result", null])
  })

  it("and that another one takes over meanwhile ends by itself, and names the process that has the task", async () => {
    const server = await ScriptedServer.startServer({
      tasks: [
        {
          match: { prompt: "the whole" },
          shared: true,
          answers: [{ ...complete("the result", "done"), hold: "gate", holdAt: 0 }]
        }
      ]
    })
    const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
    const cwd = folder()
    const old = start(["run", "the whole"], env, cwd)
    await server.waitForRequests(1)
    const taker = start(["task", "resume", "last", "--take-over", "--output", "json"], env, cwd)
    afterAll(async () => {
      await Promise.all([old.kill(), taker.kill()])
      await server.close()
    })
    const exit = await old.exit
    assert.strictEqual(exit.code, 2)
    assert.match(
      exit.stderr.join("\n"),
      new RegExp(`"the whole" was taken over by a command line \\(process ${taker.pid} on .*belay task watch`)
    )
    server.release("gate")
    assert.strictEqual(json((await taker.exit).stdout).result, "the result")
  })

  it("of an earlier boot of this machine goes on as after a crash", async () => {
    const server = await ScriptedServer.startServer({
      tasks: [
        {
          match: { prompt: "the whole" },
          shared: true,
          answers: [{ ...complete("the result", "done"), hold: "gate", holdAt: 0 }]
        }
      ]
    })
    const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
    const cwd = folder()
    const old = start(["run", "the whole"], env, cwd)
    afterAll(() => server.close())
    await server.waitForRequests(1)
    await old.kill()
    const db = new DatabaseSync(path.join(env.BELAY_HOME, "belay.db"), { timeout: 30_000 })
    db.exec("UPDATE owner SET boot_id = 'the boot before'")
    server.release("gate")
    const stopped = await belay(["task", "interrupt", "last"], env, cwd)
    assert.match(stopped.stdout.join("\n"), /^"the whole" is already interrupted: the process ended\. /)
    assert.deepStrictEqual(db.prepare("SELECT count(*) AS n FROM owner").get()?.["n"], 0)
    db.close()
    const resumed = await belay(["task", "resume", "last", "--output", "json"], env, cwd)
    assert.strictEqual(resumed.code, 0, resumed.stderr.join("\n"))
    assert.strictEqual(json(resumed.stdout).result, "the result")
  })
})
