/** State machines of hosts that are not the table's: one forbids more, one would allow the impossible. */
import { Command, type Protocol, type TaskRecord, TaskStateMachine } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

type Machine = TaskStateMachine["Service"]

const instead = (decide: (table: Machine) => Machine["decide"]): Layer.Layer<TaskStateMachine> =>
  Layer.effect(
    TaskStateMachine,
    Effect.map(TaskStateMachine, (table) => ({ ...table, decide: decide(table) }))
  ).pipe(Layer.provide(TaskStateMachine.layer))

/** Lets no task complete, whatever the table says. */
export const refusing = instead((table) => (view, request) => {
  if (request._tag !== "Complete") return table.decide(view, request)
  const status = view.task(request.taskId)?.status ?? "absent"
  return Effect.fail(Command.rejected(request.taskId, request._tag, status, "Changed"))
})

const change = (
  before: TaskRecord.TaskRecord,
  after: TaskRecord.TaskRecord,
  command: Protocol.Change["command"]
): Protocol.Decision => ({ changes: [{ command, before, after, lease: "keep" }], settlements: [] })

/** Answers every request to stop with a step that no history may hold: it forgets the subtasks, or wakes the dead. */
export const lying = instead((table) => (view, request) => {
  const record = view.task(request.taskId)
  if (request._tag !== "Interrupt" || record === undefined) return table.decide(view, request)
  const { collected, lineage, createdBy, id, rev, attempt } = { collected: {}, ...record }
  const active = { status: "active", id, rev: rev + 1, attempt, lineage, createdBy, awaiting: {}, collected } as const
  return Effect.succeed(change(record, active, record.status === "delegated" ? "Collect" : "Resume"))
})
