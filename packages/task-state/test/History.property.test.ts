/** Random histories: two processes, crashes, lost runners, damaged records, and writes of runners that lost their task. */
import { Invariant, LegalDecision, Protocol, Reconcile, TaskRecord, Transition } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  commit,
  copy,
  factsOf,
  type Id,
  id,
  kill,
  limits,
  make,
  reconcile,
  round,
  viewOf,
  type World
} from "./support/World.ts"
import { decide } from "./support/decide.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Kind = Schema.Literals(["command", "crash", "loseRunner", "reconcile", "reserve", "vanish"])
/** How often each command is tried, so that the rare states are reached; `proof/Walk.ts` has all of them. */
const frequency = {
  Create: 1,
  Start: 4,
  Delegate: 8,
  Collect: 2,
  CollectUnowned: 6,
  Interrupt: 1,
  Resume: 2,
  Complete: 6
}
const commands = Object.entries(frequency).flatMap(([name, times]) =>
  Array.from({ length: times }, () => name as keyof typeof frequency)
)
const Step = Schema.Struct({
  kind: Kind,
  /** Most steps are commands, and most commands are meant for a task that the table permits them for. */
  weight: between(0, 9),
  command: between(0, commands.length - 1),
  anyTask: between(0, 4),
  slot: between(0, 1),
  pick: between(0, 999),
  n: between(1, 2),
  stale: between(0, 9)
})
type Step = typeof Step.Type
const commandOf = (step: Step) => commands[step.command] ?? "Create"

const Steps = Schema.Struct({
  steps: Schema.Array(Step).check(Schema.isMinLength(40), Schema.isMaxLength(40)),
  length: between(25, 40)
})

/** What the runs have come across, so that a generator that reaches nothing is noticed. */
const seen = { statuses: new Set<string>(), accepted: new Set<string>(), repaired: new Set<string>() }

interface Run {
  readonly world: World
  readonly slots: [string, string]
  counter: number
}

const begin = (): Run => {
  const world = make()
  for (const owner of ["o0", "o1"]) world.runners.set(owner, new Set())
  commit(world, decide(viewOf(world, "o0"), { _tag: "Create", taskId: id("t0") }), "o0")
  commit(world, decide(viewOf(world, "o0"), { _tag: "Start", taskId: id("t0") }), "o0")
  return { world, slots: ["o0", "o1"], counter: 2 }
}

const crash = (run: Run, slot: number): void => {
  kill(run.world, run.slots[slot] ?? "")
  const owner = `o${run.counter++}`
  run.slots[slot] = owner
  run.world.runners.set(owner, new Set())
}

const ownerOf = (run: Run, slot: number) => run.slots[slot] ?? "o0"

const pickOf = (run: Run, step: Step): TaskRecord.TaskRecord | undefined => {
  const command = commandOf(step)
  const all = [...run.world.tasks.values()]
  const reported = (record: TaskRecord.TaskRecord) =>
    TaskRecord.awaitedIds(record).some((child) => run.world.tasks.get(child)?.status === "completed")
  const meant = all.filter((record) => {
    if (command === "Create" || Transition.cell(command, record.status)._tag !== "to") return false
    if (command === "Collect" || command === "CollectUnowned") return reported(record)
    return command !== "Complete" || record.lineage.parentId !== undefined || step.pick % 4 === 0
  })
  const from = step.anyTask === 0 || meant.length === 0 ? all : meant
  return from[step.pick % Math.max(1, from.length)]
}

/** The request of a step; its attempt is now and then that of a runner that has lost the task. */
const requestOf = (run: Run, step: Step): Protocol.Request | undefined => {
  const { tasks } = run.world
  const command = commandOf(step)
  if (command === "Create") {
    const roots = [...tasks.values()].filter((record) => record.lineage.parentId === undefined)
    return roots.length < 2 ? { _tag: "Create", taskId: id(`t${run.counter++}`) } : undefined
  }
  const record = pickOf(run, step)
  if (record === undefined) return undefined
  const taskId = record.id
  const attempt = step.stale === 0 ? record.attempt - 1 : record.attempt
  const awaited = TaskRecord.awaitedIds(record)
  switch (command) {
    case "Delegate": {
      if (tasks.size + step.n > 9) return undefined
      const children = Array.from({ length: step.n }, () => {
        const name = `t${run.counter++}`
        return { id: id(name), callId: `call-${name}`, wait: "foreground" as const }
      })
      return { _tag: "Delegate", taskId, attempt, children, limits }
    }
    case "Collect":
      return { _tag: "Collect", taskId, attempt, children: awaited }
    case "CollectUnowned":
      return { _tag: "CollectUnowned", taskId, children: awaited }
    case "Interrupt":
      return { _tag: "Interrupt", taskId, reason: "user", ...(step.n === 1 ? {} : { attempt }) }
    case "Complete": {
      const outcome = step.n === 1 ? "succeeded" : "failed"
      return { _tag: "Complete", taskId, attempt, outcome, result: step.stale > 7 ? "" : `${taskId} is done` }
    }
    default:
      return { _tag: command, taskId }
  }
}

