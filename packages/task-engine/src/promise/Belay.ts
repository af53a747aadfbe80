/** What a program without Effect sees of the engine, as types alone. */
import type { AskBody, History, StoredTaskEvent, TaskMode, TaskRecord, TaskRow } from "@belay/history-store/promise"
import type { Model } from "@belay/model-client/promise"
import type { HostTool } from "@belay/tool-executor/promise"

/** A preset, or the settings as JSON has them: a field left out is as in `ask`. */
export type Approvals = "ask" | "edits" | "project" | "all" | Readonly<Record<string, unknown>>

/** An ask that waits for a person, in any task. */
export interface Ask extends AskBody {
  readonly taskId: string
  readonly title: string
}

/** An answer to an ask: a decision, or words; words alone deny an approval and say what to do instead. */
export interface Answer {
  readonly decision?: "allow" | "deny"
  readonly text?: string
  /** With a yes: all of its kind, for this task or always, where the ask offers it. */
  readonly grant?: "task" | "always"
}

/** Something of a task that is shown while it happens and never stored. */
export type LiveTaskEvent = (
  | { readonly type: "text.delta"; readonly text: string }
  | { readonly type: "answer"; readonly state: "waiting" | "streaming" | "complete" | "aborted" }
  | { readonly type: "tool.output"; readonly callId: string; readonly chunk: string }
  | { readonly type: "progress"; readonly text: string }
) & {
  readonly taskId: string
  readonly ts: number
  readonly seq?: undefined
}

/** One event of a task, stored or live; only stored ones have a `seq`. */
export type TaskEvent = StoredTaskEvent | LiveTaskEvent

/** Says how a run of a task ended: its record then, and the failure that stopped it. */
export interface RunResult {
  readonly record: TaskRecord
  readonly failure?: Error
}

/** A limit of a task and of all below it. */
export interface Limits {
  /** Calls of the model. */
  readonly maxRequests?: number
  /** US dollars. */
  readonly maxCostUsd?: number
  readonly maxTokens?: number
  readonly maxDurationMinutes?: number
}

/** Describes a task that is to be started. */
export interface NewTask {
  readonly prompt: string
  /** The folder that it works in, absolute. */
  readonly workspace: string
  /** `"act"` by default. */
  readonly mode?: TaskMode
  /** Those of `createBelay` by default. */
  readonly approvals?: Approvals
  readonly limits?: Limits
  /** An abort interrupts the task, as a person does: it can be resumed. */
  readonly signal?: AbortSignal
}

/** Says how a stopped task goes on. */
export interface ResumeOptions {
  /** What the person says; it answers an open question, else it is a message. */
  readonly message?: string
  readonly mode?: TaskMode
  /** An abort interrupts the task, as a person does. */
  readonly signal?: AbortSignal
}

/** One task. */
export interface Task {
  readonly id: string
  /** How the run that is under way here ends. Of a task that does not run here, its record as it is. */
  readonly result: Promise<RunResult>
  /** Its events from a `seq` on: those that are stored, then those that happen here, until the signal aborts. */
  readonly events: (options?: { readonly from?: number; readonly signal?: AbortSignal }) => AsyncIterable<TaskEvent>
  /** Says something to a task that runs here: stored at once, read by the model at its next turn. */
  readonly send: (text: string) => Promise<void>
  /** Stops it, and everything below it; it can be resumed. */
  readonly interrupt: () => Promise<void>
  /** Goes on with a stopped task, here. */
  readonly resume: (options?: ResumeOptions) => Promise<void>
  readonly setMode: (mode: TaskMode) => Promise<void>
}

/** Reaches the person at this program. Whoever answers first counts, here or by `Belay.answer`. */
export interface Person {
  /** Shows an approval and gives its answer. The signal aborts when another answer came first. */
  readonly approve?: (ask: Ask, options: { readonly signal: AbortSignal }) => Promise<Answer>
  /** Shows a question and gives the words of the answer. */
  readonly answer?: (ask: Ask, options: { readonly signal: AbortSignal }) => Promise<string>
}

/** Says what the engine of a program is made of. */
export interface BelayOptions {
  /** The data folder: history, checkpoints, checklists. It is made when it is absent, and protected from tools. */
  readonly directory: string
  readonly model: Model
  /** Tools of the program, beside those of the workspace. */
  readonly tools?: ReadonlyArray<HostTool>
  /** False: tasks have no tools for files and commands. */
  readonly workspaceTools?: boolean
  /** What runs without asking; `"ask"` by default. */
  readonly approvals?: Approvals
  /** Tasks that may call the model at once; 4 by default. */
  readonly concurrency?: number
  /** What this program is, such as `bot`: `recover` resumes the tasks of its kind. `program` by default. */
  readonly kind?: string
  /** `"nobody"`: what would ask is denied, and a question stops its task. By default asks wait for `Belay.answer`. */
  readonly person?: Person | "nobody"
}

/** The engine of a program. Every method rejects with `HistoryError` where the history cannot be read or written. */
export interface Belay extends AsyncDisposable {
  /** Stores a task and runs it in the background. */
  readonly start: (task: NewTask) => Promise<Task>
  readonly open: (id: string) => Promise<Task | undefined>
  readonly tasks: History["tasks"]
  /** Resumes the tasks that an earlier process of this kind has left, and gives them; call it once, at the start. */
  readonly recover: () => Promise<ReadonlyArray<Task>>
  /** What waits for a person, in all tasks of the history. */
  readonly asks: () => Promise<ReadonlyArray<Ask>>
  /** Tells every ask of the tasks that run here; gives the function that ends it. */
  readonly onAsk: (listener: (ask: Ask) => void) => () => void
  /** Answers an ask of a task that runs here. Rejects with `RequestRefused` when another answer came first. */
  readonly answer: (askId: string, answer: Answer) => Promise<void>
  /** What happens here in one task or in all, until the signal aborts. */
  readonly events: (options?: { readonly taskId?: string; readonly signal?: AbortSignal }) => AsyncIterable<TaskEvent>
  readonly history: History
  /** Stops what runs here, so that it can be resumed, and closes the history. */
  readonly close: () => Promise<void>
}

export type { History, TaskRow }
