/** What a person asks of a task: to close it, to go on, to abandon, restart or delete it. */
import { Protocol, TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { decide } from "./support/decide.ts"
import { children, delegated, finish, get, id, kill, limits, run, viewOf, type World } from "./support/World.ts"
import { p, c, complete, rule, isNothing, abandon } from "./support/protocol.ts"

const working = (world: World, name: string) => run(world, "a", { _tag: "Start", taskId: id(name) })

const stopped = (world: World, name: string) => {
  working(world, name)
  run(world, "a", { _tag: "Interrupt", taskId: id(name), reason: "user" })
}

const restart = (to = "n"): Protocol.Request => ({ _tag: "Restart", taskId: p, child: c, to: id(to) })

const remove = (name: string, subtasks: "delete" | "keep" = "delete"): Protocol.Request => ({
  _tag: "Delete",
  taskId: id(name),
  subtasks
})

describe("taking a deletion back", () => {
  const undelete = (name: string): Protocol.Request => ({ _tag: "Undelete", taskId: id(name) })
  const stoppedTree = () => {
    const world = delegated("a", "c", "d")
    stopped(world, "c")
    stopped(world, "d")
    run(world, "a", { _tag: "Interrupt", taskId: p, reason: "user" })
    return world
  }

  it("brings the same tree back, without what was deleted by itself before", () => {
    const world = stoppedTree()
    run(world, "a", remove("d"))
    const [parent, child] = [get(world, "p"), get(world, "c")]
    run(world, "a", remove("p"))
    assert.isTrue([p, c, id("d")].every((one) => TaskRecord.isTombstone(world.tasks.get(one))))
    assert.strictEqual(rule(world, "a", { _tag: "Resume", taskId: p }), "Deleted")
    assert.strictEqual(rule(world, "a", undelete("c")), "DeletedWith")
    run(world, "b", undelete("p"))
    assert.deepStrictEqual(get(world, "p"), { ...parent, rev: parent.rev + 2 })
    assert.deepStrictEqual(get(world, "c"), { ...child, rev: child.rev + 2 })
    assert.isTrue(TaskRecord.isTombstone(get(world, "d")))
    isNothing(world, "a", undelete("p"))
    run(world, "a", { _tag: "Resume", taskId: p })
    run(world, "a", undelete("d"))
    assert.strictEqual(get(world, "d").status, "interrupted")
    assert.isUndefined(TaskRecord.awaitedEntry(get(world, "p"), id("d")))
  })

  it("tells the task what became meanwhile of the subtasks that stayed", () => {
    const world = stoppedTree()
    run(world, "a", remove("p", "keep"))
    run(world, "a", { _tag: "Resume", taskId: c })
    const { attempt } = get(world, "c")
    run(world, "a", { _tag: "Complete", taskId: c, attempt, outcome: "succeeded", result: "all green" })
    run(world, "a", remove("d"))
    run(world, "a", undelete("p"))
    const { collected } = get(world, "p") as TaskRecord.Interrupted
    assert.deepStrictEqual([collected[c]?.outcome, collected[c]?.summary], ["succeeded", "all green"])
    assert.strictEqual(collected[id("d")]?.outcome, "deleted")
  })

  it("is over once a task is deleted for good, with all that its deletion took", () => {
    const world = stoppedTree()
    run(world, "a", remove("p"))
    run(world, "a", { _tag: "Delete", taskId: p, subtasks: "keep", forever: true })
    assert.strictEqual(rule(world, "a", undelete("p")), "Deleted")
    for (const one of [p, c, id("d")]) assert.isUndefined(TaskRecord.keptOf(world.tasks.get(one)), one)
  })
})

describe("abandoning a subtask", () => {
  it("answers its call, lets the runner of the parent go on, and does not touch the subtask", () => {
    const world = delegated("a", "c")
    stopped(world, "c")
    const before = get(world, "c")
    const { settlements } = run(world, "a", abandon())
    assert.deepStrictEqual(settlements, [
      { taskId: p, callId: "call-c", childId: c, outcome: "abandoned", summary: Protocol.abandonedSummary }
    ])
    assert.strictEqual(get(world, "p").status, "active")
    assert.strictEqual(world.leases.get(p)?.attempt, 1)
    assert.strictEqual(get(world, "c"), before)
    isNothing(world, "a", abandon())
  })

  it("leaves a parent that nobody runs ready to go on, and is the holder's where another process has it", () => {
    const world = delegated("a", "c")
    assert.strictEqual(rule(world, "b", abandon()), "Owned")
    kill(world, "a")
    run(world, "b", abandon())
    const after = get(world, "p")
    assert.strictEqual(after.status === "interrupted" ? after.interruption.reason : "", "ready")
    assert.strictEqual(world.settled.length, 1)
  })

  it("is refused for a subtask that completed, which is collected instead", () => {
    const world = delegated("a", "c")
    finish(world, "a", "c", "the answer")
    assert.strictEqual(rule(world, "a", abandon()), "AlreadyDone")
    run(world, "a", { _tag: "Collect", taskId: p, attempt: 1, children: [c] })
    assert.strictEqual(world.settled[0]?.summary, "the answer")
    assert.strictEqual(rule(world, "a", abandon("x")), "NotWaiting")
  })
})

describe("starting a subtask over", () => {
  it("answers the call as restarted and awaits a new task, whose report is a message", () => {
    const world = delegated("a", "c")
    stopped(world, "c")
    const swapped = run(world, "a", restart())
    assert.deepStrictEqual(
      swapped.settlements.map(({ callId, outcome }) => [callId, outcome]),
      [["call-c", "restarted"]]
    )
    isNothing(world, "a", restart())
    assert.deepStrictEqual(get(world, "n").lineage, { parentId: p, rootId: p, originCallId: "call-c", depth: 1 })
    finish(world, "a", "n", "second try")
    const report = run(world, "a", { _tag: "Collect", taskId: p, attempt: 1, children: [id("n")] })
    assert.deepStrictEqual(report.settlements, [])
    assert.deepStrictEqual(
      report.messages?.map(({ childId, summary }) => [childId, summary]),
      [["n", "second try"]]
    )
    assert.strictEqual(TaskRecord.collectedEntry(get(world, "p"), id("n"))?.deliveredBy, "message")
  })

  it("is refused while the subtask, or anything below it, is at work", () => {
    const world = delegated("a", "c")
    assert.strictEqual(rule(world, "a", restart()), "NotStuck")
    working(world, "c")
    assert.strictEqual(rule(world, "a", restart()), "NotStuck")
    run(world, "a", { _tag: "Delegate", taskId: c, attempt: 1, children: children("g"), limits })
    working(world, "g")
    run(world, "a", { _tag: "Interrupt", taskId: c, reason: "user" })
    assert.strictEqual(rule(world, "a", restart()), "NotStuck")
    run(world, "a", { _tag: "Interrupt", taskId: id("g"), reason: "parent" })
    assert.isNull(rule(world, "a", restart()))
    assert.strictEqual(rule(world, "a", restart("g")), "ChildExists")
  })
})

describe("a person", () => {
  it("takes a task over from a live process, which is fenced at once", () => {
    const world = delegated("a", "c")
    const takeOver = { _tag: "TakeOver", taskId: p } as const
    run(world, "b", takeOver)
    assert.deepStrictEqual([world.leases.get(p)?.ownerId, get(world, "p").attempt], ["b", 2])
    isNothing(world, "b", takeOver)
    assert.strictEqual(rule(world, "a", { _tag: "Collect", taskId: p, attempt: 1, children: [c] }), "LeaseLost")
    kill(world, "b")
    assert.strictEqual(rule(world, "a", takeOver), "UseResume")
  })

  it("closes what is interrupted and awaits nothing, and its parent is told", () => {
    const world = delegated("a", "c")
    const close = (name: string): Protocol.Request => ({
      _tag: "Close",
      taskId: id(name),
      outcome: "cancelled",
      note: "no"
    })
    stopped(world, "c")
    run(world, "b", close("c"))
    assert.strictEqual(get(world, "c").attempt, 2)
    run(world, "a", { _tag: "Interrupt", taskId: p, reason: "user" })
    assert.strictEqual(rule(world, "a", close("p")), "ChildrenPending")
    run(world, "a", { _tag: "CollectUnowned", taskId: p, children: [c] })
    assert.deepStrictEqual(
      world.settled.map(({ outcome, summary }) => [outcome, summary]),
      [["cancelled", "no"]]
    )
    run(world, "a", close("p"))
    isNothing(world, "a", close("p"))
  })

  it("continues a completed task and forks any that has run, as new roots", () => {
    const world = delegated("a", "c")
    const fork = { _tag: "Fork", taskId: p, as: id("f") } as const
    const goOn = { _tag: "Continue", taskId: c, as: id("n") } as const
    assert.strictEqual(rule(world, "a", { ...goOn, taskId: p }), "NotCompleted")
    assert.strictEqual(rule(world, "a", { ...fork, taskId: c }), "NotStarted")
    finish(world, "a", "c")
    run(world, "a", fork)
    run(world, "a", goOn)
    isNothing(world, "a", goOn)
    assert.strictEqual(get(world, "f").forkedFrom, p)
    assert.deepStrictEqual(get(world, "n").lineage, { rootId: id("n"), depth: 0 })
    assert.strictEqual(rule(world, "a", { ...goOn, as: id("f") }), "ChildExists")
  })
})

describe("deleting", () => {
  it("leaves a tombstone that says nothing, tells the parent, and refuses every other command", () => {
    const world = delegated("a", "c")
    stopped(world, "c")
    const { settlements } = run(world, "a", remove("c"))
    assert.deepStrictEqual(
      settlements.map(({ callId, outcome }) => [callId, outcome]),
      [["call-c", "deleted"]]
    )
    assert.include(get(world, "c"), { status: "completed", result: "", deletedBy: "a" })
    isNothing(world, "b", remove("c"))
    for (const request of [
      { _tag: "Start", taskId: c },
      { _tag: "Resume", taskId: c },
      { _tag: "Create", taskId: c },
      complete("c", 1),
      { _tag: "Continue", taskId: c, as: id("n") },
      { _tag: "Fork", taskId: c, as: id("n") }
    ] satisfies ReadonlyArray<Protocol.Request>) {
      assert.strictEqual(rule(world, "a", request), "Deleted", request._tag)
    }
    const again = [{ id: c, callId: "another", wait: "foreground" as const }]
    assert.strictEqual(
      rule(world, "a", { _tag: "Delegate", taskId: p, attempt: 1, children: again, limits }),
      "ChildExists"
    )
  })

  it("is refused while a subtask runs, and else takes the subtasks with it or keeps them", () => {
    const world = delegated("a", "c")
    working(world, "c")
    assert.strictEqual(rule(world, "a", remove("p")), "StopFirst")
    assert.strictEqual(rule(world, "b", remove("p")), "StopFirst")
    run(world, "a", { _tag: "Interrupt", taskId: c, reason: "user" })
    const kept = decide(viewOf(world, "a"), remove("p", "keep"))
    assert.deepStrictEqual(
      kept.changes.map(({ after }) => after?.id),
      [p]
    )
    run(world, "a", remove("p"))
    assert.isDefined(get(world, "c").deletedAt)
    assert.strictEqual(world.leases.size, 0)
  })

  it("does not delete a result that the process of the parent has not read yet", () => {
    const world = delegated("a", "c")
    finish(world, "a", "c", "the answer")
    assert.strictEqual(rule(world, "b", remove("c")), "AlreadyDone")
    run(world, "a", remove("c"))
    assert.strictEqual(world.settled[0]?.summary, "the answer")
  })

  it("lets the process that has the parent find the tombstone", () => {
    const world = delegated("a", "c")
    run(world, "b", remove("c"))
    assert.strictEqual(get(world, "p").status, "delegated")
    run(world, "a", { _tag: "Collect", taskId: p, attempt: 1, children: [c] })
    assert.strictEqual(world.settled[0]?.outcome, "deleted")
  })

  it("makes a root of the child that it keeps", () => {
    const world = delegated("a", "c")
    run(world, "a", remove("p", "keep"))
    assert.isNull(rule(world, "b", { _tag: "Start", taskId: c }))
  })
})
