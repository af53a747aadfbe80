/**
 * What happened to a task, in order, as types alone: the events of the journal without a library.
 *
 * `seq` counts from 1 without gaps in each task; `ts` is in ms since 1970.
 */
import type { ContentBlock, ToolResultBlock } from "@belay/message-state/blocks"
import type { TaskOutcome, TaskStatus, InterruptReason } from "@belay/task-state/promise"

/** The mode of a task: it plans, or it acts. */
export type TaskMode = "plan" | "act"

/** Says what an ask waits for. */
export type AskKind = "approval" | "question" | "plan" | "completion" | "budget" | "mistakes" | "context"

/** Says what an answer may allow: this call, all of its kind for the task, or always in a folder. */
export interface GrantOffer {
  readonly scope: "once" | "task" | "always"
  readonly allowed: boolean
  /** What would be kept, in words. */
  readonly rules: ReadonlyArray<string>
  readonly folder?: string
  readonly reason?: string
}

/** A file that an approval is asked for; lines. */
export interface EditSummary {
  readonly path: string
  readonly resolved: string
  readonly exists: boolean
  readonly deletes?: true
  readonly added: number
  readonly removed: number
  readonly hidden?: string
}

/** Says what is asked, and why. */
export interface AskBody {
  readonly askId: string
  readonly kind: AskKind
  readonly callId?: string
  readonly question?: string
  readonly options?: ReadonlyArray<string>
  /** The rule of the policy that asks, and why. */
  readonly rule?: string
  readonly reason?: string
  readonly resolved?: unknown
  readonly edits?: ReadonlyArray<EditSummary>
  readonly grants: ReadonlyArray<GrantOffer>
}

/** One item of a checklist. */
export interface ChecklistItem {
  readonly id: string
  readonly text: string
  readonly state: "open" | "doing" | "done"
}

/** Tells one change of a task; `type` says which. */
export type TaskEventBody =
  | {
      readonly type: "task.created"
      readonly parentId?: string
      readonly rootId: string
      readonly prompt: string
      readonly mode: TaskMode
    }
  | {
      readonly type: "task.status"
      readonly from: TaskStatus | null
      readonly to: TaskStatus
      readonly command: string
      readonly attempt: number
      readonly reason?: InterruptReason
    }
  | {
      readonly type: "delegation.started"
      readonly children: ReadonlyArray<{
        readonly taskId: string
        readonly callId: string
        readonly background: boolean
      }>
    }
  | {
      readonly type: "delegation.collected"
      readonly childId: string
      readonly callId: string
      readonly outcome: string
    }
  | { readonly type: "task.completed"; readonly outcome: TaskOutcome; readonly result: string }
  | { readonly type: "task.deleted" | "task.undeleted"; readonly by: string }
  | {
      readonly type: "message"
      readonly index: number
      readonly role: "user" | "assistant"
      readonly content: ReadonlyArray<ContentBlock>
      /** Who wrote each block; absent of answers. */
      readonly from?: ReadonlyArray<string>
    }
  | { readonly type: "tool.requested"; readonly callId: string; readonly name: string; readonly args: unknown }
  | {
      readonly type: "tool.started"
      readonly callId: string
      readonly name: string
      readonly rule?: string
      readonly askId?: string
      readonly sandbox?: "confined" | "unavailable" | "off" | "approved"
    }
  | {
      readonly type: "tool.finished"
      readonly callId: string
      readonly name: string
      readonly isError: boolean
      readonly result: ToolResultBlock["content"]
      readonly state: "requested" | "approved" | "started" | "finished" | "unknown"
      readonly outcome?: "denied" | "timedOut" | "stopped"
      readonly rule?: string
      readonly ms?: number
    }
  | ({ readonly type: "ask" } & AskBody)
  | {
      readonly type: "ask.settled"
      readonly askId: string
      readonly decision?: "allow" | "deny"
      readonly text?: string
      readonly grant?: "task" | "always"
      readonly by: string
    }
  | {
      readonly type: "focus-chain.updated"
      readonly total: number
      readonly done: number
      readonly items: ReadonlyArray<ChecklistItem>
      readonly by: "model" | "user"
    }
  | { readonly type: "mode.changed"; readonly from: TaskMode; readonly to: TaskMode; readonly by: "user" | "model" }
  | { readonly type: "planning.changed"; readonly from: string | null; readonly to: string }
  | {
      readonly type: "usage"
      readonly model: string
      /** US dollars; `null` where the price is not known. */
      readonly costUsd: number | null
      readonly contextTokens: number
      readonly inputTokens: number
      readonly outputTokens: number
      readonly cacheReadTokens: number
      readonly cacheWriteTokens: number
    }
  | {
      readonly type: "context.condensed"
      readonly step: "reads" | "outputs" | "summary" | "cut"
      readonly before: number
      readonly after: number
      readonly removed: number
    }
  | { readonly type: "conversation.cut"; readonly edit: number; readonly from: number; readonly to: number }
  | { readonly type: "conversation.uncut"; readonly edit: number }
  | { readonly type: "checkpoint"; readonly id: string; readonly files: number; readonly messageIndex: number }
  | { readonly type: "time.skipped"; readonly ms: number }
  | { readonly type: "task.renamed"; readonly title: string }
  | { readonly type: "repaired"; readonly rule: string; readonly detail: string }
  | { readonly type: "error"; readonly tag: string; readonly message: string; readonly retryInMs?: number }

/** One stored event of a task. */
export type StoredTaskEvent = TaskEventBody & { readonly taskId: string; readonly seq: number; readonly ts: number }