const heldByOther = (world: World, taskId: Id, me: string): boolean => {
  const lease = world.leases.get(taskId)
  return lease !== undefined && lease.ownerId !== me && !world.dead.has(lease.ownerId)
}

/** What an accepted request must have been entitled to, stated without the protocol. */
const entitled = (world: World, request: Protocol.Request, me: string): void => {
  const record = world.tasks.get(request.taskId)
  assert.isFalse(heldByOther(world, request.taskId, me), `${request._tag} took a task from a live process`)
  if (request._tag === "Collect" || request._tag === "Delegate" || request._tag === "Complete") {
    assert.strictEqual(world.leases.get(request.taskId)?.ownerId, me, `${request._tag} without the lease`)
    assert.strictEqual(record?.attempt, request.attempt, `${request._tag} of an old attempt`)
  }
  const parentId = request._tag === "Start" ? record?.lineage.parentId : undefined
  const parent = parentId === undefined ? undefined : world.tasks.get(parentId)
  if (parentId !== undefined) {
    assert.isTrue(
      parent !== undefined && TaskRecord.awaitedEntry(parent, request.taskId) !== undefined,
      "started a task that nobody waits for"
    )
  }
  if (request._tag === "Complete") assert.deepStrictEqual(TaskRecord.awaitedIds(record!), [], "completed over children")
}

/** What a store checks before it writes allows everything that is decided here. */
const legal = (world: World, decision: Protocol.Decision, me: string): void => {
  Result.getOrThrowWith(LegalDecision.check(viewOf(world, me), decision), (error) => error)
}

const ask = (world: World, me: string, request: Protocol.Request): boolean => {
  const decided = Protocol.decide(viewOf(world, me), request)
  if (Result.isFailure(decided) || decided.success.changes.length === 0) return false
  entitled(world, request, me)
  legal(world, decided.success, me)
  seen.accepted.add(request._tag)
  commit(world, decided.success, me)
  const again = Protocol.decide(viewOf(world, me), request)
  assert.isTrue(Result.isSuccess(again), `${request._tag} cannot be repeated`)
  if (Result.isSuccess(again)) assert.deepStrictEqual(again.success, Protocol.nothing, `${request._tag} repeated`)
  return true
}

/** A repair is only for a task that no live process is responsible for. */
const checkRepairs = (world: World, found: ReadonlyArray<Reconcile.Repair>, me: string): void => {
  for (const { decision, rule, taskId } of found) {
    seen.repaired.add(rule)
    // recordMissing puts back a record, which is no step.
    if (rule !== "recordMissing") legal(world, decision, me)
    const lease = world.leases.get(taskId)
    const record = world.tasks.get(taskId)
    const abandoned = lease?.ownerId === me && world.runners.get(me)?.has(taskId) !== true
    const free = lease === undefined || world.dead.has(lease.ownerId) || abandoned
    assert.isTrue(free, `${rule} acted on a task of a live process`)
    if (record?.status === "created")
      assert.isTrue(world.dead.has(record.createdBy), `${rule} on a live creator's task`)
  }
}

