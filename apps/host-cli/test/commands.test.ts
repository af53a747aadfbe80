import { ScriptedServer } from "@belay/testkit"
import { existsSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { belay, type Environment, folder, json } from "./support/cli.ts"
import { begin, created, delegated, ended, id, owner, started, stopped } from "./support/states.ts"

const refused = (exit: Awaited<ReturnType<typeof belay>>, said: RegExp) => {
  assert.deepStrictEqual([exit.code, exit.stdout, exit.stderr.length], [2, [], 1], exit.stderr.join("\n"))
  assert.match(exit.stderr[0] ?? "", said)
}

describe("commands on tasks that no process runs", () => {
  const home = folder()
  const env: Environment = { BELAY_HOME: home }
  let live: Awaited<ReturnType<typeof owner>>

  beforeAll(async () => {
    const dead = await owner(home)
    await dead.commit(started(1, "Release 2.0"), delegated(1, { 2: "Write the parser", 3: "Update the docs" }))
    await dead.commit(begin(2), begin(3))
    await dead.commit(started(4, "Stopped alone"), stopped(4), started(5, "Finished"), ended(5, "succeeded"))
    await dead.commit(started(9, "To be deleted"), delegated(9, { 10: "Part of it" }), created(11, "Fresh"))
    await dead.commit(started(12, "Its whole"), delegated(12, { 13: "Done part" }), begin(13), ended(13, "succeeded"))
    await dead.close()
    live = await owner(home)
    await live.commit(started(6, "Runs elsewhere"), delegated(6, { 7: "Its part" }), begin(7))
  })
  afterAll(() => live.close())

  const show = async (n: number) => json((await belay(["task", "show", id(n), "--output", "json"], env)).stdout)

  it("abandon asks, and without a terminal needs --yes; the parent is told once", async () => {
    refused(await belay(["task", "abandon", "000003"], env), /Add --yes: belay task abandon 000003 --yes$/)
    assert.deepStrictEqual(Object.keys((await show(1)).awaiting), [id(2), id(3)])
    const line = 'Abandoned "Update the docs". "Release 2.0" is told. Go on with: belay task resume 000001'
    for (const attempt of [1, 2]) {
      const { code, stdout } = await belay(["task", "abandon", "000003", "--yes"], env)
      assert.deepStrictEqual([code, stdout], [0, [line]], `attempt ${attempt}`)
    }
    const parent = await show(1)
    assert.deepStrictEqual([Object.keys(parent.awaiting), parent.collected[id(3)].outcome], [[id(2)], "abandoned"])
    assert.strictEqual((await show(3)).status, "interrupted")
    // Nobody goes on with what was given up; the one that is waited for still is.
    const { stdout: shown } = await belay(["task", "show", id(3)], env)
    assert.deepStrictEqual(
      [shown.includes("  Interrupted: abandoned"), shown.some((line) => /resume/.test(line))],
      [true, false]
    )
    const { stdout: tree } = await belay(["task", "tree", id(1)], env)
    assert.match(tree.join("\n"), /Update the docs +Interrupted: abandoned/)
    assert.notInclude(tree.join("\n"), "task resume 000003")
    assert.include(tree.join("\n"), "task resume 000002")
    refused(await belay(["task", "abandon", "000004", "--yes"], env), /"Stopped alone" is not a subtask/)
    refused(
      await belay(["task", "abandon", id(13), "--yes"], env),
      /^belay: "Done part" has completed, and "Its whole" is told its result\. /
    )
    assert.strictEqual((await show(12)).collected[id(13)].outcome, "succeeded")
  })

  it("restart makes a new subtask with the same first message, which the parent waits for", async () => {
    const { code, stdout } = await belay(["task", "restart", "000002"], env)
    assert.strictEqual(code, 0)
    const [, reference = ""] = /^Restarted .* as (\S+)\. /.exec(stdout[0] ?? "") ?? []
    const made = json((await belay(["task", "show", reference, "--messages", "--output", "json"], env)).stdout)
    const old = json((await belay(["task", "show", id(2), "--messages", "--output", "json"], env)).stdout)
    assert.deepStrictEqual([made.status, made.lineage.parentId, made.title], ["created", id(1), "Write the parser"])
    assert.deepStrictEqual(made.messages, old.messages.slice(0, 1))
    const parent = await show(1)
    assert.deepStrictEqual(Object.keys(parent.awaiting), [made.id])
    assert.strictEqual(parent.collected[id(2)].outcome, "restarted")
  })

  it("restart of a subtask says which task has to go on first, or has ended", async () => {
    const home = folder()
    const dead = await owner(home)
    await dead.commit(
      started(1, "Release 2.0"),
      delegated(1, { 2: "Update the docs" }),
      begin(2),
      stopped(2),
      stopped(1)
    )
    await dead.close()
    const again = ["task", "restart", "000002"]
    const of = '"Update the docs" is a subtask of "Release 2.0", which'
    const first = new RegExp(`^belay: ${of} is interrupted\\. Go on with that first: belay task resume 000001$`)
    refused(await belay(again, { BELAY_HOME: home }), first)
    await belay(["task", "abandon", "000002", "--yes"], { BELAY_HOME: home })
    await belay(["task", "close", "000001"], { BELAY_HOME: home })
    const ended = new RegExp(
      `^belay: ${of} has completed and waits for nothing\\. See it with: belay task show 000001$`
    )
    refused(await belay(again, { BELAY_HOME: home }), ended)
  })

  it("close ends a stopped task, and no other", async () => {
    const { code, stdout } = await belay(["task", "close", "000004", "--outcome", "failed", "given", "up"], env)
    const next = 'Go on from it with: belay task continue 000004 "..."'
    assert.deepStrictEqual([code, stdout], [0, [`Closed "Stopped alone" as failed. ${next}`]])
    const closed = await show(4)
    assert.deepStrictEqual([closed.status, closed.outcome, closed.result], ["completed", "failed", "given up"])
    refused(await belay(["task", "close", "000004"], env), /is completed already/)
    refused(await belay(["task", "close", "000001"], env), /waits for its subtasks/)
  })

  it("rename gives a task another title, running or not, and nothing else; attention.json follows", async () => {
    const before = await show(6)
    const { code, stdout } = await belay(["task", "rename", "000006", "Runs", " over\nthere"], env)
    assert.deepStrictEqual([code, stdout], [0, ['"Runs elsewhere" is called "Runs over there" now.']])
    const { title, ...after } = await show(6)
    assert.strictEqual(title, "Runs over there")
    assert.deepStrictEqual(
      [after.rev, after.status, after.lease, after.metrics.updatedAt],
      [before.rev, before.status, before.lease, before.metrics.updatedAt]
    )
    refused(await belay(["task", "rename", "000006", " \u200B "], env), /"Runs over there" keeps its title\. /)
    const attention = JSON.parse(readFileSync(path.join(home, "attention.json"), "utf8"))
    assert.deepStrictEqual([attention.tasks, attention.interrupted > 0], [0, true])
  })

  it("are refused for a task of a live process, naming it and what to type", async () => {
    const says = new RegExp(`runs in process ${process.pid} on \\S+\\. Stop it first: belay task interrupt 00000[67]$`)
    refused(await belay(["task", "restart", "000007"], env), says)
    refused(await belay(["task", "close", "000006"], env), says)
    refused(await belay(["task", "delete", "000006"], env), says)
    const asked = await belay(["task", "abandon", "000007", "--yes"], env)
    assert.deepStrictEqual([asked.code, asked.stdout, asked.stderr.length], [3, [], 1], "it does not listen")
    assert.deepStrictEqual(Object.keys((await show(6)).awaiting), [id(7)])
  })

  it("delete says what happens to subtasks, leaves a tombstone, and refuses what comes late", async () => {
    refused(await belay(["task", "delete", "000009"], env), /has 1 subtask\. .*--children delete or --children keep/)
    const { code, stdout } = await belay(["task", "delete", "000009", "--children", "delete", "--yes"], env)
    assert.deepStrictEqual([code, stdout.length], [0, 1])
    assert.match(stdout[0] ?? "", /^Deleted "To be deleted" and 1 subtask\. /)
    const { tasks } = json((await belay(["task", "list", "--output", "json"], env)).stdout)
    for (const n of [9, 10]) assert.isFalse(tasks.some((task: any) => task.id === id(n)))
    assert.isFalse(existsSync(path.join(home, "tasks", id(9))))
    for (const verb of ["resume", "show", "close"]) {
      refused(await belay(["task", verb, id(9)], env), /^belay: the task "\S+" was deleted\. /)
    }
  })
})

const complete = (result: string) => ({
  content: [{ type: "tool_use" as const, name: "attempt_completion", input: { result } }]
})

describe("continue and fork", () => {
  it("go on in a new task whose requests begin with the old conversation", async () => {
    const server = await ScriptedServer.startServer({
      tasks: [
        {
          match: { prompt: "Release" },
          shared: true,
          answers: [complete("Released."), complete("Announced.")]
        }
      ]
    })
    afterAll(() => server.close())
    const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
    const cwd = folder()
    const run = async (...args: ReadonlyArray<string>) => {
      const { code, stderr, stdout } = await belay([...args, "--output", "json"], env, cwd)
      assert.strictEqual(code, 0, stderr.join("\n"))
      return json(stdout)
    }
    const first = await run("run", "Release 2.0")
    const next = await run("task", "continue", first.taskId, "announce it")
    const forked = await run("task", "fork", first.taskId, "--to", "1", "do it differently")
    assert.deepStrictEqual([next.result, forked.result, next.usage.requests], ["Announced.", "Announced.", 1])
    const bodies = server.requests.map(({ body }) => body.messages)
    const asked = JSON.stringify(bodies[1])
    assert.isTrue(asked.includes("Released.") && asked.includes("announce it"))
    assert.include(JSON.stringify(bodies[2]), "do it differently")
    const shown = async (taskId: string) =>
      json((await belay(["task", "show", taskId, "--output", "json"], env)).stdout)
    assert.strictEqual((await shown(next.taskId)).continuesTaskId, first.taskId)
    assert.strictEqual((await shown(forked.taskId)).forkedFrom, first.taskId)
    const old = await shown(first.taskId)
    assert.deepStrictEqual([old.status, old.metrics.messageCount], ["completed", 3])
    refused(await belay(["task", "fork", first.taskId, "--to", "9"], env, cwd), /has the messages 0 to 2\. /)
  })
})
