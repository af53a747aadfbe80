import { Reconcile, TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import {
  commit,
  copy,
  delegated,
  factsOf,
  finish,
  get,
  id,
  kill,
  make,
  reconcile,
  round,
  run,
  type World
} from "./support/World.ts"

const p = id("p")
const c = id("c")
const rules = (world: World, me: string) =>
  Reconcile.repairs(factsOf(world, me)).map(({ rule, taskId }) => `${rule} ${taskId}`)
const stop = (world: World, name: string) => {
  run(world, "a", { _tag: "Start", taskId: id(name) })
  run(world, "a", { _tag: "Interrupt", taskId: id(name), reason: "user" })
}
const reason = (record: TaskRecord.TaskRecord) =>
  record.status === "interrupted" ? record.interruption.reason : record.status

describe("reconciliation", () => {
  it("ownerGone: interrupts an active task whose process is dead and leaves its parent alone", () => {
    const world = delegated("a", "c")
    run(world, "a", { _tag: "Start", taskId: c })
    kill(world, "a")
    const before = get(world, "p")
    assert.deepStrictEqual(rules(world, "b"), ["ownerGone c"])
    round(world, "b")
    assert.strictEqual(reason(get(world, "c")), "crash")
    assert.strictEqual(get(world, "p"), before)
    assert.isUndefined(world.leases.get(c))
    assert.deepStrictEqual(rules(world, "b"), [])
  })

  it("leaves what a live process is responsible for", () => {
    const world = delegated("a", "c", "d")
    run(world, "a", { _tag: "Start", taskId: c })
    finish(world, "a", "d")
    assert.deepStrictEqual(rules(world, "b"), [])
    assert.deepStrictEqual(rules(world, "a"), [])
  })

  it("runnerGone: interrupts what this process leases but does not run, waiting tasks included", () => {
    const world = delegated("a", "c")
    run(world, "a", { _tag: "Start", taskId: c })
    world.runners.get("a")?.clear()
    assert.deepStrictEqual(rules(world, "b"), [])
    assert.deepStrictEqual(rules(world, "a"), ["runnerGone c", "runnerGone p"])
    round(world, "a")
    assert.strictEqual(reason(get(world, "p")), "crash")
    assert.deepStrictEqual(TaskRecord.awaitedIds(get(world, "p")), [c])
    assert.strictEqual(world.leases.size, 0)
  })

  it("neverDelegated: removes a child that was reserved and never awaited, unless it has a transcript", () => {
    const world = delegated("a", "c")
    const stray = { ...get(world, "c"), id: id("x") } as TaskRecord.Created
    world.tasks.set(stray.id, stray)
    assert.deepStrictEqual(rules(world, "b"), [])
    kill(world, "a")
    assert.deepStrictEqual(rules(world, "b"), ["childNotStarted c", "neverDelegated x"])
    const kept = copy(world)
    kept.transcripts.add(stray.id)
    round(world, "b")
    assert.isFalse(world.tasks.has(stray.id))
    reconcile(kept, ["b"])
    assert.strictEqual(reason(get(kept, "x")), "crash")
  })

  it("creatorGone, childNotStarted: interrupts what a dead process created and nobody started", () => {
    const world = delegated("a", "c")
    run(world, "a", { _tag: "Create", taskId: id("r") })
    kill(world, "a")
    assert.deepStrictEqual(rules(world, "b"), ["childNotStarted c", "creatorGone r"])
    reconcile(world, ["b"])
    const root = get(world, "r")
    assert.deepStrictEqual(root.status === "interrupted" && root.interruption, { reason: "crash", from: "created" })
    assert.strictEqual(get(world, "p").status, "delegated")
  })

  it("nothingAwaited: a task that waits for nobody is ready", () => {
    const world = delegated("a", "c")
    world.tasks.set(p, { ...(get(world, "p") as TaskRecord.Delegated), awaiting: {} })
    assert.deepStrictEqual(rules(world, "b"), [])
    kill(world, "a")
    assert.include(rules(world, "b"), "nothingAwaited p")
    reconcile(world, ["b"])
    assert.strictEqual(reason(get(world, "p")), "ready")
  })

  it("childCompleted: collects a child that completed, whether its parent waits or is interrupted", () => {
    const world = delegated("a", "c")
    finish(world, "a", "c", "")
    const stopped = copy(world)
    run(stopped, "a", { _tag: "Interrupt", taskId: p, reason: "user" })
    kill(world, "a")
    for (const [history, expected] of [
      [world, "ready"],
      [stopped, "user"]
    ] as const) {
      assert.deepStrictEqual(rules(history, "b"), ["childCompleted p"])
      round(history, "b")
      assert.strictEqual(reason(get(history, "p")), expected)
      assert.deepStrictEqual(history.settled, [
        { taskId: p, callId: "call-c", childId: c, outcome: "succeeded", summary: Reconcile.missingSummary }
      ])
      assert.deepStrictEqual(rules(history, "b"), [])
    }
  })

  it("childLost: releases a parent from a child that is gone, and says that it is lost", () => {
    const world = delegated("a", "c")
    world.tasks.delete(c)
    assert.deepStrictEqual(rules(world, "b"), [])
    kill(world, "a")
    assert.deepStrictEqual(rules(world, "b"), ["childLost p"])
    round(world, "b")
    assert.strictEqual(reason(get(world, "p")), "ready")
    assert.deepStrictEqual(
      world.settled.map(({ outcome, summary }) => [outcome, summary]),
      [["lost", Reconcile.lostSummary]]
    )
  })

  it("does not take an unreadable child for a lost one", () => {
    const world = delegated("a", "c")
    world.tasks.delete(c)
    kill(world, "a")
    const facts = { ...factsOf(world, "b"), unreadable: (taskId: string) => taskId === c }
    assert.deepStrictEqual(Reconcile.repairs(facts), [])
  })

  it("waits on for a child that is interrupted", () => {
    const world = delegated("a", "c")
    run(world, "a", { _tag: "Start", taskId: c })
    run(world, "a", { _tag: "Interrupt", taskId: c, reason: "user" })
    kill(world, "a")
    assert.deepStrictEqual(rules(world, "b"), [])
  })

  it("collects a chain from the leaf up, without completing anything by itself", () => {
    const world = delegated("a", "c")
    run(world, "a", { _tag: "Start", taskId: c })
    const child = { id: id("g"), callId: "call-g", wait: "foreground" as const }
    const limits = { depth: 5, fanOut: 5 }
    run(world, "a", { _tag: "Delegate", taskId: c, attempt: 1, children: [child], limits })
    finish(world, "a", "g")
    kill(world, "a")
    reconcile(world, ["b"])
    assert.strictEqual(reason(get(world, "c")), "ready")
    assert.strictEqual(get(world, "p").status, "delegated")
  })

  it("recordMissing: gives a child whose log is there a record again, and its parent waits on", () => {
    const world = delegated("a", "c")
    world.tasks.delete(c)
    kill(world, "a")
    const facts = { ...factsOf(world, "b"), hasLog: (taskId: string) => taskId === c }
    const [found] = Reconcile.repairs(facts)
    if (found === undefined) throw new Error("nothing found")
    assert.strictEqual(found.rule, "recordMissing")
    commit(world, found.decision, "b")
    assert.strictEqual(reason(get(world, "c")), "crash")
    assert.deepStrictEqual(get(world, "c").lineage, { parentId: p, rootId: p, originCallId: "call-c", depth: 1 })
    assert.deepStrictEqual(Reconcile.repairs({ ...facts, tasks: world.tasks }), [])
  })

  it("waitCircle: breaks a circle of tasks that wait for each other at its newest edge, wherever it begins", () => {
    for (const [newest, waits] of [
      ["x", "y"],
      ["y", "x"]
    ] as const) {
      const world = make()
      for (const [name, other] of [
        ["x", "y"],
        ["y", "x"]
      ] as const) {
        const since = name === newest ? 2 : 1
        const record: TaskRecord.Delegated = {
          id: id(name),
          rev: 1,
          status: "delegated",
          attempt: 1,
          lineage: { parentId: id(other), rootId: id("x"), depth: 1 },
          createdBy: "a",
          awaiting: { [id(other)]: { callId: `call-${other}`, since, wait: "foreground" } },
          collected: {}
        }
        world.tasks.set(record.id, record)
      }
      assert.deepStrictEqual(rules(world, "b"), [`waitCircle ${newest}`])
      reconcile(world, ["b"])
      assert.strictEqual(reason(get(world, newest)), "ready")
      assert.strictEqual(get(world, waits).status, "delegated")
      assert.strictEqual(world.settled[0]?.outcome, "lost")
    }
  })

  it("waitCircle, notAChild: a circle that an edge to a stranger closes is opened at that edge, in any order", () => {
    for (const reversed of [false, true]) {
      const world = delegated("a", "c")
      stop(world, "c")
      const child = get(world, "c") as TaskRecord.Interrupted
      const awaiting = { [p]: { callId: "call-p", since: 1, wait: "foreground" as const } }
      world.tasks.set(c, { ...child, awaiting })
      kill(world, "a")
      reconcile(world, ["b"], (found) => (reversed ? found.toReversed() : found))
      assert.deepStrictEqual(TaskRecord.awaitedIds(get(world, "p")), [c])
      assert.deepStrictEqual(TaskRecord.awaitedIds(get(world, "c")), [])
    }
  })

  it("childOfAnother, notAChild: only its parent by lineage keeps a child", () => {
    const world = delegated("a", "c")
    run(world, "a", { _tag: "Create", taskId: id("q") })
    run(world, "a", { _tag: "Start", taskId: id("q") })
    const active = get(world, "q") as TaskRecord.Active
    const { awaiting } = get(world, "p") as TaskRecord.Delegated
    world.tasks.set(active.id, { ...active, status: "delegated", awaiting })
    stop(world, "c")
    kill(world, "a")
    assert.deepStrictEqual(rules(world, "b"), ["childOfAnother q"])
    const alone = copy(world)
    alone.tasks.delete(p)
    assert.deepStrictEqual(rules(alone, "b"), ["notAChild q"])
    reconcile(world, ["b"])
    assert.strictEqual(TaskRecord.collectedEntry(get(world, "q"), c)?.outcome, "lost")
    assert.strictEqual(get(world, "p").status, "delegated")
  })

  it("the child of a deleted parent is a root", () => {
    const world = delegated("a", "c")
    run(world, "a", { _tag: "Delete", taskId: p, subtasks: "keep" })
    const isRoot = () => Reconcile.isRoot(get(world, "c"), (taskId) => world.tasks.get(taskId))
    assert.isTrue(isRoot())
    kill(world, "a")
    assert.deepStrictEqual(rules(world, "b"), ["creatorGone c"])
  })

  it("deletionUnfinished, callUnanswered: finishes what a commit left for later, where the store says so", () => {
    const world = delegated("a", "c", "d")
    finish(world, "a", "c", "the answer")
    run(world, "a", { _tag: "Collect", taskId: p, attempt: 1, children: [c] })
    run(world, "a", { _tag: "Delete", taskId: c, subtasks: "keep" })
    kill(world, "a")
    reconcile(world, ["b"])
    const left = { hasRemains: () => true, openCalls: () => new Set(["call-c", "call-d"]) }
    const found = Reconcile.repairs({ ...factsOf(world, "b"), ...left })
    assert.deepStrictEqual(
      found.map(({ decision, rule, taskId }) => [rule, taskId, decision.settlements.map((entry) => entry.summary)]),
      [
        ["deletionUnfinished", c, []],
        ["callUnanswered", p, ["the answer"]]
      ]
    )
  })

  it("drops a repair when a record it was derived from has changed", () => {
    const world = delegated("a", "c")
    finish(world, "a", "c")
    kill(world, "a")
    const [found] = Reconcile.repairs(factsOf(world, "b"))
    if (found === undefined) throw new Error("nothing found")
    const current = (history: World) => Reconcile.isCurrent(found, (taskId) => history.tasks.get(taskId))
    assert.isTrue(current(world))
    assert.deepStrictEqual(found.reads, [{ taskId: c, rev: get(world, "c").rev }])
    const removed = copy(world)
    removed.tasks.delete(c)
    assert.isFalse(current(removed))
    run(world, "b", { _tag: "Resume", taskId: p })
    assert.isFalse(current(world))
    assert.throws(() => commit(world, found.decision, "b"), /stale/u)
  })

  it("finds nothing in an empty history", () => {
    assert.deepStrictEqual(Reconcile.repairs(factsOf(make(), "a")), [])
  })
})
