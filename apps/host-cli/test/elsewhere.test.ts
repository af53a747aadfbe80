/** Commands on tasks that another process runs or waits with. */
import { ScriptedServer } from "@belay/testkit"
import { afterAll, assert, describe, it } from "vitest"
import { belay, folder, json, start } from "./support/cli.ts"

const call = (name: string, input: unknown, id: string) => ({ type: "tool_use" as const, name, input, id })
const complete = (result: string, id: string) => ({ content: [call("attempt_completion", { result }, id)] })
const asks = { content: [call("ask_followup_question", { question: "which?" }, "q")] }

/** A run with one subtask that asks and has stopped, and one in the middle of its answer. */
const waiting = async () => {
  const children = [call("new_task", { message: "part a" }, "new-a"), call("new_task", { message: "part b" }, "new-b")]
  const server = await ScriptedServer.startServer({
    tasks: [
      { match: { prompt: "the whole" }, shared: true, answers: [{ content: children }, complete("whole", "done")] },
      { match: { prompt: "part a" }, shared: true, answers: [asks, complete("result of a", "done-a")] },
      {
        match: { prompt: "part b" },
        shared: true,
        answers: [{ ...complete("result of b", "done-b"), hold: "gate", holdAt: 0 }]
      },
      { match: { prompt: "part c" }, shared: true, answers: [complete("result of c", "done-c")] }
    ]
  })
  const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
  const cwd = folder()
  const run = start(["run", "the whole", "--output", "stream-json"], env, cwd)
  afterAll(async () => {
    await run.kill()
    await server.close()
  })
  await run.waitForLine((line) => line.includes('"to":"interrupted"'))
  await server.waitForRequests((all) => all.some(({ body }) => JSON.stringify(body.messages?.[0]).includes("part b")))
  const task = (...args: ReadonlyArray<string>) => belay(["task", ...args], env, cwd)
  const tree = async () => json((await task("tree", "last", "--output", "json")).stdout)
  const { children: below, id } = await tree()
  const ids: ReadonlyArray<string> = below.map((child: any) => child.id)
  const told = () => JSON.stringify(server.requests.at(-1)?.body.messages)
  return { env, cwd, server, run, task, tree, told, root: id as string, a: ids[0] ?? "", b: ids[1] ?? "" }
}

