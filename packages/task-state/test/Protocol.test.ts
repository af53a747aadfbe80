import { Protocol, TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { decide } from "./support/decide.ts"
import { children, commit, delegated, finish, get, id, kill, limits, make, run, viewOf } from "./support/World.ts"
import { p, c, complete, rule, isNothing, abandon } from "./support/protocol.ts"

const delegate = (attempt: number, ...names: ReadonlyArray<string>): Protocol.Request => ({
  _tag: "Delegate",
  taskId: p,
  attempt,
  children: children(...names),
  limits
})

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
