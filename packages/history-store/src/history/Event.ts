/**
 * Durable events: what happened to a task, in order, the same for every reader.
 *
 * `seq` starts at 1 and has no gaps per task. Event rows refer to messages, calls and usage instead of repeating them;
 * readers get them whole, as below. Times are ms since 1970.
 */
import type { Message, Origin, Usage } from "@belay/message-state"
import type { Journal, TaskId } from "@belay/task-state"

/** The mode of a task. */
export type Mode = "plan" | "act"

/** Of deep planning, in order. */
export type PlanningPhase = "investigation" | "discussion" | "document" | "handOver"

/** The process that gave an answer. */
export interface Answerer {
  /** What it is, such as "cli" or "vscode", the machine, and the process there. */
  readonly kind: string
  readonly host: string
  readonly pid: number
  /** When the process began; ms since 1970. */
  readonly startedAt: number
}

/** The state of a tool call. `unknown` is final: the call started, and nobody knows whether it finished. */
export type CallState = "requested" | "approved" | "started" | "finished" | "unknown"

/** Says how a call ended, where that is more than success or an error. Results of older histories say nothing of it. */
export type CallEnd = {
  /** It was not run; it was ended when its time was up; it was ended with its task. */
  readonly outcome?: "denied" | "timedOut" | "stopped"
  /** Of a denied call: the rule that denied it, or that asked. */
  readonly rule?: string
  /** How long it ran, in milliseconds, without what it waited for before. */
  readonly ms?: number
}

/** Says what an ask waits for. */
export type AskKind = "approval" | "question" | "plan" | "completion" | "budget" | "mistakes" | "context"

/** A file that an approval is asked for, in few words; the contents are not stored. */
export interface EditSummary {
  /** As the model wrote it, and where it leads. */
  readonly path: string
  readonly resolved: string
  readonly exists: boolean
  /** It would be removed. */
  readonly deletes?: true
  /** Lines. */
  readonly added: number
  readonly removed: number
  /** Why the contents cannot be shown. */
  readonly hidden?: string
}

/** Describes what an answer may allow: this call, everything like it for the task, or always; what is kept, and why it is not offered. */
export interface GrantOffer {
  readonly scope: "once" | "task" | "always"
  readonly allowed: boolean
  readonly rules: ReadonlyArray<string>
  /** Of what is allowed always: the only folder in which it holds. */
  readonly folder?: string
  readonly reason?: string
}

/** Says how a conversation got shorter: repeated reads, old outputs, a summary, or its older part left out. */
export type CondenseStep = "reads" | "outputs" | "summary" | "cut"

/** One item of a checklist. Its id stays when its text or state changes. */
export interface ChecklistItem {
  readonly id: string
  readonly text: string
  readonly state: "open" | "doing" | "done"
}

/** A merge in which both sides changed the same items: the person's count. */
export interface ChecklistConflict {
  readonly ids: ReadonlyArray<string>
  /** The whole list as the model wanted it. */
  readonly theirs: ReadonlyArray<ChecklistItem>
}

