/**
 * The authority over the lifecycle of tasks, as a service: it decides and never stores.
 *
 * Every store asks the one that its host composes, inside the transaction that writes the answer, and checks the answer
 * with `LegalDecision` before it does. So a host can forbid more than the table does, and none can allow more. Methods
 * must do no I/O: the database is locked meanwhile. Each method of `layer` is the plain function of the same name;
 * `Command` and `Protocol` can be used without Effect.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Command from "./Command.ts"
import * as Protocol from "./Protocol.ts"
import type * as TaskRecord from "./TaskRecord.ts"
import type * as Transition from "./Transition.ts"

const transition = <S extends TaskRecord.Status, C extends Command.PermittedCommand<S>>(
  record: TaskRecord.InStatus<S>,
  command: C
): Effect.Effect<TaskRecord.InStatus<Transition.After<C["_tag"], S>>, Command.TransitionRejected> =>
  Effect.suspend(() => Effect.fromResult(Command.transition<S, C>(record, command)))

/** Decides requests for a store. Replace the service to forbid more than the table does. */
export class TaskStateMachine extends Context.Service<
  TaskStateMachine,
  {
    /** The record after a command; a command that the table forbids in a known status does not compile. */
    readonly transition: typeof transition
    /** Everything that one request changes, or the rule that forbids it. */
    readonly decide: (
      view: Protocol.View,
      request: Protocol.Request
    ) => Effect.Effect<Protocol.Decision, Command.TransitionRejected>
  }
>()("@belay/task-state/TaskStateMachine") {
  static readonly layer: Layer.Layer<TaskStateMachine> = Layer.succeed(TaskStateMachine, {
    transition,
    decide: (view, request) => Effect.suspend(() => Effect.fromResult(Protocol.decide(view, request)))
  })
}
