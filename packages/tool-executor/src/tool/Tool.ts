/**
 * The one interface of a tool: built-in, of the host or of an MCP server; nothing is special-cased.
 *
 * A tool states what it needs to know before it may run (`facts`), so that the decision is a pure function of them, and
 * runs only through the pipeline. It never throws: what the model should read is a `ToolOutput` with `isError`.
 */
import type { Looked } from "@belay/approval-policy/facts"
import type {
  Approvals,
  CommandFact,
  FetchRule,
  McpFact,
  NetworkRule,
  PathFact,
  ToolCategory
} from "@belay/approval-policy"
import type { TaskId } from "@belay/task-state"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Setting, State } from "./Confinement.ts"
import type * as KnownLines from "./KnownLines.ts"
import type { Edited, Proposal } from "./Proposal.ts"
import type { SeenFile } from "./SeenFile.ts"

/** Describes what a tool call is made for; `callId` is the model's id of the call. */
export interface ToolContext {
  readonly taskId: TaskId.TaskId
  readonly callId: string
  readonly mode: "plan" | "act"
  /** The absolute, resolved root of the workspace. */
  readonly workspace: string
  /** The folder of our own data, absolute and resolved: what lies in it is secret. */
  readonly home?: string
  readonly approvals: Approvals.Approvals
  /** What a person who approved the call wants in files instead of what was proposed. */
  readonly edited?: ReadonlyArray<Edited>
  /** Whether a command of this call runs confined; the pipeline sets it to `off` where a person approved the call. */
  readonly sandbox?: Setting
  /** Hosts that a confined command reaches; none by default. */
  readonly allowedDomains?: NetworkRule.AllowedDomains
  /** What the manifests of the project held when the task began: SHA-256 by path, relative to the workspace. */
  readonly manifests?: Readonly<Record<string, string>>
  /** The content that the model knows of a file, by its resolved path. Without this it is not asked what it knows. */
  readonly seen?: (resolved: string) => KnownLines.Content | undefined
  /** Whether a read of this would run now without asking anybody; the pipeline sets it. */
  readonly mayRead?: (fact: PathFact.PathFact) => boolean
  /** Of a call that is explained and not run: what is known of the file system already. */
  readonly looked?: Looked.Looked
  /** Shows output while the tool runs; it is not stored. */
  readonly progress: (chunk: string) => Effect.Effect<void>
  /** Says that the call waits for another task, which is writing a file of the workspace. */
  readonly waits?: (what: { readonly task: TaskId.TaskId; readonly path: string }) => Effect.Effect<void>
}

/** Describes what a model reads of a tool: blocks as the Messages API takes them in a result. */
export type ToolContent =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image"
      readonly source: { readonly type: "base64"; readonly media_type: string; readonly data: string }
    }

/** The result of a call, as the model reads it. */
export interface ToolOutput {
  readonly content: ReadonlyArray<ToolContent>
  readonly isError: boolean
  /** What it ran was ended because its time was up. */
  readonly timedOut?: true
  /** The contents of files that the model knows by this: read in it, or written by the call. */
  readonly files?: ReadonlyArray<SeenFile>
}

/** Says why a call cannot run, in the text for the model. */
export interface Refusal {
  readonly output: ToolOutput
  /** The model made the call wrong; else things are not as it could know. */
  readonly mistake: boolean
}

/** Describes what the policy decides on; resolved by the tool, judged by the policy. */
export interface ToolFacts {
  readonly paths: ReadonlyArray<PathFact.PathFact>
  readonly command?: CommandFact.CommandFact
  readonly fetch?: FetchRule.FetchFact
  readonly mcp?: McpFact.McpFact
  /** Of a call that runs a command: the sandbox that is there for it. */
  readonly sandbox?: State
}

/**
 * `run` executes at once. The engine carries out the other flows itself: `delegate` for all such calls of a turn in one
 * commit, `complete` ends the task, `question` waits for a person, `wait` waits for subtasks.
 */
export type ToolFlow = "run" | "delegate" | "complete" | "question" | "wait"

/** Defines a tool: its name, its parameters, its facts for the approval policy, and its execution. */
export interface Tool<Args = any> {
  readonly name: string
  readonly description: string
  readonly category: ToolCategory.ToolCategory
  readonly flow: ToolFlow
  /**
   * What it does depends on its arguments alone, such as the tool of a server: every mode offers it, and the policy says
   * of each call whether the mode allows it.
   */
  readonly judgedByCall?: boolean
  /** Changes nothing: may run beside others of its turn, and again after a crash. */
  readonly readOnly: boolean
  /** An inline struct; its JSON Schema is what the model sees. */
  readonly parameters: Schema.Codec<Args, any>
  readonly facts: (args: Args, context: ToolContext) => Effect.Effect<ToolFacts>
  /**
   * What the call's targets are or hold at this moment, for an approval to bind to: when it is another text after the
   * answer, the user is asked again. Read only when somebody is to approve the call; the arguments and the resolved
   * paths are part of an approval by themselves.
   */
  readonly identity?: (args: Args, context: ToolContext) => Effect.Effect<string>
  /** Why the call cannot be carried out as things are, before anybody is asked about it; `execute` sees to it again. */
  readonly refuses?: (args: Args, context: ToolContext) => Effect.Effect<Refusal | undefined>
  /** What the call would write, file by file; read only when somebody is to approve it. `execute` honours `edited`. */
  readonly proposes?: (args: Args, context: ToolContext) => Effect.Effect<ReadonlyArray<Proposal>>
  /** What confines the tool's calls in a workspace, known without a call. */
  readonly confinement?: (workspace: string) => Effect.Effect<State>
  readonly execute: (args: Args, context: ToolContext) => Effect.Effect<ToolOutput>
  /** The result says of something that it goes on: the same call may bring more, and repeats nothing. */
  readonly goesOn?: (result: string) => boolean
  /** What a call of it that was cut off had put out, also in a process that has gone; nothing when it is not known. */
  readonly printed?: (call: Pick<ToolContext, "callId" | "taskId">) => Effect.Effect<string | undefined>
  /** What has happened to what it has running for a task, for the model to be told. */
  readonly news?: (taskId: TaskId.TaskId) => Effect.Effect<ReadonlyArray<News>>
  /** Ends what it has running for a task, which stops running here. */
  readonly release?: (taskId: TaskId.TaskId) => Effect.Effect<void>
}

/** A notice for the model that is told once. */
export interface News {
  readonly text: string
  /** It is in the conversation, and is not told again. */
  readonly told: () => void
}

/** Makes a result of one text. */
export const output = (value: string): ToolOutput => ({ content: [{ type: "text", text: value }], isError: false })

/** Makes a result of one text that the model reads as an error. */
export const failure = (value: string): ToolOutput => ({ content: [{ type: "text", text: value }], isError: true })

/** The facts of a tool that touches no path, runs no command and fetches nothing. */
export const noFacts: ToolFacts = { paths: [] }
