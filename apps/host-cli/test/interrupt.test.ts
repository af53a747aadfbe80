import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { belay, folder, json, start } from "./support/cli.ts"
import { held } from "./support/held.ts"
import { begin, delegated, ended, id, owner, started } from "./support/states.ts"

describe("task interrupt of a task that another process runs", () => {
  it("stops it and its subtask in mid-stream, is confirmed, and is seen whole by a watcher", async () => {
    const { child, env, root, run } = await held()
    const watcher = start(["task", "watch", root, "--output", "stream-json"], env)
    await watcher.waitForLine((line) => line.includes(`"taskId":"${child}"`))
    const { code, stdout } = await belay(["task", "interrupt", root.slice(-6)], env)
    const next = `Go on with: belay task resume ${root.slice(-6)}`
    assert.deepStrictEqual([code, stdout], [0, [`Stopped "Release 2.0" and 1 subtask. Nothing was lost. ${next}`]])
    await run.exit
    const watched = (await watcher.exit).stdout.map((line) => JSON.parse(line))
    assert.deepInclude(
      watched.findLast((event) => event.taskId === child && event.type === "task.status"),
      { to: "interrupted", reason: "parent" }
    )
    const tree = json((await belay(["task", "tree", root, "--output", "json"], env)).stdout)
    const stopped = [tree, ...tree.children].map((task: any) => [task.id, task.status, task.interruption.reason])
    assert.deepStrictEqual(stopped, [
      [root, "interrupted", "user"],
      [child, "interrupted", "parent"]
    ])
    const again = await belay(["task", "interrupt", root], env)
    assert.deepStrictEqual(
      [again.code, again.stdout],
      [0, [`"Release 2.0" is already interrupted: you stopped it. ${next}`]]
    )
  })
})

describe("task interrupt", () => {
  const home = folder()
  const env = { BELAY_HOME: home }
  let live: Awaited<ReturnType<typeof owner>>

  beforeAll(async () => {
    const dead = await owner(home)
    await dead.commit(started(1, "Left waiting"), delegated(1, { 2: "Runs elsewhere", 3: "Queued by the dead" }))
    await dead.commit(started(4, "Left working"), started(5, "Finished"), ended(5, "succeeded"))
    await dead.close()
    live = await owner(home)
    await live.commit(begin(2), started(6, "Does not listen"))
  })
  afterAll(() => live.close())

  it("stops what no process runs, and asks the process of a subtask that one does", async () => {
    const { code, stdout } = await belay(["task", "interrupt", id(1), "--output", "json"], env)
    const object = json(stdout)
    assert.deepStrictEqual(
      [code, object.taskId, object.status, object.interruption],
      [0, id(1), "interrupted", { reason: "user" }]
    )
    assert.deepStrictEqual(
      object.children.map((child: any) => [child.taskId, child.status]),
      [
        [id(2), "active"],
        [id(3), "interrupted"]
      ]
    )
    assert.deepStrictEqual(await live.pending(), [[id(2), 1]])
  })

  it("tells of a task that had stopped with its process", async () => {
    const { code, stdout } = await belay(["task", "interrupt", id(4)], env)
    assert.deepStrictEqual([code, stdout.length], [0, 1])
    assert.match(stdout[0] ?? "", /^"Left working" is already interrupted: the process ended\. Go on with: /)
  })

  it("refuses a completed task with exit 2", async () => {
    const { code, stderr, stdout } = await belay(["task", "interrupt", id(5), "--output", "json"], env)
    assert.deepStrictEqual(
      [code, stderr],
      [2, ['belay: "Finished" is completed, so there is nothing to stop. Its result: belay task show 000005']]
    )
    assert.deepStrictEqual([json(stdout).status, json(stdout).error.tag], ["completed", "UsageError"])
  })

  it("says that it is not confirmed, with exit 3, when the process does not answer", async () => {
    const { code, stderr, stdout } = await belay(["task", "interrupt", id(6)], env)
    assert.deepStrictEqual([code, stdout, stderr.length], [3, [], 1])
    assert.match(
      stderr[0] ?? "",
      /^belay: the process that runs "Does not listen" was asked to stop it and has not confirmed\. /
    )
    assert.deepInclude(await live.pending(), [id(6), 1])
  })
})
