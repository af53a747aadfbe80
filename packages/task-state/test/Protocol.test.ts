import { Protocol, TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { decide, ruleOf } from "./support/decide.ts"
import {
  children,
  commit,
  delegated,
  finish,
  get,
  id,
  kill,
  limits,
  make,
  run,
  viewOf,
  type World
} from "./support/World.ts"

const p = id("p")
const c = id("c")
const delegate = (attempt: number, ...names: ReadonlyArray<string>): Protocol.Request => ({
  _tag: "Delegate",
  taskId: p,
  attempt,
  children: children(...names),
  limits
})
const complete = (name: string, attempt: number): Protocol.Request => ({
  _tag: "Complete",
  taskId: id(name),
  attempt,
  outcome: "succeeded",
  result: "done"
})
const rule = (world: World, me: string, request: Protocol.Request) => ruleOf(viewOf(world, me), request)
const isNothing = (world: World, me: string, request: Protocol.Request) =>
  assert.deepStrictEqual(decide(viewOf(world, me), request), Protocol.nothing)

describe("a delegation", () => {
  it("creates the children and the edges in one decision, in the order of the calls", () => {
    const world = make()
    run(world, "a", { _tag: "Create", taskId: p })
    run(world, "a", { _tag: "Start", taskId: p })
    const decision = run(world, "a", delegate(1, "c", "d"))
    assert.deepStrictEqual(
      decision.changes.map(({ after, command }) => `${command} ${after?.id} ${after?.status}`),
      ["Create c created", "Create d created", "Delegate p delegated"]
    )
    assert.deepStrictEqual(get(world, "d").lineage, { parentId: p, rootId: p, originCallId: "call-d", depth: 1 })
    assert.deepStrictEqual(TaskRecord.awaitedIds(get(world, "p")), [c, id("d")])
    assert.strictEqual(world.leases.get(p)?.ownerId, "a")
  })

  it("is refused for ids that are known, taken twice, or reported already", () => {
    const world = delegated("a", "c")
    finish(world, "a", "c")
    run(world, "a", { _tag: "Collect", taskId: p, attempt: 1, children: [c] })
    const other = [{ id: c, callId: "another", wait: "foreground" as const }]
    assert.strictEqual(rule(world, "a", { ...delegate(1), children: other } as Protocol.Request), "ChildExists")
    world.tasks.delete(c)
    assert.strictEqual(rule(world, "a", { ...delegate(1), children: other } as Protocol.Request), "ChildExists")
    assert.strictEqual(rule(world, "a", delegate(1, "e", "e")), "ChildExists")
    assert.strictEqual(rule(world, "a", delegate(1, "p")), "ChildExists")
  })

  it("is refused beyond the limits of depth and number, and without a child", () => {
    const world = delegated("a", "c")
    run(world, "a", { _tag: "Start", taskId: c })
    const ask = (extra: Partial<Protocol.Limits>, ...names: ReadonlyArray<string>): Protocol.Request => ({
      _tag: "Delegate",
      taskId: c,
      attempt: 1,
      children: children(...names),
      limits: { ...limits, ...extra }
    })
    assert.strictEqual(rule(world, "a", ask({ depth: 1 }, "x")), "TooDeep")
    assert.strictEqual(rule(world, "a", ask({ fanOut: 1 }, "x", "y")), "TooMany")
    assert.strictEqual(rule(world, "a", ask({})), "NoChildren")
    assert.isNull(rule(world, "a", ask({ depth: 2, fanOut: 2 }, "x", "y")))
  })
})

describe("a runner that has lost its task", () => {
  const lost = () => {
    const world = delegated("a", "c")
    kill(world, "a")
    run(world, "b", { _tag: "Resume", taskId: p })
    finish(world, "b", "c")
    return world
  }

  it("cannot collect, delegate or complete with its old attempt", () => {
    const world = lost()
    world.dead.clear()
    assert.strictEqual(get(world, "p").attempt, 2)
    assert.strictEqual(rule(world, "a", { _tag: "Collect", taskId: p, attempt: 1, children: [c] }), "LeaseLost")
    run(world, "b", { _tag: "Collect", taskId: p, attempt: 2, children: [c] })
    assert.strictEqual(rule(world, "a", delegate(1, "x")), "LeaseLost")
    assert.strictEqual(rule(world, "a", complete("p", 1)), "LeaseLost")
    assert.strictEqual(rule(world, "b", complete("p", 1)), "LeaseLost")
    assert.strictEqual(rule(world, "a", { _tag: "Interrupt", taskId: p, reason: "host", attempt: 1 }), "LeaseLost")
    assert.strictEqual(rule(world, "b", { _tag: "Interrupt", taskId: p, reason: "host", attempt: 1 }), "LeaseLost")
  })

  it("cannot write with the right attempt but without the lease", () => {
    const world = lost()
    world.dead.clear()
    assert.strictEqual(rule(world, "a", { _tag: "Collect", taskId: p, attempt: 2, children: [c] }), "LeaseLost")
    assert.strictEqual(rule(world, "a", { _tag: "Interrupt", taskId: p, reason: "user" }), "Owned")
    assert.strictEqual(rule(world, "a", { _tag: "Resume", taskId: p }), "Owned")
    assert.strictEqual(rule(world, "a", { _tag: "CollectUnowned", taskId: p, children: [c] }), "Owned")
  })

  it("is told so, and not that it waits, when its successor waits for subtasks", () => {
    const world = delegated("a", "c")
    kill(world, "a")
    run(world, "b", { _tag: "Resume", taskId: p })
    assert.strictEqual(rule(world, "a", complete("p", 1)), "LeaseLost")
    assert.strictEqual(rule(world, "b", complete("p", 2)), "ChildrenPending")
  })
})

describe("a child", () => {
  it("cannot start when its parent does not wait for it", () => {
    const world = delegated("a", "c")
    const lineage = { ...get(world, "c").lineage }
    world.tasks.set(id("x"), { ...get(world, "c"), id: id("x"), lineage })
    assert.strictEqual(rule(world, "a", { _tag: "Start", taskId: id("x") }), "NotAwaited")
    world.tasks.set(id("constructor"), { ...get(world, "c"), id: id("constructor"), lineage })
    assert.strictEqual(rule(world, "a", { _tag: "Start", taskId: id("constructor") }), "NotAwaited")
    assert.isNull(rule(world, "a", { _tag: "Start", taskId: c }))
  })

  it("reports to its parent by the parent's edge, once", () => {
    const world = delegated("a", "c", "d")
    finish(world, "a", "c", "found it")
    const decision = run(world, "a", { _tag: "Collect", taskId: p, attempt: 1, children: [c, id("d")] })
    assert.deepStrictEqual(decision.settlements, [
      { taskId: p, callId: "call-c", childId: c, outcome: "succeeded", summary: "found it" }
    ])
    assert.strictEqual(get(world, "p").status, "delegated")
    finish(world, "a", "d", "  ")
    const last = run(world, "a", { _tag: "Collect", taskId: p, attempt: 1, children: [c, id("d")] })
    assert.deepStrictEqual(
      last.settlements.map(({ childId, summary }) => [childId, summary]),
      [["d", Protocol.missingSummary]]
    )
    assert.strictEqual(get(world, "p").status, "active")
    assert.strictEqual(get(world, "p").attempt, 1)
  })

  it("that is interrupted leaves its parent as it was", () => {
    const world = delegated("a", "c")
    run(world, "a", { _tag: "Start", taskId: c })
    const before = get(world, "p")
    const { changes } = run(world, "a", { _tag: "Interrupt", taskId: c, reason: "user" })
    assert.deepStrictEqual(
      changes.map(({ after }) => after?.id),
      [c]
    )
    assert.strictEqual(get(world, "p"), before)
    assert.isUndefined(world.leases.get(c))
  })

  it("is never completed while it waits for children of its own", () => {
    const world = delegated("a", "c")
    assert.strictEqual(rule(world, "a", complete("p", 1)), "ChildrenPending")
    assert.strictEqual(rule(world, "a", complete("c", 0)), "NotStarted")
  })
})

describe("resume", () => {
  it("collects what completed meanwhile before it takes the lease", () => {
    const world = delegated("a", "c")
    finish(world, "a", "c", "the answer")
    kill(world, "a")
    const decision = run(world, "b", { _tag: "Resume", taskId: p })
    assert.deepStrictEqual(
      decision.changes.map(({ command, lease }) => [command, lease]),
      [
        ["CollectUnowned", "release"],
        ["Resume", "take"]
      ]
    )
    assert.deepStrictEqual(
      decision.settlements.map(({ summary }) => summary),
      ["the answer"]
    )
    assert.strictEqual(get(world, "p").status, "active")
    assert.strictEqual(get(world, "p").attempt, 2)
  })

  it("notices that the runner of an active task is gone", () => {
    const world = make()
    run(world, "a", { _tag: "Create", taskId: p })
    run(world, "a", { _tag: "Start", taskId: p })
    kill(world, "a")
    assert.strictEqual(rule(world, "b", { _tag: "Start", taskId: p }), "InterruptFirst")
    const decision = run(world, "b", { _tag: "Resume", taskId: p })
    assert.deepStrictEqual(
      decision.changes.map(({ command }) => command),
      ["Interrupt", "Resume"]
    )
    assert.strictEqual(world.leases.get(p)?.attempt, 2)
  })

  it("keeps waiting for the children that have not reported", () => {
    const world = delegated("a", "c", "d")
    finish(world, "a", "c")
    run(world, "a", { _tag: "Interrupt", taskId: p, reason: "user" })
    run(world, "b", { _tag: "Resume", taskId: p })
    assert.strictEqual(get(world, "p").status, "delegated")
    assert.deepStrictEqual(TaskRecord.awaitedIds(get(world, "p")), [id("d")])
    assert.strictEqual(world.leases.get(p)?.ownerId, "b")
  })

  it("is refused for what was never started or is completed", () => {
    const world = delegated("a", "c")
    assert.strictEqual(rule(world, "a", { _tag: "Resume", taskId: c }), "UseStart")
    finish(world, "a", "c")
    assert.strictEqual(rule(world, "a", { _tag: "Resume", taskId: c }), "UseContinue")
    assert.strictEqual(rule(world, "a", { _tag: "Resume", taskId: id("nobody") }), "NotFound")
  })
})

describe("collecting for a task without an owner", () => {
  it("releases the dead process's lease with it", () => {
    const world = delegated("a", "c")
    finish(world, "a", "c")
    kill(world, "a")
    run(world, "b", { _tag: "CollectUnowned", taskId: p, children: [c] })
    const after = get(world, "p")
    assert.strictEqual(after.status === "interrupted" ? after.interruption.reason : "", "ready")
    assert.isUndefined(world.leases.get(p))
  })

  it("needs an orphan that is active to be interrupted first", () => {
    const world = make()
    run(world, "a", { _tag: "Create", taskId: p })
    run(world, "a", { _tag: "Start", taskId: p })
    kill(world, "a")
    assert.strictEqual(rule(world, "b", { _tag: "CollectUnowned", taskId: p, children: [] }), "InterruptFirst")
  })
})

describe("repeating an accepted request", () => {
  it("changes nothing, whichever it was", () => {
    const world = make()
    const twice = (me: string, request: Protocol.Request) => {
      assert.isAbove(run(world, me, request).changes.length, 0)
      isNothing(world, me, request)
    }
    twice("a", { _tag: "Create", taskId: p })
    twice("a", { _tag: "Start", taskId: p })
    twice("a", delegate(1, "c", "d"))
    twice("a", { _tag: "Start", taskId: c })
    twice("a", complete("c", 1))
    twice("a", { _tag: "Collect", taskId: p, attempt: 1, children: [c] })
    isNothing(world, "a", delegate(1, "c", "d"))
    finish(world, "a", "d")
    kill(world, "a")
    twice("b", { _tag: "CollectUnowned", taskId: p, children: [id("d")] })
    twice("b", { _tag: "Resume", taskId: p })
    twice("b", { _tag: "Interrupt", taskId: p, reason: "user", attempt: 2 })
    twice("b", { _tag: "Resume", taskId: p })
    twice("b", complete("p", 3))
    isNothing(world, "b", delegate(1, "c", "d"))
    isNothing(world, "b", { _tag: "Interrupt", taskId: p, reason: "user" })
    assert.strictEqual(rule(world, "c", { _tag: "Create", taskId: p }), "ChildExists")
  })

  it("by another process while the first lives is refused", () => {
    const world = delegated("a", "c")
    assert.strictEqual(rule(world, "b", { _tag: "Resume", taskId: p }), "Owned")
    isNothing(world, "a", { _tag: "Resume", taskId: p })
  })
})

describe("the view after a decision", () => {
  it("shows the records and leases that a store would have", () => {
    const world = delegated("a", "c")
    finish(world, "a", "c")
    kill(world, "a")
    const view = viewOf(world, "b")
    const decision = decide(view, { _tag: "Resume", taskId: p })
    const next = Protocol.after(view, decision)
    commit(world, decision, "b")
    assert.deepStrictEqual(next.task(p), world.tasks.get(p))
    assert.deepStrictEqual(next.lease(p)?.ownerId, "b")
    assert.strictEqual(Protocol.after(view, Protocol.nothing), view)
    const stop = decide(next, { _tag: "Interrupt", taskId: p, reason: "user" })
    assert.isUndefined(Protocol.after(next, stop).lease(p))
  })
})

const working = (world: World, name: string) => run(world, "a", { _tag: "Start", taskId: id(name) })
const stopped = (world: World, name: string) => {
  working(world, name)
  run(world, "a", { _tag: "Interrupt", taskId: id(name), reason: "user" })
}
const abandon = (name = "c"): Protocol.Request => ({ _tag: "Abandon", taskId: p, child: id(name) })
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

describe("background delegation", () => {
  it("goes on at once, and the report comes as a message, or in the result of a call that waits for it", () => {
    for (const byWaitCall of [false, true]) {
      const world = make()
      run(world, "a", { _tag: "Create", taskId: p })
      run(world, "a", { _tag: "Start", taskId: p })
      const background = [{ id: c, callId: "call-c", wait: "background" as const }]
      run(world, "a", { _tag: "DelegateBackground", taskId: p, attempt: 1, children: background, limits })
      assert.strictEqual(get(world, "p").status, "active")
      assert.strictEqual(rule(world, "a", complete("p", 1)), "ChildrenPending")
      // The answer of a waiting call is decided with the children's records: none is claimed that is not there.
      const early = { _tag: "Collect", taskId: p, attempt: 1, children: [c], byWaitCall } as const
      if (byWaitCall) assert.strictEqual(rule(world, "a", early), "Changed")
      else isNothing(world, "a", early)
      finish(world, "a", "c")
      const told = run(world, "a", { _tag: "Collect", taskId: p, attempt: 1, children: [c], byWaitCall })
      assert.deepStrictEqual([told.settlements.length, told.messages?.length], [0, byWaitCall ? undefined : 1])
      assert.strictEqual(TaskRecord.collectedEntry(get(world, "p"), c)?.deliveredBy, byWaitCall ? "call" : "message")
      if (byWaitCall) assert.strictEqual(rule(world, "a", early), "Changed")
      else isNothing(world, "a", early)
    }
    const world = make()
    run(world, "a", { _tag: "Create", taskId: p })
    run(world, "a", { _tag: "Start", taskId: p })
    const wrong = { _tag: "DelegateBackground", taskId: p, attempt: 1, children: children("c"), limits } as const
    assert.strictEqual(rule(world, "a", wrong), "NoChildren")
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

describe("a decision that is committed later", () => {
  it("names every record that it looked at, and is stale when one of them has changed", () => {
    const world = delegated("a", "c")
    const start = decide(viewOf(world, "a"), { _tag: "Start", taskId: c })
    assert.deepStrictEqual(start.reads, [{ taskId: p, rev: get(world, "p").rev }])
    const current = (decision: Protocol.Decision) => Protocol.isCurrent(decision, (taskId) => world.tasks.get(taskId))
    assert.isTrue(current(start))
    run(world, "a", abandon())
    assert.isFalse(current(start))
    const create = decide(viewOf(world, "a"), { _tag: "Create", taskId: id("r") })
    run(world, "b", { _tag: "Create", taskId: id("r") })
    assert.isFalse(current(create))
  })
})
