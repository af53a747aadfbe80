import { type Event, TaskHistory } from "@belay/history-store"
import { type Protocol, TaskRecord } from "@belay/task-state"
import { Replay } from "@belay/task-state/unstable"
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { layerMemory } from "./history.ts"
import { commit, describeStep, eventsOf, id, lifecycle, limits } from "./scenario.ts"

/** The record that the lifecycle events of a task tell. */
const told = (
  record: TaskRecord.TaskRecord,
  events: ReadonlyArray<Event.StoredEvent>,
  tasks: ReadonlyMap<string, TaskRecord.TaskRecord>
) => {
  const { createdBy, id: taskId, lineage } = record
  const types = new Set(["task.status", "task.completed", "delegation.started", "delegation.collected"])
  const lifecycleEvents = events.filter((event): event is Replay.Entry & Event.StoredEvent => types.has(event.type))
  return Replay.replay({ id: taskId, lineage, createdBy }, lifecycleEvents, (child) => tasks.get(child))
}

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
        const after = (yield* history.list({ limit: 99 })).rows
        const tasks = new Map(after.map(({ record }) => [record.id as string, record]))
        for (const { lastSeq, record } of after) {
          const events = yield* eventsOf(record.id)
          reached.add(record.status)
          assert.deepStrictEqual(told(record, events, tasks), record)
          const changes = events.filter((event) => event.type === "task.status")
          const gap = changes.length < 2 ? -1 : events.findIndex((event) => event.type === "task.status")
          if (gap !== -1) assert.isUndefined(told(record, events.toSpliced(gap, 1), tasks))
          assert.deepStrictEqual(
            events.map((event) => event.seq),
            Array.from({ length: lastSeq }, (_, index) => index + 1)
          )
        }
      }
    }).pipe(Effect.provide(layerMemory)),
  { arbitrary: { runs: 60 } }
)

it("and every status is among them", () => {
  assert.deepStrictEqual([...reached].toSorted(), [...TaskRecord.Status.literals].toSorted())
})
