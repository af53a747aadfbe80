/**
 * How a task that this process has is released from a subtask, or given up, because another process asked for it.
 *
 * The task, the answer of its call and the mark of the request are one commit; the task goes on with that answer at once,
 * and the old subtask is stopped wherever it runs. What a crash leaves in between is stopped by the same request again.
 */
import { FocusChain } from "@belay/focus-chain"
import { type HistoryError, type InboxRequest, TaskHistory } from "@belay/history-store"
import { Command, type TaskId, TaskRecord } from "@belay/task-state"
import { Failpoint } from "@belay/task-state/unstable"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Delegation } from "./Delegation.ts"
import { InterruptAnywhere } from "../interrupt/InterruptAnywhere.ts"
import { Journal } from "../active/Journal.ts"
import { applied } from "../active/OpenAsk.ts"
import { TaskRegistry } from "../active/Registry.ts"
import * as Restart from "./Restart.ts"
import * as Transitions from "../active/Transitions.ts"

type RequestOf<Kind extends InboxRequest["kind"]> = Extract<InboxRequest, { readonly kind: Kind }>

export type ReleaseRequest = RequestOf<"abandon" | "restart" | "delete">

export const isRelease = (request: InboxRequest): request is ReleaseRequest =>
  request.kind === "abandon" || request.kind === "restart" || request.kind === "delete"

export class Releasing extends Context.Service<
  Releasing,
  {
    /** Errors: the rule that forbids it. A subtask that completed first is collected by the task itself. */
    readonly release: (
      request: ReleaseRequest
    ) => Effect.Effect<void, Command.TransitionRejected | HistoryError.HistoryError>
  }
>()("@belay/task-engine/Releasing") {
  static readonly layer = Layer.effect(
    Releasing,
    Effect.gen(function* () {
      const delegation = yield* Delegation
      const anywhere = yield* InterruptAnywhere
      const journal = yield* Journal
      const history = yield* TaskHistory
      const registry = yield* TaskRegistry
      const files = yield* FocusChain

      const stopOld = (step: Failpoint.Step, child: TaskId.TaskId) =>
        journal.around(step, anywhere.interrupt(child, "user"))

      const launch = (id: TaskId.TaskId) => Effect.asVoid(registry.launch(id))

      const abandon = Effect.fnUntraced(function* ({ child, id, taskId }: RequestOf<"abandon">) {
        const request = { _tag: "Abandon", taskId, child } as const
        const { records } = yield* journal.commit([{ _tag: "Lifecycle", request }, ...applied(id)], {
          commit: "abandon.commit"
        })
        const running = journal.running.get(taskId)
        // A report that is no answer of a call waits for the turn boundary.
        if (running !== undefined) Transitions.mustRead(running)
        if (records.get(taskId)?.status === "active") yield* launch(taskId)
        yield* stopOld("abandon.stop", child)
      })

      const restart = Effect.fnUntraced(function* ({ child, id, message, taskId, to }: RequestOf<"restart">) {
        const row = yield* history.row(child)
        const [prompt] = yield* history.messages(child)
        if (Option.isNone(row) || prompt === undefined) {
          return yield* Command.rejected(taskId, "Restart", "absent", "NotFound")
        }
        yield* Restart.start(files, { parent: taskId, child: row.value, prompt, to }, message, (steps) =>
          journal.commit([...steps, ...applied(id)], { commit: "restart.commit" })
        )
        yield* launch(to)
        if (!registry.has(taskId)) {
          delegation.restrict(taskId, to)
          yield* launch(taskId)
        }
        yield* stopOld("restart.stop", child)
      })

      /** Its files are removed by who asked. A runner that still waits finds that the task is gone. */
      const remove = Effect.fnUntraced(function* ({ forever, subtasks, taskId }: RequestOf<"delete">) {
        const record = Option.getOrUndefined(yield* history.row(taskId))?.record
        if (record !== undefined && TaskRecord.awaitedIds(record).some(registry.has)) {
          return yield* Command.rejected(taskId, "Delete", record.status, "StopFirst")
        }
        const request = { _tag: "Delete", taskId, subtasks, ...(forever === true ? { forever } : {}) } as const
        yield* journal.commit([{ _tag: "Lifecycle", request }], { commit: "delete.commit" })
      })

      const release: Releasing["Service"]["release"] = (request) => {
        switch (request.kind) {
          case "abandon":
            return abandon(request)
          case "restart":
            return restart(request)
          case "delete":
            return remove(request)
        }
      }
      return Releasing.of({ release })
    })
  )
}
