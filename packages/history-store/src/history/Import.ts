/**
 * Tasks of other programs, as they are taken into the history: whole, at rest, and once.
 *
 * A task of a source is known by the folder and the id that it had there, so the same task is not taken a second time,
 * also after it was deleted here.
 */
import type { ContextEdit, Message, Usage } from "@belay/message-state"
import type { TaskId, TaskRecord } from "@belay/task-state"
import type { CallResult, TaskMeta } from "./Step.ts"

/** Says where a task came from. */
export interface Source {
  /** The program that made it, such as "roo". */
  readonly agent: string
  /** The folder of its tasks, resolved. */
  readonly root: string
  /** Its id there. */
  readonly id: string
  /** Of what was read: SHA-256, hexadecimal. */
  readonly digest: string
}

/** A task that was taken over. */
export interface Known extends Source {
  readonly taskId: TaskId.TaskId
  /** What its program stored about it, as it was, in JSON. */
  readonly original: string
}

/** A message of its log, or what a model call cost. */
export type Entry =
  | {
      /** ms since 1970 */
      readonly at: number
      readonly message: Message.Message
      /** Of a turn whose calls are not all settled: the results that it has. */
      readonly results?: ReadonlyArray<CallResult>
      /** Of such a turn: the calls that were asked for and did not begin. All others had begun. */
      readonly requested?: ReadonlyArray<string>
    }
  | {
      readonly at: number
      readonly usage: Usage.Usage
      readonly model: string
      readonly costUsd: number | null
    }

/** One task of another program, ready to be stored. */
export interface Task {
  readonly source: Source
  /** Its id is free. Nobody has a lease on it. */
  readonly record: TaskRecord.TaskRecord
  readonly meta: TaskMeta
  /** ms since 1970 */
  readonly createdAt: number
  readonly updatedAt: number
  /** In order; the first message is what was asked for. A call has its result in the next message, if it has one. */
  readonly log: ReadonlyArray<Entry>
  /** What the model is not shown of it. */
  readonly edits?: ReadonlyArray<ContextEdit.Draft>
  /** What was said and not yet heard, because a call is open. */
  readonly said?: ReadonlyArray<{ readonly text: string; readonly attached?: ReadonlyArray<Message.Attachment> }>
  /** What the program stored about it, as it was, in JSON. */
  readonly original: string
  /** It takes the place of what was taken over before, where nobody has worked with that since. */
  readonly again?: true
}
