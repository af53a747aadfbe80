/**
 * Requests to the process that owns a task: how one program stops, tells or answers what another one runs.
 *
 * A request is stored once by its id and names the attempt that it is meant for; the owner carries it out and marks it in
 * the same commit, or says there why nothing changed. One for an attempt that is over is never carried out, except a
 * message: what the user said is queued until a runner reads it, whichever attempt that is.
 */
import type { Message, Origin } from "@belay/message-state"
import type { TaskId } from "@belay/task-state"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Mode } from "./Event.ts"
import type { HistoryError } from "./HistoryError.ts"

/** What comes with words. */
interface Attached {
  readonly attached?: ReadonlyArray<Message.Attachment>
}

/** Describes what is asked for. */
export type RequestBody =
  | { readonly kind: "interrupt" }
  /** Delivered at the next turn boundary. */
  | ({ readonly kind: "message"; readonly text: string } & Attached)
  /** Answers one open ask. */
  | ({
      readonly kind: "answer"
      readonly askId: string
      readonly decision?: "allow" | "deny"
      readonly text?: string
      /** Allows more than this call, where the ask offers it. */
      readonly grant?: "task"
      /** What the person wants in files instead of what was proposed, by resolved path. */
      readonly edited?: ReadonlyArray<{ readonly resolved: string; readonly text: string }>
    } & Attached)
  | ({ readonly kind: "mode"; readonly mode: Mode; readonly text?: string } & Attached)
  /** The task no longer waits for this subtask, which is then stopped. */
  | { readonly kind: "abandon"; readonly child: TaskId.TaskId }
  /** A new subtask `to` stands in for the stopped one; `message`: instructions in place of the old ones. */
  | {
      readonly kind: "restart"
      readonly child: TaskId.TaskId
      readonly to: TaskId.TaskId
      readonly message?: string
    }
  /** The task waits and nothing below it is at work: it is given up and deleted, and with it this very request. */
  | { readonly kind: "delete"; readonly subtasks: "delete" | "keep"; readonly forever?: true }

/** One request from a process to the process that runs a task. */
export type Request = RequestBody & {
  readonly id: string
  readonly taskId: TaskId.TaskId
  /** The attempt it is meant for; a later one ignores it, unless it is a message. */
  readonly attempt: number
  readonly by: string
}

/** Describes a request that cannot be read any more: its owner refuses it, and carries the others out. */
export type UnreadableRequest = Pick<Request, "id" | "taskId" | "attempt" | "by"> & { readonly kind: "unreadable" }

/** Describes what was said to a task and is not in its conversation yet. */
export interface Queued {
  readonly id: string
  readonly text: string
  /** Who wrote the text. */
  readonly from: Origin.Origin
  /** How many images come with it. */
  readonly images: number
  /** ms since 1970 */
  readonly at: number
}

/** A message that its sender has taken back. */
export type Withdrawn = { readonly text: string } & Attached

/** `accepted`: its owner has it and carries it out later. `refused`: nothing changed, and why in one word. */
export type Reply =
  | { readonly _tag: "accepted" }
  | { readonly _tag: "applied" }
  | { readonly _tag: "refused"; readonly why: string }

/** Carries requests between processes. A request is stored before `post` returns. */
export class Inbox extends Context.Service<
  Inbox,
  {
    readonly post: (request: Request) => Effect.Effect<void, HistoryError>
    /** The requests to tasks that this process has leased which are not yet carried out, oldest first. */
    readonly pending: Effect.Effect<ReadonlyArray<Request | UnreadableRequest>, HistoryError>
    /** What waits to be read by a task, in the order in which it was said, whoever runs it. */
    readonly queued: (id: TaskId.TaskId) => Effect.Effect<ReadonlyArray<Queued>, HistoryError>
    /**
     * Takes back what was said to a task and is not in its conversation yet: nobody reads it any more. Nothing when it is
     * there, or was taken back before. `by` names this very attempt, so that one of no known outcome can be made again.
     */
    readonly withdraw: (id: string, by: string) => Effect.Effect<Option.Option<Withdrawn>, HistoryError>
    /** What the owner said to the request of this id; nothing yet, or there is no such request. */
    readonly reply: (id: string) => Effect.Effect<Option.Option<Reply>, HistoryError>
  }
>()("@belay/history-store/Inbox") {}