describe("a task that another process waits with", () => {
  it("goes on without the subtasks that are abandoned, the running one too; asked again, nothing changes", async () => {
    const { a, b, run, task, told, tree } = await waiting()
    const first = await task("abandon", a, "--yes")
    assert.deepStrictEqual([first.code, first.stderr], [0, []])
    assert.match(first.stdout.join("\n"), /^Abandoned "part a"\. "the whole" goes on and is told\.$/)
    const second = await task("abandon", b, "--yes")
    assert.deepStrictEqual([second.code, second.stderr], [0, []])
    const { code, stderr } = await run.exit
    assert.strictEqual(code, 0, stderr.join("\n"))
    assert.match(told(), /abandoned\].*abandoned\]/)
    const again = await task("abandon", b, "--yes")
    assert.strictEqual(again.code, 0)
    const { children, status } = await tree()
    assert.deepStrictEqual(
      [status, ...children.map((child: any) => child.status)],
      ["completed", "interrupted", "interrupted"]
    )
  })

  it("waits for the new subtask when a stopped one is restarted; a running one has to be stopped first", async () => {
    const { a, b, run, server, task, told, tree } = await waiting()
    const refused = await task("restart", b)
    assert.deepStrictEqual([refused.code, refused.stderr.length], [2, 1])
    assert.match(
      refused.stderr[0] ?? "",
      /^belay: "part b" runs in process \d+ on .*\. Stop it first: belay task interrupt /
    )
    const over = await task("restart", a, "part", "c")
    assert.deepStrictEqual([over.code, over.stderr], [0, []])
    assert.match(over.stdout.join("\n"), /^Restarted "part a" as \w+\. "the whole" waits for the new one\.$/)
    server.release("gate")
    const { code, stderr } = await run.exit
    assert.strictEqual(code, 0, stderr.join("\n"))
    const { children } = await tree()
    assert.deepStrictEqual(
      children.map((child: any) => [child.title, child.status]),
      [
        ["part a", "interrupted"],
        ["part b", "completed"],
        ["part c", "completed"]
      ]
    )
    assert.include(told(), `[task ${children[2].id}: succeeded] result of c`)
    const again = await task("restart", a)
    assert.deepStrictEqual([again.code, again.stderr.length], [2, 1])
    assert.match(again.stderr[0] ?? "", /"part a" was restarted already/)
  })

  it("is asked and does not confirm when its process does not move: exit 3, and done when it moves again", async () => {
    const { a, run, server, task, tree } = await waiting()
    process.kill(run.pid, "SIGSTOP")
    const { code, stderr, stdout } = await task("abandon", a, "--yes")
    assert.deepStrictEqual([code, stdout, stderr.length], [3, [], 1])
    assert.match(stderr[0] ?? "", /^belay: the process that runs "the whole" was asked and has not confirmed\. /)
    process.kill(run.pid, "SIGCONT")
    await run.waitForLine((line) => line.includes('"delegation.collected"'))
    server.release("gate")
    assert.strictEqual((await run.exit).code, 0)
    assert.strictEqual((await tree()).status, "completed")
  })

  it("is neither closed nor deleted while something below it runs, and the line says how to stop it", async () => {
    const { a, b, root, run, server, task } = await waiting()
    for (const args of [
      ["close", root],
      ["close", b],
      ["delete", root, "--children", "delete"],
      ["delete", b]
    ]) {
      const { code, stderr, stdout } = await task(...args)
      assert.deepStrictEqual([code, stdout, stderr.length], [2, [], 1], args.join(" "))
      assert.match(stderr[0] ?? "", /^belay: "[\w ]+" .*\. Stop it first: belay task interrupt \w+$/)
    }
    assert.strictEqual((await task("close", a, "by", "hand", "--outcome", "succeeded")).code, 0)
    server.release("gate")
    const { code, stdout } = await run.exit
    assert.strictEqual(code, 0)
    assert.include(stdout.join("\n"), "by hand")
  })

  it("is forked, and its completed subtask continued, while it runs; nobody is asked", async () => {
    const { a, root, run, server, task } = await waiting()
    assert.strictEqual((await task("close", a, "by", "hand")).code, 0)
    const continued = task("continue", a, "part c")
    const forked = task("fork", root, "--to", "0", "part c", "--output", "json")
    await server.waitForRequests((all) => all.length > 5)
    server.release("gate")
    assert.strictEqual((await continued).code, 0)
    const fork = await forked
    assert.include([0, 3], fork.code ?? -1, fork.stderr.join("\n"))
    const { code, stderr } = await run.exit
    assert.strictEqual(code, 0, stderr.join("\n"))
    const { tasks } = json((await task("list", "--output", "json", "--root")).stdout)
    assert.strictEqual(tasks.length, 3)
  })
})

describe("a task whose subtask is gone on with by a process without a key for its mode", () => {
  it("has the report and waits as ready; the process and the tree say why, where, and what to type", async () => {
    const server = await ScriptedServer.startServer({
      tasks: [
        {
          match: { prompt: "the whole" },
          answers: [{ content: [call("new_task", { message: "part a" }, "new-a")] }, complete("whole", "done")]
        },
        { match: { prompt: "part a" }, answers: [asks, complete("result of a", "done-a")] }
      ]
    })
    afterAll(() => server.close())
    const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
    const cwd = folder()
    const task = (...args: ReadonlyArray<string>) => belay(["task", ...args], env, cwd)
    assert.strictEqual((await belay(["run", "the whole"], env, cwd)).code, 3)
    const { children, id } = json((await task("tree", "last", "--output", "json")).stdout)
    assert.strictEqual((await task("mode", id, "plan")).code, 0)
    const keyless = { ...env, BELAY_PLAN_BASE_URL: "http://127.0.0.1:9" }
    const { code, stderr } = await belay(["task", "resume", children[0].id, "the first"], keyless, cwd)
    assert.strictEqual(code, 0, stderr.join("\n"))
    const said = stderr.join("\n")
    assert.include(said, "this process has no key for plan mode (127.0.0.1:9)")
    assert.include(said, `Resume ${id.slice(-6)} in `)
    const tree = (await task("tree", id)).stdout.join("\n")
    assert.match(tree, /Ready: waits in /)
    assert.include(tree, `belay task resume ${id.slice(-6)}`)
    assert.strictEqual((await task("resume", id, "--mode", "act")).code, 0)
  })
})
