/**
 * What one commit does, step by step; all steps take effect, or none.
 *
 * Every step of a runner carries its attempt: after another process has taken the task over, its next commit fails with
 * `LeaseLost` and nothing of it is written. Steps are plain data, so a commit can travel to another thread.
 */
import { type ContextEdit, Message, type Origin, type Usage } from "@belay/message-state"
import type { Protocol, TaskId } from "@belay/task-state"
import type * as Event from "./Event.ts"
import type * as Import from "./Import.ts"
import type * as Reservation from "./Reservation.ts"
import type { HookRun } from "./HookRun.ts"
import type { ReservedSession } from "./ReservedSession.ts"

/** Describes a task apart from its lifecycle. */
export interface TaskMeta {
  readonly title: string
  readonly workspace: string
  readonly mode: Event.Mode
  readonly model: string
  /** Where a task that plans in phases is. */
  readonly planning?: Event.PlanningPhase
  /** The kind of host that ran it last, such as "cli"; of a task that nobody has run, what made it. */
  readonly host: string
  /** The settings snapshot of the task; opaque to the store. */
  readonly settings: unknown
}

/** One call of an answer of the model. */
export interface CallRequested {
  readonly callId: string
  readonly name: string
  readonly argsHash: string
  /** It starts with this very commit: a call that changes nothing and is allowed. */
  readonly started?: boolean
  /** Which rule allowed it to start. */
  readonly rule?: string
}

/** The result of one call. A second result of the same call is refused. */
export interface CallResult extends Event.CallEnd {
  readonly callId: string
  readonly content: Message.ToolResultBlock["content"]
  readonly isError: boolean
  /** Who wrote it: the tool unless told. */
  readonly from?: Origin.Origin
  /** `unknown`: it had started, and it is not known whether it finished. */
  readonly state: "finished" | "unknown"
  /** The contents of files that the model knows by this result: what it has read or written. */
  readonly files?: ReadonlyArray<FileContent>
}

/** The content of a file that the model knows. */
export interface FileContent {
  /** Absolute and resolved. */
  readonly path: string
  /** SHA-256 of its bytes, hexadecimal, or `"absent"`. */
  readonly hash: string
  /** What the model knows of its lines, in the words of who reads files. */
  readonly lines?: string
}

interface Fenced {
  readonly taskId: TaskId.TaskId
  readonly attempt: number
}

/** By the id of a child: what it did, as a part of a line. */
export type Did = Readonly<Record<string, string>>

/** A checklist as it was written to its file. */
export interface FirstChecklist {
  readonly items: ReadonlyArray<Event.ChecklistItem>
  readonly text: string
  readonly hash: string
}

