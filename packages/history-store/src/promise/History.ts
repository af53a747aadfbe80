/** What a program without Effect sees of a history, as types alone. */
import type { ContentBlock } from "@belay/message-state/blocks"
import type { TaskRecord, TaskStatus } from "@belay/task-state/promise"
import type { StoredTaskEvent, TaskMode } from "./TaskEvent.ts"

/** Ends what is under way; what was asked for rejects with the reason of the signal. */
export interface Abortable {
  readonly signal?: AbortSignal | undefined
}

/** One task as lists show it. Times are ms since 1970. */
export interface TaskRow {
  readonly id: string
  readonly title: string
  readonly workspace: string
  readonly mode: TaskMode
  readonly model: string
  /** The kind of program that ran it last. */
  readonly host: string
  readonly record: TaskRecord
  readonly createdAt: number
  readonly updatedAt: number
  readonly messageCount: number
  readonly openAsks: number
  readonly usage: {
    readonly inputTokens: number
    readonly outputTokens: number
    readonly cacheReadTokens: number
    readonly cacheWriteTokens: number
    readonly requests: number
    /** US dollars; `null` where a price is not known. */
    readonly costUsd: number | null
  }
}

/** One message of a conversation; `index` counts from 0. */
export interface TaskMessage {
  readonly index: number
  readonly role: "user" | "assistant"
  readonly content: ReadonlyArray<ContentBlock>
}

/** Asks for tasks, the last changed first. */
export interface TaskQuery extends Abortable {
  readonly status?: TaskStatus
  readonly workspace?: string
  /** ms since 1970 */
  readonly since?: number
  readonly rootsOnly?: boolean
}

/** A task that changed; `lastSeq` is that of its newest event. */
export interface TaskChange {
  readonly id: string
  readonly parentId: string | null
  readonly rootId: string
  readonly lastSeq: number
  readonly deleted: boolean
}

/** A history that is open. Every method rejects with `HistoryError` where it cannot be read. */
export interface History extends AsyncDisposable {
  readonly task: (id: string) => Promise<TaskRow | undefined>
  /** All tasks that fit, read page by page. */
  readonly tasks: (query?: TaskQuery) => AsyncIterable<TaskRow>
  readonly messages: (id: string) => Promise<ReadonlyArray<TaskMessage>>
  /** The events of a task from a `seq` on. */
  readonly events: (id: string, from?: number) => AsyncIterable<StoredTaskEvent>
  /** Words and filters, as `is:open in:api parser`; the best first. */
  readonly search: (text: string, options?: { readonly limit?: number }) => Promise<ReadonlyArray<TaskRow>>
  /** The tasks that change from now on, whoever changes them; some are told that did not. */
  readonly changes: (options?: Abortable) => AsyncIterable<TaskChange>
  readonly close: () => Promise<void>
}
