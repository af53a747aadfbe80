import { type Event, layerMemory, TaskHistory } from "@belay/history-store"
import type { Protocol } from "@belay/task-state"
import { TaskRecord } from "@belay/task-state"
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { commit, describeStep, eventsOf, id, lifecycle, limits } from "./scenario.ts"

/** What the lifecycle events of a task say about its record. */
interface Replayed {
  status: string
  attempt: number
  rev: number
  reason: string | undefined
  outcome: string | undefined
  result: string | undefined
  awaiting: Record<string, string>
  collected: Record<string, string>
}

const replay = (events: ReadonlyArray<Event.StoredEvent>): Replayed => {
  const state: Replayed = {
    status: "absent",
    attempt: 0,
    rev: 0,
    reason: undefined,
    outcome: undefined,
    result: undefined,
    awaiting: {},
    collected: {}
  }
  for (const event of events) {
    switch (event.type) {
      case "task.created":
        Object.assign(state, { status: "created", rev: 1 })
        break
      case "delegation.started":
        for (const child of event.children) state.awaiting[child.taskId] = child.callId
        break
      case "delegation.collected":
        delete state.awaiting[event.childId]
        state.collected[event.childId] = event.outcome
        break
      case "task.status": {
        assert.strictEqual(event.from, state.status as never, "a change that nothing led to")
        const { attempt, reason, rev, to } = event
        Object.assign(state, { status: to, attempt, rev })
        if (to !== "interrupted" || reason !== undefined) state.reason = reason
        break
      }
      case "task.completed":
        Object.assign(state, { outcome: event.outcome, result: event.result })
        break
      default:
    }
  }
  return state
}

const stateOf = (record: TaskRecord.TaskRecord): Replayed => ({
  status: record.status,
  attempt: record.attempt,
  rev: record.rev,
  reason: record.status === "interrupted" ? record.interruption.reason : undefined,
  outcome: record.status === "completed" ? record.outcome : undefined,
  result: record.status === "completed" ? record.result : undefined,
  awaiting: Object.fromEntries(
    Object.entries(TaskRecord.awaiting(record)).map(([child, entry]) => [child, entry.callId])
  ),
  collected: Object.fromEntries(
    Object.entries(TaskRecord.collected(record)).map(([child, entry]) => [child, entry.outcome])
  )
})

const commands = [
  "Create",
  "Start",
  "Start",
  "Start",
  "Delegate",
  "Delegate",
  "Collect",
  "Collect",
  "CollectUnowned",
  "Interrupt",
  "Resume",
  "Complete",
  "Complete",
  "Reconcile"
] as const

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Steps = Schema.Array(
  Schema.Struct({
    command: between(0, commands.length - 1),
    pick: between(0, 99),
    stale: between(0, 9),
    n: between(1, 2)
  })
).check(Schema.isMinLength(20), Schema.isMaxLength(40))

const requestOf = (
  step: (typeof Steps.Type)[number],
  record: TaskRecord.TaskRecord,
  counter: number
): Protocol.Request => {
  const tag = commands[step.command] ?? "Start"
  const { id: taskId } = record
  const attempt = step.stale === 0 ? record.attempt - 1 : record.attempt
  const children = TaskRecord.awaitedIds(record)
  switch (tag) {
    case "Delegate": {
      const names = Array.from({ length: step.n }, (_, index) => id(`t${counter}-${index}`))
      const wanted = names.map((name) => ({ id: name, callId: `call-${name}`, wait: "foreground" as const }))
      return { _tag: tag, taskId, attempt, limits, children: wanted }
    }
    case "Collect":
      return { _tag: tag, taskId, attempt, children }
    case "CollectUnowned":
      return { _tag: tag, taskId, children }
    case "Interrupt":
      return { _tag: tag, taskId, reason: "user" }
    case "Complete":
      return { _tag: tag, taskId, attempt, outcome: "succeeded", result: `result of ${taskId}` }
    case "Create":
    case "Reconcile":
      return { _tag: "Create", taskId: id(`t${counter}`) }
    default:
      return { _tag: tag, taskId }
  }
}

const reached = new Set<string>()

it.effect.prop(
  "every record can be told from its events alone",
  [Steps],
  ([steps]) =>
    Effect.gen(function* () {
      const history = yield* TaskHistory
      yield* commit(lifecycle({ _tag: "Create", taskId: id("t") }), describeStep("t"))
      for (const [counter, step] of steps.entries()) {
        const rows = (yield* history.list({ limit: 99 })).rows.toSorted((a, b) => (a.record.id < b.record.id ? -1 : 1))
        const picked = rows[step.pick % rows.length]
        if (picked === undefined) continue
        if (commands[step.command] === "Reconcile") {
          yield* history.reconcile(new Set(rows.filter((_, index) => index % 3 > 0).map((row) => row.record.id)))
        } else {
          const request = requestOf(step, picked.record, counter)
          const fresh = request._tag === "Delegate" ? request.children.map((child) => child.id) : []
          const made = request._tag === "Create" ? [request.taskId] : fresh
          yield* Effect.ignore(commit(lifecycle(request), made.map(describeStep)))
        }
        for (const { lastSeq, record } of (yield* history.list({ limit: 99 })).rows) {
          const events = yield* eventsOf(record.id)
          reached.add(record.status)
          assert.deepStrictEqual(replay(events), stateOf(record))
          assert.deepStrictEqual(
            events.map((event) => event.seq),
            Array.from({ length: lastSeq }, (_, index) => index + 1)
          )
        }
      }
    }).pipe(Effect.provide(layerMemory)),
  { arbitrary: { runs: 60 }, timeout: 60_000 }
)

it("and every status is among them", () => {
  assert.deepStrictEqual([...reached].toSorted(), [...TaskRecord.Status.literals].toSorted())
})
