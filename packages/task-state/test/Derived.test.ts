import { Derived, Descendants, Invariant, Journal, Projection, Protocol, TaskId, TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as records from "./support/records.ts"
import { children, delegated, finish, get, id, kill, limits, run, type World } from "./support/World.ts"

const { active, background, completed, created, interrupted, interruptedWaiting } = records
const p = id("p")
const c = id("c")
const derive = (world: World, name: string) =>
  Derived.derive(get(world, name), {
    task: (taskId) => world.tasks.get(taskId),
    running: (taskId) => !world.dead.has(world.leases.get(taskId)?.ownerId ?? "") && world.leases.has(taskId)
  })
const stop = (world: World, name: string) => run(world, "a", { _tag: "Interrupt", taskId: id(name), reason: "user" })

describe("derived states", () => {
  it("follow a task from its creation to its completion", () => {
    const world = delegated("a", "c")
    assert.strictEqual(derive(world, "c"), "queued")
    assert.strictEqual(derive(world, "p"), "running")
    run(world, "a", { _tag: "Start", taskId: c })
    assert.strictEqual(derive(world, "c"), "running")
    finish(world, "a", "c")
    assert.isNull(derive(world, "c"))
  })

  it("are orphaned when the process of a working task is gone", () => {
    const world = delegated("a", "c")
    run(world, "a", { _tag: "Start", taskId: c })
    kill(world, "a")
    assert.strictEqual(derive(world, "c"), "orphaned")
    assert.strictEqual(derive(world, "p"), "orphaned")
  })

  it("are ready when every child has completed and nobody runs the parent", () => {
    const world = delegated("a", "c", "d")
    finish(world, "a", "c")
    kill(world, "a")
    assert.strictEqual(derive(world, "p"), "orphaned")
    finish(world, "b", "d")
    assert.strictEqual(derive(world, "p"), "ready")
    run(world, "b", { _tag: "CollectUnowned", taskId: p, children: [c, id("d")] })
    assert.strictEqual(derive(world, "p"), "ready")
  })

  it("are blocked when every child is interrupted or blocked, at any depth", () => {
    const world = delegated("a", "c", "d")
    run(world, "a", { _tag: "Start", taskId: c })
    run(world, "a", { _tag: "Delegate", taskId: c, attempt: 1, children: children("g"), limits })
    stop(world, "g")
    assert.strictEqual(derive(world, "c"), "blocked")
    assert.strictEqual(derive(world, "p"), "running")
    stop(world, "d")
    assert.strictEqual(derive(world, "p"), "blocked")
    assert.isNull(derive(world, "d"))
  })

  it("end on a cycle, which blocks nobody", () => {
    const world = delegated("a", "c")
    const entry = { callId: "x", since: 1, wait: "foreground" as const }
    world.tasks.set(c, { ...records.delegated, id: c, awaiting: { [p]: entry } })
    assert.strictEqual(derive(world, "p"), "running")
    world.leases.clear()
    assert.strictEqual(derive(world, "p"), "orphaned")
    assert.deepStrictEqual(Descendants.toInterrupt({ task: (taskId) => world.tasks.get(taskId) }, p), [c])
  })
})

describe("descendants", () => {
  it("are those awaited at any depth, from the parent down", () => {
    const world = delegated("a", "c", "d")
    const lookup = { task: (taskId: TaskId.TaskId) => world.tasks.get(taskId) }
    run(world, "a", { _tag: "Start", taskId: c })
    run(world, "a", { _tag: "Delegate", taskId: c, attempt: 1, children: children("g"), limits })
    assert.deepStrictEqual(Descendants.toInterrupt(lookup, p), [c, id("d"), id("g")])
    stop(world, "c")
    assert.deepStrictEqual(Descendants.toInterrupt(lookup, p), [id("d"), id("g")])
    assert.deepStrictEqual(Descendants.interruptedLeaves(lookup, p), [])
    stop(world, "g")
    assert.deepStrictEqual(Descendants.interruptedLeaves(lookup, p), [id("g")])
    finish(world, "a", "d")
    assert.deepStrictEqual(Descendants.toInterrupt(lookup, p), [])
  })
})

describe("journal events", () => {
  it("tell of a delegation, its report and the end in the order in which they happened", () => {
    const world = delegated("a", "c")
    const events = (decision: Protocol.Decision) => decision.changes.flatMap((change) => Journal.eventsOf(change, "a"))
    const create = run(world, "a", { _tag: "Create", taskId: id("r"), continuesTaskId: p })
    assert.deepStrictEqual(events(create), [{ type: "task.created", rootId: id("r"), continuesTaskId: p }])
    run(world, "a", { _tag: "Start", taskId: id("r") })
    const child = [{ id: id("k"), callId: "call-k", wait: "foreground" as const }]
    const started = run(world, "a", { _tag: "Delegate", taskId: id("r"), attempt: 1, children: child, limits })
    assert.deepStrictEqual(events(started), [
      { type: "task.created", parentId: id("r"), rootId: id("r") },
      { type: "delegation.started", children: [{ taskId: id("k"), callId: "call-k", background: false }] },
      { type: "task.status", from: "active", to: "delegated", command: "Delegate", attempt: 1, owner: "a", rev: 3 }
    ])
    finish(world, "a", "k")
    const collected = run(world, "a", { _tag: "Collect", taskId: id("r"), attempt: 1, children: [id("k")] })
    assert.deepStrictEqual(events(collected), [
      { type: "delegation.collected", childId: id("k"), callId: "call-k", outcome: "succeeded" },
      { type: "task.status", from: "delegated", to: "active", command: "Collect", attempt: 1, owner: "a", rev: 4 }
    ])
    const complete = { _tag: "Complete", taskId: id("r"), attempt: 1, outcome: "failed", result: "no" } as const
    assert.deepStrictEqual(events(run(world, "a", complete)), [
      { type: "task.status", from: "active", to: "completed", command: "Complete", attempt: 1, owner: "a", rev: 5 },
      { type: "task.completed", outcome: "failed", result: "no" }
    ])
    const stopped = run(world, "a", { _tag: "Interrupt", taskId: p, reason: "budget" })
    assert.include(events(stopped)[0], { type: "task.status", to: "interrupted", reason: "budget" })
  })

  it("tell of a subtask that is started over, of a task that is taken over, and of a deletion", () => {
    const world = delegated("a", "c")
    const events = (decision: Protocol.Decision, owner: string) =>
      decision.changes.flatMap((change) => Journal.eventsOf(change, owner)).map((event) => event.type)
    run(world, "a", { _tag: "Start", taskId: c })
    stop(world, "c")
    assert.deepStrictEqual(events(run(world, "a", { _tag: "Restart", taskId: p, child: c, to: id("n") }), "a"), [
      "task.created",
      "delegation.started",
      "delegation.collected",
      "task.status"
    ])
    const taken = run(world, "b", { _tag: "TakeOver", taskId: p }).changes.flatMap((one) => Journal.eventsOf(one, "b"))
    assert.include(taken[0], { type: "task.status", command: "TakeOver", owner: "b", attempt: 2 })
    assert.deepStrictEqual(events(run(world, "a", { _tag: "Delete", taskId: c, subtasks: "keep" }), "a"), [
      "task.deleted"
    ])
  })

  it("are none for a record that is removed", () => {
    const change: Protocol.Change = { command: "Remove", before: created, after: undefined, lease: "release" }
    assert.deepStrictEqual(Journal.eventsOf(change, "a"), [])
  })
})

describe("the projection to the older shape", () => {
  const link = { awaitingChildId: c, delegatedToId: c }
  const base = { childIds: [], rootTaskId: id("t") }
  const report: TaskRecord.Collected = { callId: "x", outcome: "succeeded", summary: "s1", at: 4, deliveredBy: "call" }

  it("shows created and ready as active, and what is interrupted while it waits as delegated", () => {
    const ready: TaskRecord.Interrupted = { ...interrupted, interruption: { reason: "ready", from: "delegated" } }
    assert.deepStrictEqual(Projection.project(created), { status: "active", ...base })
    assert.deepStrictEqual(Projection.project(active), { status: "active", ...base })
    assert.deepStrictEqual(Projection.project(ready), { status: "active", ...base })
    assert.deepStrictEqual(Projection.project(interrupted), { status: "interrupted", ...base })
    assert.deepStrictEqual(Projection.project(completed), {
      status: "completed",
      ...base,
      completionResultSummary: "done"
    })
    const waiting = { status: "delegated" as const, ...base, childIds: [c], ...link }
    assert.deepStrictEqual(Projection.project(records.delegated), waiting)
    assert.deepStrictEqual(Projection.project(interruptedWaiting), waiting)
  })

  it("names the oldest child awaited in the foreground, and the last that reported", () => {
    const record: TaskRecord.Delegated = {
      ...records.delegated,
      lineage: { parentId: id("q"), rootId: id("q"), depth: 1 },
      awaiting: { ...records.open, [id("e")]: { callId: "e", since: 2, wait: "foreground" }, ...background },
      collected: { [id("x")]: report, [id("y")]: { ...report, at: 3, summary: "s2" } }
    }
    assert.deepStrictEqual(Projection.project(record), {
      status: "delegated",
      awaitingChildId: id("e"),
      delegatedToId: id("e"),
      childIds: [id("x"), id("y"), id("e"), c, id("b")],
      completedByChildId: id("x"),
      completionResultSummary: "s1",
      parentTaskId: id("q"),
      rootTaskId: id("q")
    })
  })

  it("does not show a background child as a link", () => {
    const projection = Projection.project({ ...active, awaiting: background })
    assert.deepStrictEqual(projection, { status: "active", ...base, childIds: [id("b")] })
  })
})

describe("invariants", () => {
  const check = (world: World) =>
    Invariant.violations({ tasks: world.tasks, leases: world.leases, alive: (owner) => !world.dead.has(owner) })
  const broken = (change: (world: World) => void) => {
    const world = delegated("a", "c")
    assert.deepStrictEqual(check(world), [])
    change(world)
    return [...new Set(check(world).map(({ invariant }) => invariant))].toSorted((x, y) => x - y)
  }
  const parent = (world: World) => get(world, "p") as TaskRecord.Delegated
  const report: TaskRecord.Collected = { callId: "x", outcome: "succeeded", summary: "", at: 1, deliveredBy: "call" }

  it("name what is wrong", () => {
    const set = (record: TaskRecord.TaskRecord) => (world: World) => world.tasks.set(record.id, record)
    assert.deepStrictEqual(
      broken((world) => set({ ...parent(world), awaiting: {} })(world)),
      [1, 13]
    )
    assert.deepStrictEqual(
      broken((world) => set({ ...parent(world), status: "active" })(world)),
      [1]
    )
    assert.deepStrictEqual(
      broken((world) => set({ ...parent(world), collected: { [c]: report } })(world)),
      [3, 10]
    )
    assert.deepStrictEqual(
      broken((world) => set({ ...created, id: c })(world)),
      [4, 13]
    )
    assert.deepStrictEqual(
      broken((world) => world.tasks.delete(c)),
      [5, 13]
    )
    assert.deepStrictEqual(
      broken((world) => finish(world, "a", "c")),
      [5, 13]
    )
    assert.deepStrictEqual(
      broken((world) => kill(world, "a")),
      []
    )
    assert.deepStrictEqual(
      broken((world) => world.leases.set(p, { taskId: p, ownerId: "a", attempt: 7, takenAt: 0 })),
      [6]
    )
    assert.deepStrictEqual(
      broken((world) => world.leases.set(c, { taskId: c, ownerId: "a", attempt: 0, takenAt: 0 })),
      [6]
    )
    assert.deepStrictEqual(
      broken((world) => {
        run(world, "a", { _tag: "Start", taskId: c })
        kill(world, "a")
      }),
      [6]
    )
    const lineage = { rootId: p, depth: 1 }
    assert.deepStrictEqual(
      broken((world) => set({ ...parent(world), lineage: { ...lineage, parentId: c } })(world)),
      [7]
    )
    assert.deepStrictEqual(
      broken((world) => set({ ...get(world, "c"), lineage: { parentId: p, rootId: p, depth: 3 } })(world)),
      [7]
    )
  })

  it("of one write forbid another lineage, a lower attempt and a change of what is completed", () => {
    const numbers = (before: TaskRecord.TaskRecord, after: TaskRecord.TaskRecord) =>
      Invariant.between(before, after).map(({ invariant }) => invariant)
    assert.deepStrictEqual(numbers(active, { ...active, rev: 8, attempt: 3 }), [])
    assert.deepStrictEqual(numbers(active, { ...active, rev: 8, lineage: { rootId: p, depth: 0 } }), [7])
    assert.deepStrictEqual(numbers(active, { ...active, rev: 8, attempt: 1 }), [6])
    assert.deepStrictEqual(numbers(completed, { ...completed, rev: 8, result: "other" }), [8])
    assert.deepStrictEqual(numbers(active, { ...active, attempt: 3 }), [8])
  })
})
