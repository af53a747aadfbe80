/**
 * Snapshots of a workspace, kept in git stores of our own in the data folder.
 *
 * Guarantees: nothing of the user's repository is written, nested repositories included (index, HEAD, references, stash,
 * objects, configuration); no filter, hook or program of a repository runs, and bytes are recorded as they are; a file
 * that is not recorded is named; what a restore replaces or removes is recorded first, and what cannot be is left as it
 * is; any number of processes may use one data folder; a process that is killed leaves every store usable.
 */
import { DataFolder } from "@belay/machine"
import type { TaskId } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Change, Undone } from "./Change.ts"
import type { Checkpoint, CheckpointId, LeftOut } from "./Checkpoint.ts"
import type { CheckpointError } from "./CheckpointError.ts"
import type { Collected } from "./internal/collect.ts"
import { make } from "./internal/make.ts"
import type { Kept } from "./Kept.ts"

export type { Collected }

/** A task and the folder that it works in. */
export interface TaskPlace {
  readonly taskId: TaskId.TaskId
  /** Absolute. */
  readonly workspace: string
}

/** Asks for the state of the workspace before or after the turn of a message. */
export interface RecordRequest extends TaskPlace {
  /** Of the API message whose turn is about to change files, or has. */
  readonly messageIndex: number
  readonly moment: "before" | "after"
}

/** Reports a checkpoint that was made. */
export interface Recorded {
  readonly _tag: "Recorded"
  readonly id: CheckpointId
  /** How many files differ from the task's checkpoint before this one; 0 for its first. */
  readonly files: number
  readonly leftOut: ReadonlyArray<LeftOut>
}

/**
 * Nothing was recorded: the state before this turn is kept already (`recorded`), or nothing changed since the task's
 * last checkpoint (`unchanged`, after a turn only). `id` names the checkpoint that holds the state.
 */
export interface Skipped {
  readonly _tag: "Skipped"
  readonly reason: "recorded" | "unchanged"
  readonly id: CheckpointId
  /** What the workspace holds besides; empty where it was not looked at. */
  readonly leftOut: ReadonlyArray<LeftOut>
}

/** Names the two states to compare; `now` is the workspace as it lies on disk. */
export interface CompareRequest extends TaskPlace {
  readonly from: CheckpointId
  readonly to: CheckpointId | "now"
}

/** Names the state to restore, and the paths to restore. */
export interface RestoreRequest extends TaskPlace {
  readonly to: CheckpointId
  /** Files and folders relative to the workspace; all by default. */
  readonly paths?: ReadonlyArray<string>
}

/** Describes what a restore would do, or has done. */
export interface Restored {
  /** Files that go back, from now to the checkpoint, those that are kept not among them. */
  readonly changes: ReadonlyArray<Undone>
  readonly kept: ReadonlyArray<Kept>
}

/** Configures the layer. Only `directory` is required. */
export interface Options {
  /** The data folder: stores lie in `<directory>/checkpoints`, and nothing in it is ever recorded. */
  readonly directory: string
  /** Larger files are left out; 100 MB (100,000,000 bytes) by default. */
  readonly maxFileBytes?: number
  /** Of one snapshot; 15 seconds by default. */
  readonly timeLimit?: Duration.Input
  /** For `collect`; 30 days by default. */
  readonly maxAge?: Duration.Input
  /** For `collect`, over all stores; 2 GB by default. */
  readonly maxBytes?: number
  /** Absolute path of git; the one on PATH by default. */
  readonly git?: string
  /** Where PATH, HOME and the like come from; `process.env` by default. */
  readonly environment?: NodeJS.ProcessEnv
}

/** Keeps states of workspaces outside of the user's repository, and restores them. Errors: `CheckpointError`. */
export class Checkpoints extends Context.Service<
  Checkpoints,
  {
    /**
     * Records the workspace. The first state "before" a message stays, however often it is asked for, so that a turn that
     * goes on after a crash does not cover up its beginning; of the states "after" one the last stays.
     */
    readonly record: (request: RecordRequest) => Effect.Effect<Recorded | Skipped, CheckpointError>
    /** The checkpoints of a task in the order they were made; those that collection took are not among them. */
    readonly list: (place: TaskPlace) => Effect.Effect<ReadonlyArray<Checkpoint>, CheckpointError>
    /** Sorted by path. */
    readonly compare: (request: CompareRequest) => Effect.Effect<ReadonlyArray<Change>, CheckpointError>
    /** The same as text, as `git diff` writes it. */
    readonly patch: (request: CompareRequest) => Effect.Effect<string, CheckpointError>
    /** The content of one side of a change. */
    readonly content: (place: TaskPlace, blob: string) => Effect.Effect<Uint8Array, CheckpointError>
    /** What `restore` would do now; touches nothing. */
    readonly preview: (request: RestoreRequest) => Effect.Effect<Restored, CheckpointError>
    /** Makes a checkpoint of now, `undo`, and then puts files back; restoring `undo` takes that back. */
    readonly restore: (
      request: RestoreRequest
    ) => Effect.Effect<Restored & { readonly undo: CheckpointId }, CheckpointError>
    /** Gives another task the checkpoints of this one up to `at`. No file is touched. */
    readonly branch: (
      place: TaskPlace,
      at: CheckpointId,
      newTaskId: TaskId.TaskId
    ) => Effect.Effect<void, CheckpointError>
    /** Removes all checkpoints of a task, and what only they held. Doing it again changes nothing. */
    readonly remove: (taskId: TaskId.TaskId) => Effect.Effect<void, CheckpointError>
    /** Removes checkpoints that are too old, then the oldest until the quota holds. Stores in use are passed over. */
    readonly collect: () => Effect.Effect<Collected, CheckpointError>
    /** Collects when no process has done so for a day; undefined when one has, or nothing was ever recorded. */
    readonly tidy: () => Effect.Effect<Collected | undefined, CheckpointError>
    /** The tasks that have checkpoints, in any workspace. */
    readonly tasks: () => Effect.Effect<ReadonlyArray<TaskId.TaskId>, CheckpointError>
  }
>()("@belay/checkpoints/Checkpoints") {
  static readonly layerNode = (options: Options): Layer.Layer<Checkpoints> =>
    Layer.sync(Checkpoints, () => Checkpoints.of(openStores(options)))

  /** Stores below the data folder of the host. */
  static readonly layer = (options: Omit<Options, "directory"> = {}): Layer.Layer<Checkpoints, never, DataFolder> =>
    Layer.unwrap(Effect.map(DataFolder, ({ directory }) => Checkpoints.layerNode({ ...options, directory })))
}

/** The stores of this machine. Nothing is made before the first checkpoint. */
export const openStores = ({
  environment = process.env,
  git,
  maxAge = "30 days",
  maxBytes = 2_000_000_000,
  maxFileBytes = 100_000_000,
  timeLimit = "15 seconds",
  directory
}: Options): Checkpoints["Service"] =>
  make({
    directory,
    maxFileBytes,
    timeLimit: Duration.fromInputUnsafe(timeLimit),
    maxAge: Duration.fromInputUnsafe(maxAge),
    maxBytes,
    git,
    environment
  })