/** One change that a commit makes. A commit applies its steps in order. */
export type Step =
  /** A command of the lifecycle; `Protocol.decide` says what it changes. `did`: what reports say besides, by child. */
  | { readonly _tag: "Lifecycle"; readonly request: Protocol.Request; readonly did?: Did }
  /** Describes a task that this commit has created, and stores its first message. */
  | {
      readonly _tag: "Describe"
      readonly taskId: TaskId.TaskId
      readonly meta: TaskMeta
      readonly prompt: Message.Message
      /** Its log begins as that of another task, up to and with a message; the prompt comes after it. */
      readonly after?: { readonly taskId: TaskId.TaskId; readonly through: number }
      /** The checklist that it begins with, as a model made it. */
      readonly checklist?: FirstChecklist
    }
  /** The model's answer, the calls it asks for, and what it cost. */
  | ({
      readonly _tag: "Answer"
      readonly message: Message.Message
      readonly calls: ReadonlyArray<CallRequested>
      readonly usage: Usage.Usage
      readonly model: string
      readonly costUsd: number | null
    } & Fenced)
  /** A model call that is no answer of the task, such as one that sums a conversation up. */
  | ({
      readonly _tag: "Spent"
      readonly usage: Usage.Usage
      readonly model: string
      readonly costUsd: number | null
    } & Fenced)
  /**
   * Reserves the most that a model call may take, against what all tasks of its tree have stored and reserved, whatever
   * process runs them; or changes nothing, and `Committed` says which limit it would pass. The next `Answer`, `Spent` or
   * `Unanswered` of the task replaces it. It counts what other steps of its own commit spend only from the next one on.
   */
  | ({ readonly _tag: "Reserve" } & Reservation.Asked)
  /**
   * A model call that was given up or broke off. `usage` is what it took as far as anybody knows, absent when nothing; it
   * counts for the task whoever has it now. With a `reservation`, it counts in the place of that, once.
   */
  | {
      readonly _tag: "Unanswered"
      readonly taskId: TaskId.TaskId
      readonly reservation?: string
      readonly usage?: Usage.Usage
      readonly model: string
      readonly costUsd: number | null
    }
  /** The model is shown less from now on; `before` and `after` are tokens, `removed` messages. */
  | ({
      readonly _tag: "Condensed"
      readonly edits: ReadonlyArray<ContextEdit.Draft>
      readonly step: Event.CondenseStep
      readonly before: number
      readonly after: number
      readonly removed: number
    } & Fenced)
  /**
   * The conversation of a task at rest ends before message `from` (1 or more), for the model and for people; the log
   * stays. A message of results goes with the answer that made the calls. Refused while a live process has the task, and
   * when one of the calls waits for a subtask.
   */
  | { readonly _tag: "ConversationCut"; readonly taskId: TaskId.TaskId; readonly from: number }
  /** Takes an edit back, by its id; a cut is refused as `Changed` once the conversation has gone on. */
  | { readonly _tag: "ConversationUncut"; readonly taskId: TaskId.TaskId; readonly edit: number }
  /** A user message, such as a reminder or what the user said. */
  | ({ readonly _tag: "Append"; readonly message: Message.Message } & Fenced)
  /**
   * What the user said: a message at once, or when the last open call of the turn is settled; once by its id. `queued`:
   * not at once either, because an answer is arriving that has not seen it.
   */
  | ({
      readonly _tag: "Say"
      readonly id: string
      readonly text: string
      readonly attached?: ReadonlyArray<Message.Attachment>
      /** Who wrote the text: the user unless told. */
      readonly from?: Origin.Origin
      readonly queued?: true
    } & Fenced)
  /** Delivers what the user said and is queued, unless a call is open: then it comes with the results. */
  | ({ readonly _tag: "Deliver" } & Fenced)
  | ({ readonly _tag: "CallsApproved"; readonly callIds: ReadonlyArray<string> } & Fenced)
  | ({
      readonly _tag: "CallsStarted"
      readonly callIds: ReadonlyArray<string>
      /** By call id: the rule that decided, the ask whose answer allowed it, and how a command stands to the sandbox. */
      readonly rules?: Readonly<Record<string, string>>
      readonly asks?: Readonly<Record<string, string>>
      readonly sandboxes?: Readonly<Record<string, Extract<Event.EventBody, { type: "tool.started" }>["sandbox"]>>
    } & Fenced)
  /** Results, each inserted once; when the last call of the turn is settled, one user message carries them all. */
  | ({ readonly _tag: "CallsSettled"; readonly results: ReadonlyArray<CallResult> } & Fenced)
  /** The message that comes next tells the model that these files have other contents now, which it has not read. */
  | ({ readonly _tag: "FilesTold"; readonly files: ReadonlyArray<FileContent> } & Fenced)
  /** The message that comes next shows the model these contents. */
  | ({ readonly _tag: "FilesShown"; readonly files: ReadonlyArray<FileContent> } & Fenced)
  | ({ readonly _tag: "AskOpened"; readonly ask: Omit<Extract<Event.EventBody, { type: "ask" }>, "type"> } & Fenced)
  | {
      readonly _tag: "AskSettled"
      readonly taskId: TaskId.TaskId
      /** Of a runner, as in its other steps; who settles what nobody runs has none. */
      readonly attempt?: number
      readonly settled: Omit<Extract<Event.EventBody, { type: "ask.settled" }>, "type" | "process">
      /** The request that it came with: the process that made that gave the answer, else the one that commits. */
      readonly requestId?: string
    }
  | ({
      readonly _tag: "ModeChanged"
      readonly to: Event.Mode
      readonly by: "user" | "model"
      readonly answeredAsk?: string
      /** The model of the task in that mode. */
      readonly model?: string
    } & Fenced)
  /** The phase of deep planning, which begins with the first. */
  | ({ readonly _tag: "PlanningChanged"; readonly to: Event.PlanningPhase } & Fenced)
  | ({
      readonly _tag: "ChecklistChanged"
      readonly items: ReadonlyArray<Event.ChecklistItem>
      readonly text: string
      readonly hash: string
      readonly by: "model" | "user"
      /** Of the merge that made the list; without it, that of before stays for as long as the items do. */
      readonly conflict?: Event.ChecklistConflict
    } & Fenced)
  /** What a person made of the list; no runner's write. What the model knows of it (`text`, `hash`) stays. */
  | {
      readonly _tag: "ChecklistEdited"
      readonly taskId: TaskId.TaskId
      readonly items: ReadonlyArray<Event.ChecklistItem>
    }
  /** The workspace was recorded after a turn that changed it. */
  | ({ readonly _tag: "Checkpointed"; readonly note: Event.CheckpointNote } & Fenced)
  /** Files of a task at rest went back; what is said with it waits until the task goes on. Refused while a live process has it. */
  | {
      readonly _tag: "FilesRestored"
      readonly taskId: TaskId.TaskId
      readonly note: Event.CheckpointNote
      readonly said?: { readonly id: string; readonly text: string; readonly from: Origin.Origin }
    }
  | ({ readonly _tag: "Failed"; readonly tag: string; readonly message: string; readonly retryInMs?: number } & Fenced)
  /** So many ms until now were no work of the task, such as those that the machine slept; negative: the clock was set back. */
  | ({ readonly _tag: "TimeSkipped"; readonly ms: number } & Fenced)
  /** The task can go on and waits for a process that can go on with it: why, and where; no runner's write. */
  | { readonly _tag: "LeftReady"; readonly taskId: TaskId.TaskId; readonly message: string }
  /** Replaces the settings snapshot of a task, as a resume with flags does. */
  | ({ readonly _tag: "Configure"; readonly settings: unknown; readonly model: string } & Fenced)
  /** The same of a task that no other live process has, without taking it; else its settings stay as they are. */
  | { readonly _tag: "ConfigureAtRest"; readonly taskId: TaskId.TaskId; readonly settings: unknown }
  /** The title that a person gave; no runner's write, and it changes nothing else. */
  | { readonly _tag: "Rename"; readonly taskId: TaskId.TaskId; readonly title: string }
  /**
   * Switches a task that nobody runs and that is not stopped; what is said with it waits until it is gone on with.
   * Refused as `Owned` while a live process has it.
   */
  | {
      readonly _tag: "SwitchAtRest"
      readonly taskId: TaskId.TaskId
      readonly to: Event.Mode
      /** Deep planning begins with it. */
      readonly planning?: Event.PlanningPhase
      readonly model?: string
      readonly said: ReadonlyArray<Pick<Extract<Step, { readonly _tag: "Say" }>, "id" | "text" | "attached" | "from">>
    }
  /** Takes a task of another program over, once; one that was taken before stays as it is. */
  | { readonly _tag: "Import"; readonly task: Import.Task }
  /** Hooks are about to be started, or have answered: what was answered before stays. */
  | ({ readonly _tag: "HooksRun"; readonly runs: ReadonlyArray<HookRun> } & Fenced)
  /** A client has opened a session, or has chosen something for one without a task; it keeps its folder and its time. */
  | { readonly _tag: "ReserveSession"; readonly session: ReservedSession }
  /** A reserved session is not wanted any more. */
  | { readonly _tag: "ForgetSession"; readonly id: TaskId.TaskId }
  /** A client program asks that a runner of this history runs the task; one that is queued again keeps its scope. */
  | { readonly _tag: "Queue"; readonly taskId: TaskId.TaskId; readonly scope: string }
  /** A runner begins with a queued task. */
  | { readonly _tag: "QueueTried"; readonly taskId: TaskId.TaskId }
  /** A queued task has come to where it stopped, or is not to be run any more. */
  | { readonly _tag: "Unqueue"; readonly taskId: TaskId.TaskId }
  /** The owner has a request of another process and carries it out later. */
  | { readonly _tag: "RequestAccepted"; readonly requestId: string }
  /** A request of another process has been carried out; `refusal`: nothing changed, and why. */
  | { readonly _tag: "RequestApplied"; readonly requestId: string; readonly refusal?: string }

/** A command of the lifecycle. */
export const request = (asked: Protocol.Request): Step => ({ _tag: "Lifecycle", request: asked })

/** Describes a task that is created in the same commit; its title is its prompt unless told. */
export const describe = (taskId: TaskId.TaskId, prompt: string, meta: Partial<TaskMeta> = {}): Step => ({
  _tag: "Describe",
  taskId,
  meta: { title: prompt, workspace: "", mode: "act", model: "", host: "", settings: null, ...meta },
  prompt: Message.from("user", Message.text(prompt))
})

/** An answer of the model that consists of calls and whose cost is not known. */
export const calls = (taskId: TaskId.TaskId, attempt: number, ...uses: ReadonlyArray<Message.ToolUseBlock>): Step => ({
  _tag: "Answer",
  taskId,
  attempt,
  message: { role: "assistant", content: uses },
  calls: uses.map(({ id, name }) => ({ callId: id, name, argsHash: "" })),
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  model: "",
  costUsd: null
})
