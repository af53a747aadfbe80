/** What hosts of their own compose beside a history: services that forbid more, repair less, or would allow the impossible. */
import { Ownership, type OwnershipOptions } from "@belay/history-store"
import {
  Command,
  type Protocol,
  type Reconcile,
  Reconciler,
  type TaskRecord,
  TaskStateMachine
} from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

type Machine = TaskStateMachine["Service"]

const instead = (decide: (table: Machine) => Machine["decide"]): Layer.Layer<TaskStateMachine> =>
  Layer.effect(
    TaskStateMachine,
    Effect.map(TaskStateMachine, (table) => ({ ...table, decide: decide(table) }))
  ).pipe(Layer.provide(TaskStateMachine.layer))

/** Lets no task complete, whatever the table says. */
const refusing = instead((table) => (view, request) => {
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
const lying = instead((table) => (view, request) => {
  const record = view.task(request.taskId)
  if (request._tag !== "Interrupt" || record === undefined) return table.decide(view, request)
  const { collected, lineage, createdBy, id, rev, attempt } = { collected: {}, ...record }
  const active = { status: "active", id, rev: rev + 1, attempt, lineage, createdBy, awaiting: {}, collected } as const
  return Effect.succeed(change(record, active, record.status === "delegated" ? "Collect" : "Resume"))
})

/** Leaves everything to a person. */
const patient = Layer.succeed(Reconciler, { repairs: () => Effect.succeed([]) })

const forgotten = (record: TaskRecord.TaskRecord): Reconcile.Repair => {
  const { attempt, createdBy, id, lineage, rev } = record
  const active = {
    status: "active",
    id,
    rev: rev + 1,
    attempt,
    lineage,
    createdBy,
    awaiting: {},
    collected: {}
  } as const
  const decision = change(record, active, "Collect")
  return { rule: "nothingAwaited", taskId: id, detail: "its subtasks are not wanted", decision, reads: [] }
}

/** Repairs every task that waits by forgetting its subtasks, which no history may hold. */
const forgetting = Layer.succeed(Reconciler, {
  repairs: ({ tasks }) =>
    Effect.sync(() => [...tasks.values()].filter(({ status }) => status === "delegated").map(forgotten))
})

/** Takes every other process for dead, whatever its lock says. */
const lonely = (owner: OwnershipOptions) =>
  Layer.effect(
    Ownership,
    Effect.map(Ownership, (file) => ({
      ...file,
      liveness: ({ ownerId }) => Effect.succeed({ _tag: ownerId === file.row.ownerId ? "Alive" : "Dead" })
    }))
  ).pipe(Layer.provide(Ownership.layerFile(owner)))

interface Replaced {
  readonly machine?: Layer.Layer<TaskStateMachine>
  readonly ownership?: (owner: OwnershipOptions) => Layer.Layer<Ownership>
  readonly reconciler?: Layer.Layer<Reconciler>
}

const composed =
  ({ machine, ownership, reconciler }: Replaced) =>
  (owner: OwnershipOptions) =>
    Layer.mergeAll(
      machine ?? TaskStateMachine.layer,
      (ownership ?? Ownership.layerFile)(owner),
      reconciler ?? Reconciler.layer
    )

/** By the service that is another one; the thread of a history with each is the fixture of the same name. */
export const governors = {
  refusing: composed({ machine: refusing }),
  lying: composed({ machine: lying }),
  patient: composed({ reconciler: patient }),
  forgetting: composed({ reconciler: forgetting }),
  lonely: composed({ ownership: lonely })
}