const perform = (run: Run, step: Step): void => {
  const { world } = run
  const me = ownerOf(run, step.slot)
  const picked = [...world.tasks.values()][step.pick % Math.max(1, world.tasks.size)]
  switch (step.weight < 7 ? "command" : step.kind) {
    case "crash":
      return crash(run, step.slot)
    case "loseRunner":
      if (picked !== undefined) world.runners.get(me)?.delete(picked.id)
      return
    case "reconcile": {
      checkRepairs(world, Reconcile.repairs(factsOf(world, me)), me)
      round(world, me)
      return
    }
    case "reserve": {
      if (picked === undefined || world.tasks.size > 8) return
      const taskId = id(`t${run.counter++}`)
      const { depth, rootId } = picked.lineage
      const lineage = { parentId: picked.id, rootId, depth: depth + 1, originCallId: "reserved" }
      world.tasks.set(taskId, { status: "created", id: taskId, rev: 1, attempt: 0, lineage, createdBy: me })
      return
    }
    case "vanish": {
      const leaf = picked?.lineage.parentId !== undefined && picked.status !== "completed"
      const inUse = [...world.tasks.values()].some((task) => task.lineage.parentId === picked?.id)
      if (picked === undefined || !leaf || inUse) return
      world.tasks.delete(picked.id)
      world.leases.delete(picked.id)
      for (const tasks of world.runners.values()) tasks.delete(picked.id)
      return
    }
    default: {
      const request = requestOf(run, step)
      const holder = request === undefined ? undefined : world.leases.get(request.taskId)?.ownerId
      const byHolder = step.anyTask > 1 && holder !== undefined && !world.dead.has(holder)
      if (request !== undefined) ask(world, byHolder ? holder : me, request)
    }
  }
}

const history = (world: World): Invariant.History => ({
  tasks: world.tasks,
  leases: world.leases,
  alive: (owner) => !world.dead.has(owner)
})

/** Reconciled, and every live runner has collected what has been reported. */
const atRest = (run: Run): World => {
  const world = copy(run.world)
  reconcile(world, run.slots)
  for (const { ownerId, taskId } of world.leases.values()) {
    const record = world.tasks.get(taskId)
    if (record === undefined || world.dead.has(ownerId)) continue
    const gone = TaskRecord.awaitedIds(record).some((child) => !world.tasks.has(child))
    if (gone) ask(world, ownerId, { _tag: "Interrupt", taskId, reason: "host" })
    else {
      const children = TaskRecord.awaitedIds(record)
      ask(world, ownerId, { _tag: "Collect", taskId, attempt: record.attempt, children })
    }
  }
  reconcile(world, run.slots)
  return world
}

const checkSettlements = (world: World): void => {
  const keys = world.settled.map((entry) => `${entry.taskId} ${entry.callId} ${entry.childId}`)
  assert.strictEqual(new Set(keys).size, keys.length, "a report was settled twice")
  for (const record of world.tasks.values()) {
    const parent = record.lineage.parentId === undefined ? undefined : world.tasks.get(record.lineage.parentId)
    if (parent !== undefined && record.lineage.originCallId !== "reserved") {
      const edge = TaskRecord.awaitedEntry(parent, record.id) ?? TaskRecord.collectedEntry(parent, record.id)
      assert.strictEqual(edge?.callId, record.lineage.originCallId, "a parent no longer knows its child")
    }
    for (const child of TaskRecord.collectedIds(record)) {
      const entry = TaskRecord.collectedEntry(record, child)
      const settled = world.settled.filter(({ childId, taskId }) => taskId === record.id && childId === child)
      assert.deepStrictEqual(
        settled.map(({ callId, outcome, summary }) => ({ callId, outcome, summary })),
        [{ callId: entry?.callId, outcome: entry?.outcome, summary: entry?.summary }],
        "collected, but not settled once with the same report"
      )
      const reported = world.tasks.get(child)
      if (reported?.status === "completed") assert.strictEqual(entry?.outcome, reported.outcome, "a result was lost")
    }
  }
}

const checkStep = (before: World, after: World): void => {
  for (const [taskId, was] of before.tasks) {
    const is = after.tasks.get(taskId)
    if (is === undefined) {
      assert.notStrictEqual(was.status, "completed", "a completed record was removed")
      continue
    }
    assert.isAtLeast(is.attempt, was.attempt, "an attempt fell")
    assert.deepStrictEqual(is.lineage, was.lineage, "lineage changed")
    if (was.status === "completed") assert.deepStrictEqual(is, was, "a completed record changed")
    assert.deepStrictEqual(Invariant.between(was, is), [])
  }
}