/** Tells one change of a task; `type` says which. Stored events are never changed. */
export type EventBody =
  | (Extract<Journal.LifecycleEvent, { readonly type: "task.created" }> & {
      readonly prompt: string
      readonly mode: Mode
    })
  | Exclude<Journal.LifecycleEvent, { readonly type: "task.created" }>
  | {
      readonly type: "message"
      readonly index: number
      readonly role: Message.Role
      readonly content: ReadonlyArray<Message.ContentBlock>
      /** Of an answer: which service and model made it. */
      readonly by?: Message.Maker
      /** Who wrote each block; absent of answers and where it is not known. */
      readonly from?: ReadonlyArray<Origin.Origin>
    }
  | { readonly type: "tool.requested"; readonly callId: string; readonly name: string; readonly args: unknown }
  | {
      readonly type: "tool.started"
      readonly callId: string
      readonly name: string
      readonly argsHash: string
      /** The rule of the policy that decided: that allowed it, or that asked. */
      readonly rule?: string
      /** The ask whose answer allowed it; without one the rule did. */
      readonly askId?: string
      /** Of a command: in the sandbox; or without, because there is none, it is off, or a person approved the command. */
      readonly sandbox?: "confined" | "unavailable" | "off" | "approved"
    }
  | ({
      readonly type: "tool.finished"
      readonly callId: string
      readonly name: string
      readonly isError: boolean
      readonly result: Message.ToolResultBlock["content"]
      readonly state: CallState
    } & CallEnd)
  | {
      readonly type: "ask"
      readonly askId: string
      readonly kind: AskKind
      readonly callId?: string
      readonly question?: string
      readonly options?: ReadonlyArray<string>
      readonly rule?: string
      readonly reason?: string
      readonly resolved?: unknown
      readonly edits?: ReadonlyArray<EditSummary>
      readonly grants: ReadonlyArray<GrantOffer>
    }
  | {
      readonly type: "ask.settled"
      readonly askId: string
      readonly decision?: "allow" | "deny"
      readonly text?: string
      /** The resolved paths of files in which the person wants another text than was proposed. */
      readonly edited?: ReadonlyArray<string>
      /** Allowed beyond this call. */
      readonly grant?: "task" | "always"
      readonly by: string
      /** The process that it was given in; absent in records of older versions, and where no process gave it. */
      readonly process?: Answerer
    }
  | {
      readonly type: "focus-chain.updated"
      readonly total: number
      readonly done: number
      readonly items: ReadonlyArray<ChecklistItem>
      readonly by: "model" | "user"
    }
  | {
      readonly type: "mode.changed"
      readonly from: Mode
      readonly to: Mode
      readonly by: "user" | "model"
      readonly answeredAsk?: string
    }
  /** Deep planning begins, with `from` null, or goes on to another phase. */
  | { readonly type: "planning.changed"; readonly from: PlanningPhase | null; readonly to: PlanningPhase }
  | ({
      readonly type: "usage"
      readonly model: string
      readonly costUsd: number | null
      readonly contextTokens: number
      /** The call brought no answer: what it took is reckoned, and no less than what it took. */
      readonly partial?: true
    } & Usage.Usage)
  /** What the model is shown got shorter: by which step, tokens before and after, estimated, and messages left out. */
  | {
      readonly type: "context.condensed"
      readonly step: CondenseStep
      readonly before: number
      readonly after: number
      readonly removed: number
    }
  /** Messages `from` to `to`, and events from `fromSeq` to this one, are gone from both views until the edit is taken back. */
  | {
      readonly type: "conversation.cut"
      readonly edit: number
      readonly from: number
      readonly to: number
      readonly fromSeq: number
    }
  | { readonly type: "conversation.uncut"; readonly edit: number }
  | {
      readonly type: "checkpoint"
      /** Of the workspace after a turn that changed it; of a restore, of the workspace before it. */
      readonly id: string
      /** How many files the turn changed, or the restore put back. */
      readonly files: number
      /** The message whose calls changed files, or that was restored to. */
      readonly messageIndex: number
      /** Absent: after a turn. */
      readonly moment?: "restore" | "undo"
      /** Files that are in no checkpoint, and why; at most 20, each told once. */
      readonly leftOut?: ReadonlyArray<{ readonly path: string; readonly reason: string }>
    }
  /** So many ms until now were no work: the machine slept, or its clock was set; negative when it was set back. */
  | { readonly type: "time.skipped"; readonly ms: number }
  | { readonly type: "task.renamed"; readonly title: string }
  | { readonly type: "repaired"; readonly rule: string; readonly detail: string }
  | { readonly type: "error"; readonly tag: string; readonly message: string; readonly retryInMs?: number }

/** A checkpoint that a person can go back to. */
export type CheckpointNote = Omit<Extract<EventBody, { readonly type: "checkpoint" }>, "type">

/** Names a kind of event. */
export type EventType = EventBody["type"]

/** One event of a journal. `seq` counts from 1 without gaps in each task; `ts` is in ms since 1970. */
export type StoredEvent = EventBody & {
  readonly taskId: TaskId.TaskId
  readonly seq: number
  readonly ts: number
}
