/**
 * The port to the checklist file of each task.
 *
 * A write replaces the items and keeps every other line of the file; it happens whole or not at all, and a failed one
 * changes nothing. Both layers do the same, the one in files of this machine and the other in a map.
 */
import { DataFolder } from "@belay/machine"
import type { TaskId } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import type * as Result from "effect/Result"
import type * as Stream from "effect/Stream"
import type { FocusChainError } from "./FocusChainError.ts"
import { makeFile } from "./FocusChainFile.ts"
import { makeMemory } from "./internal/memory.ts"
import type { Item } from "./Item.ts"
import type { Seen, Stored } from "./Seen.ts"

/** Reports the file that was written. */
export interface Written {
  /** SHA-256 of the file's bytes, in hexadecimal: a later event about a file of this hash is our own. */
  readonly hash: string
  readonly path: string
}

/** Keeps one Markdown file per task and watches it for edits. Errors: `FocusChainError`. */
export class FocusChain extends Context.Service<
  FocusChain,
  {
    readonly path: (taskId: TaskId.TaskId) => string
    /**
     * Makes the given items the items of the file. The title and the how-to comment are those of the first write; an
     * item without a text is left out. Writing what is there already touches nothing.
     */
    readonly write: (
      taskId: TaskId.TaskId,
      title: string,
      items: ReadonlyArray<Item>
    ) => Effect.Effect<Written, FocusChainError>
    /**
     * Makes another text of the file's, which starts with title and how-to comment where there is no file. Nothing that
     * this process writes comes between the reading and the writing.
     */
    readonly edit: <E>(
      taskId: TaskId.TaskId,
      title: string,
      change: (text: string) => Result.Result<string, E>
    ) => Effect.Effect<Stored, FocusChainError | E>
    /** Takes the file away, and its folder if nothing else is in it; nothing where there is none. */
    readonly remove: (taskId: TaskId.TaskId) => Effect.Effect<void, FocusChainError>
    /** None when there is no file. */
    readonly read: (taskId: TaskId.TaskId) => Effect.Effect<Option.Option<Stored>, FocusChainError>
    /**
     * What anybody else makes of the file from now on, each time when it was still for 300 ms: saved in place, renamed
     * over, deleted and created, deleted. Never what this process wrote, and never the same content twice.
     */
    readonly watch: (taskId: TaskId.TaskId) => Stream.Stream<Seen>
  }
>()("@belay/focus-chain/FocusChain") {
  /** Files `tasks/<id>/focus_chain_taskid_<id>.md` below `directory`. */
  static readonly layerNode = (options: { readonly directory: string }): Layer.Layer<FocusChain> =>
    Layer.sync(FocusChain, () => FocusChain.of(makeFile(options.directory)))

  /** Files below the data folder of the host. */
  static readonly layer: Layer.Layer<FocusChain, never, DataFolder> = Layer.unwrap(
    Effect.map(DataFolder, FocusChain.layerNode)
  )

  /** Texts by path in the given map, so that a test can play the user. */
  static readonly layerMemoryOf = (files: Map<string, string>): Layer.Layer<FocusChain> =>
    Layer.sync(FocusChain, () => FocusChain.of(makeMemory(files)))

  static readonly layerMemory: Layer.Layer<FocusChain> = Layer.sync(FocusChain, () =>
    FocusChain.of(makeMemory(new Map()))
  )
}