/** Completes a task by start, resume, complete and collect alone. */
const drive = (world: World, me: string, taskId: Id, fuel = 60): void => {
  const record = world.tasks.get(taskId)
  if (record === undefined || record.status === "completed") return
  assert.isAbove(fuel, 0, `${taskId} makes no progress: ${record.status}`)
  const mine = world.leases.get(taskId)?.ownerId === me
  const awaited = TaskRecord.awaitedIds(record)
  if (record.status === "created") ask(world, me, { _tag: "Start", taskId })
  else if (record.status === "interrupted" || !mine) ask(world, me, { _tag: "Resume", taskId })
  else if (awaited.length > 0) {
    for (const child of awaited) drive(world, me, child, fuel - 1)
    ask(world, me, { _tag: "Collect", taskId, attempt: record.attempt, children: awaited })
  } else ask(world, me, { _tag: "Complete", taskId, attempt: record.attempt, outcome: "succeeded", result: "end" })
  drive(world, me, taskId, fuel - 1)
}

describe("random histories", () => {
  it.effect.prop(
    "keep every invariant, lose no report and can always be completed",
    [Steps],
    ([{ length, steps: all }]) =>
      Effect.gen(function* () {
        const run = begin()
        const steps = all.slice(0, length)
        for (const step of steps) {
          const before = copy(run.world)
          perform(run, step)
          checkStep(before, run.world)
          checkSettlements(run.world)
          const rest = atRest(run)
          checkStep(run.world, rest)
          checkSettlements(rest)
          assert.deepStrictEqual(Invariant.violations(history(rest)), [])
        }
        for (const record of run.world.tasks.values()) {
          seen.statuses.add(record.status)
          assert.deepStrictEqual(yield* TaskRecord.decode(TaskRecord.encode(record)), record)
        }
        crash(run, 0)
        crash(run, 1)
        const me = ownerOf(run, 0)
        const absent = [...run.world.tasks.values()].some((record) =>
          TaskRecord.awaitedIds(record).some((child) => !run.world.tasks.has(child))
        )
        if (absent || steps.length % 2 === 0) reconcile(run.world, run.slots)
        for (const record of run.world.tasks.values()) {
          if (record.lineage.parentId !== undefined) continue
          drive(run.world, me, record.id)
          assert.strictEqual(run.world.tasks.get(record.id)?.status, "completed")
        }
        checkSettlements(run.world)
      }),
    // It computes and waits for nothing: a busy machine takes its time.
    { arbitrary: { runs: 600 }, timeout: 0 }
  )

  it("reach every status, command and repair", () => {
    assert.deepStrictEqual([...seen.statuses].toSorted(), [...TaskRecord.Status.literals].toSorted())
    assert.deepStrictEqual([...seen.accepted].toSorted(), Object.keys(frequency).toSorted())
    assert.deepStrictEqual([...seen.repaired].toSorted(), [
      "childCompleted",
      "childLost",
      "childNotStarted",
      "creatorGone",
      "neverDelegated",
      "ownerGone",
      "runnerGone"
    ])
  })

  it.prop(
    "reconcile to the same state in whatever order records and repairs come, once and for all",
    [Steps, between(0, 1000)],
    ([{ length, steps: all }, seed]) => {
      const run = begin()
      const steps = all.slice(0, length)
      for (const step of steps) perform(run, step)
      crash(run, 0)
      const me = ownerOf(run, 1)
      const facts = factsOf(run.world, me)
      const order = (text: string) =>
        (text.split("").reduce((sum, unit) => sum * 31 + unit.charCodeAt(0), seed) * 7919) % 101
      const shuffled = new Map([...facts.tasks].toSorted(([a], [b]) => order(a) - order(b)))
      assert.deepStrictEqual(Reconcile.repairs({ ...facts, tasks: shuffled }), Reconcile.repairs(facts))
      checkRepairs(run.world, Reconcile.repairs(facts), me)
      const [one, two] = [copy(run.world), copy(run.world)]
      reconcile(one, run.slots)
      reconcile(two, run.slots.toReversed(), (list) => list.toReversed())
      const stored = (world: World) =>
        [...world.tasks.values()]
          .map((record) => JSON.stringify({ ...record, rev: 0, collected: Object.keys(TaskRecord.collected(record)) }))
          .toSorted()
      assert.deepStrictEqual(stored(one), stored(two))
      assert.deepStrictEqual(Reconcile.repairs(factsOf(one, me)), [])
      return true
    },
    { arbitrary: { runs: 500 } }
  )
})
