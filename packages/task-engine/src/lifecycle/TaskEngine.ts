/**
 * The engine: starts, resumes and stops tasks, and runs them to their end.
 *
 * It composes the packages below and owns nothing itself: what a task is stands in the history, and a process that dies
 * at any moment loses only what the history can tell the next one.
 */
import type { Grant } from "@belay/approval-policy"
import { type HistoryError, type InboxRequestBody, TaskHistory } from "@belay/history-store"
import type { Message } from "@belay/message-state"
import { type Command, TaskId, type TaskRecord } from "@belay/task-state"
import { type Proposal, ToolCatalog } from "@belay/tool-executor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { GrantRevocation } from "./GrantRevocation.ts"
import { Journal } from "../active/Journal.ts"
import { TaskRegistry } from "../active/Registry.ts"
import * as Telemetry from "../active/Telemetry.ts"
import { Releasing } from "../delegation/Releasing.ts"
import { TaskRuns } from "../delegation/TaskRuns.ts"
import { WaitingParents } from "../delegation/WaitingParents.ts"
import * as TaskName from "../text/TaskName.ts"
import { Requests } from "./Requests.ts"
import { TaskStart } from "./TaskStart.ts"
import { refused, type RequestRefused } from "../active/RequestRefused.ts"
import type { RunResult } from "../active/ActiveTask.ts"
import type { ForkOptions } from "./Fork.ts"
import type { Settings } from "@belay/settings"
import { message, type MessageStoppedTaskOptions } from "./MessageStoppedTask.ts"

/** Describes a task that is to be created. */
export interface NewTask {
  /** Of a session that was reserved for it, or what its client knows it by. */
  readonly id?: TaskId.TaskId
  readonly prompt: string
  /** In place of the first line of the prompt. */
  readonly title?: string
  /** What the model reads with the prompt: images, and files as text. */
  readonly attached?: ReadonlyArray<Message.Attachment>
  readonly mode: "plan" | "act"
  /** Absolute and resolved. */
  readonly workspace: string
  readonly settings: Settings.TaskSettings
  /** What makes it, such as "cli". */
  readonly host: string
  /**
   * It plans in phases, and so begins in plan mode whatever `mode` says; `prompt` is what is to be planned. A prompt that
   * begins with `/deep-planning` says the same.
   */
  readonly deepPlanning?: boolean
}

/** Says how a task goes on. */
export interface ResumeOptions {
  /** Takes the task, and what it waits for, from a live process that has it. */
  readonly takeOver?: boolean
  /** Of its stopped subtasks, only this one is resumed with it. */
  readonly only?: TaskId.TaskId
  /** What the user says; it answers an open question, else it is a message. */
  readonly message?: string
  readonly attached?: ReadonlyArray<Message.Attachment>
  readonly mode?: "plan" | "act"
  /** Replaces the snapshot. */
  readonly settings?: (snapshot: Settings.TaskSettings) => Settings.TaskSettings
  /** Replaces these limits, also those of everything open below it. */
  readonly limits?: Partial<Settings.Limits>
}

/** An answer to an ask: a decision, or words; words alone deny an approval and say what to do instead. */
export interface AnswerInput {
  readonly decision?: "allow" | "deny"
  readonly text?: string
  /** What the model reads with the words: images, and files as text. */
  readonly attached?: ReadonlyArray<Message.Attachment>
  /** With a yes to an edit: what is written instead of what was proposed, in files that `proposals` shows. */
  readonly edited?: ReadonlyArray<Proposal.Edited>
  /** With a yes: everything like it, for this task and what is below it, or always; where the ask offers it. */
  readonly grant?: "task" | "always"
}

/** What a task is released from: it no longer waits for a subtask, or for another one in its place. */
export type Release = Extract<InboxRequestBody, { readonly kind: "abandon" | "restart" }>

type Fails = Command.TransitionRejected | HistoryError.HistoryError

/**
 * Runs the tasks of this process. Errors: `TransitionRejected` for a command that the state of the task forbids,
 * `HistoryError`.
 */
