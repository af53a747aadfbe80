/**
 * The engine: starts, resumes and stops tasks, and runs them to their end.
 *
 * It composes the packages below and owns nothing itself: what a task is stands in the history, and a process that dies
 * at any moment loses only what the history can tell the next one.
 */
import type { HistoryError } from "@belay/history-store"
import type { Command, TaskId, TaskRecord } from "@belay/task-state"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Ended } from "./Running.ts"
import type { SequelOptions } from "./Sequel.ts"
import type * as Settings from "./Settings.ts"

export interface NewTask {
  readonly prompt: string
  readonly mode: "plan" | "act"
  /** Absolute and resolved. */
  readonly workspace: string
  readonly settings: Settings.TaskSettings
  /** What made it, such as "cli". */
  readonly host: string
}

export interface ResumeOptions {
  /** Takes the task, and what it waits for, from a live process that has it. */
  readonly takeOver?: boolean
  /** Of its stopped subtasks, only this one is resumed with it. */
  readonly only?: TaskId.TaskId
  /** What the user says; it answers an open question, else it is a message. */
  readonly message?: string
  readonly mode?: "plan" | "act"
  /** Replaces the snapshot. */
  readonly settings?: (snapshot: Settings.TaskSettings) => Settings.TaskSettings
}

type Fails = Command.TransitionRejected | HistoryError.HistoryError

export class TaskEngine extends Context.Service<
  TaskEngine,
  {
    /** Stores and starts the task; its loop begins when it is run. */
    readonly create: (task: NewTask) => Effect.Effect<TaskId.TaskId, Fails>
    /** Runs a task until its runner ends, then its parent when nobody else is responsible for that, and so on up. */
    readonly run: (id: TaskId.TaskId) => Effect.Effect<Ended, Fails>
    /** Takes an interrupted or waiting task, with what the user says to it, in one commit; its loop begins when it is run. */
    readonly resume: (id: TaskId.TaskId, options: ResumeOptions) => Effect.Effect<void, Fails>
    /** A new task that goes on after the end of a completed one, or after a message of any; stored and started. */
    readonly sequel: (id: TaskId.TaskId, options: SequelOptions) => Effect.Effect<TaskId.TaskId, Fails>
    /** Stops a task that runs here, and everything below it. */
    readonly interrupt: (id: TaskId.TaskId, reason: TaskRecord.InterruptReason) => Effect.Effect<void>
    readonly running: () => ReadonlySet<TaskId.TaskId>
  }
>()("@belay/task-engine/TaskEngine") {}