export class TaskEngine extends Context.Service<
  TaskEngine,
  {
    /** Stores and starts the task; its loop begins when it is run. */
    readonly create: (task: NewTask) => Effect.Effect<TaskId.TaskId, Fails>
    /**
     * Stores a task that the model of a client program asks for, and does not start it: a runner of this history takes it
     * from the queue. `TransitionRejected` where a task of this id is or was there.
     */
    readonly queue: (task: NewTask, scope: string) => Effect.Effect<TaskId.TaskId, Fails>
    /**
     * Runs a task until its runner ends, then its parent when nobody else is responsible for that, and so on up; then the
     * task that it has handed its plan over to, whose end is the end.
     */
    readonly run: (id: TaskId.TaskId) => Effect.Effect<RunResult, Fails>
    /** Takes an interrupted or waiting task, with what the user says to it, in one commit; its loop begins when it is run. */
    readonly resume: (id: TaskId.TaskId, options: ResumeOptions) => Effect.Effect<void, Fails>
    /** A new task that goes on after the end of a completed one, or after a message of any; stored, and started unless queued. */
    readonly fork: (id: TaskId.TaskId, options: ForkOptions) => Effect.Effect<TaskId.TaskId, Fails>
    /** Stops a task that runs here, and everything below it. */
    readonly interrupt: (id: TaskId.TaskId, reason: TaskRecord.InterruptReason) => Effect.Effect<void>
    /**
     * Answers an ask of a task that runs here; the first answer counts and is stored when this ends. Errors:
     * `RequestRefused` when another answer came first, or the ask is not open here.
     */
    readonly answer: (
      id: TaskId.TaskId,
      askId: string,
      given: AnswerInput
    ) => Effect.Effect<void, Fails | RequestRefused>
    /** What an open approval of a task that runs here would write, with both sides. `RequestRefused` when it is not open. */
    readonly proposals: (
      id: TaskId.TaskId,
      askId: string
    ) => Effect.Effect<ReadonlyArray<Proposal.Proposal>, Fails | RequestRefused>
    /** Says something to a task that runs here: stored at once, read by the model at the next turn boundary. */
    readonly send: (
      id: TaskId.TaskId,
      text: string,
      attached?: ReadonlyArray<Message.Attachment>
    ) => Effect.Effect<void, Fails | RequestRefused>
    /** Switches a task that runs here; a switch to act mode answers a plan that waits. `text` is never lost. */
    readonly switchMode: (
      id: TaskId.TaskId,
      mode: "plan" | "act",
      text?: string,
      attached?: ReadonlyArray<Message.Attachment>
    ) => Effect.Effect<void, Fails | RequestRefused>
    /** Lets a task that runs here plan in phases from its next step on, in plan mode; `what` is what is to be planned. */
    readonly planDeeply: (id: TaskId.TaskId, what: string) => Effect.Effect<void, Fails | RequestRefused>
    /** Lets a task that runs here go on with other settings from its next request on; `RequestRefused` for any other. */
    readonly configure: (
      id: TaskId.TaskId,
      change: (now: Settings.TaskSettings) => Settings.TaskSettings
    ) => Effect.Effect<void, Fails | RequestRefused>
    /** Takes back what was allowed for a task; `RequestRefused` when it neither runs here nor is stopped. */
    readonly revoke: (id: TaskId.TaskId, rule: Grant.Rule) => Effect.Effect<void, Fails | RequestRefused>
    /** Releases a task that this process has from a subtask; it goes on with that at once. */
    readonly release: (id: TaskId.TaskId, what: Release) => Effect.Effect<void, Fails>
    /** Gives a task another title, whether it runs, where and whatever it waits for. `RequestRefused` for a blank one. */
    readonly rename: (id: TaskId.TaskId, title: string) => Effect.Effect<void, Fails | RequestRefused>
    /** Says something to a stopped task without running it: one commit, and it is as stopped as before. */
    readonly visit: (
      id: TaskId.TaskId,
      options: MessageStoppedTaskOptions
    ) => Effect.Effect<void, Fails | RequestRefused>
    readonly running: () => ReadonlySet<TaskId.TaskId>
    /** Those that run here, and those that wait here for subtasks that have all stopped. */
    readonly kept: () => ReadonlySet<TaskId.TaskId>
    /** The names of all tools that there are; a mode or a task may have fewer. */
    readonly tools: ReadonlyArray<string>
  }
>()("@belay/task-engine/TaskEngine") {
  static readonly layer = Layer.effect(
    TaskEngine,
    Effect.gen(function* () {
      const { tools } = yield* ToolCatalog
      const history = yield* TaskHistory
      const journal = yield* Journal
      const telemetry = yield* Telemetry.Telemetry
      const registry = yield* TaskRegistry
      const waiting = yield* WaitingParents
      const releasing = yield* Releasing
      const { revoke } = yield* GrantRevocation
      const starts = yield* TaskStart
      const { run } = yield* TaskRuns
      const requests = yield* Requests

      return TaskEngine.of({
        create: starts.create,
        queue: starts.queue,
        run,
        resume: starts.resume,
        fork: starts.fork,
        interrupt: (id, reason) =>
          Effect.suspend(() =>
            registry.has(id) ? registry.stop(id, { reason }) : Effect.ignore(waiting.stop(id, reason))
          ),
        answer: (id, askId, given) => requests.answer(id, askId, given),
        proposals: requests.proposals,
        send: requests.send,
        switchMode: (id, mode, text, attached) => requests.switchMode(id, mode, text, attached),
        planDeeply: requests.planDeeply,
        configure: requests.configure,
        revoke,
        release: Effect.fn("TaskEngine.release")(function* (taskId, what) {
          yield* releasing.release({ ...what, id: yield* TaskId.make, taskId, attempt: 0, by: "user" })
        }),
        rename: Effect.fn("TaskEngine.rename")(function* (id, text) {
          const title = TaskName.title(text)
          if (title === undefined) return yield* refused(id, "blankTitle")
          yield* journal.commit([{ _tag: "Rename", taskId: id, title }])
        }),
        visit: (id, options) => message(history, telemetry, id, options),
        running: registry.ids,
        kept: registry.kept,
        tools: tools.map(({ name }) => name)
      })
    })
  )
}
