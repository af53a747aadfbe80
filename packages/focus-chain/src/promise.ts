/** The checklist of a task for programs without Effect: a Markdown file that a program and a person both edit. */
import { type Abortable, iterate, run } from "@belay/machine/promise"
import * as TaskState from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { makeFile } from "./FocusChainFile.ts"
import { FocusChainError as Failure } from "./FocusChainError.ts"
import type { Checklist, ChecklistItem, ChecklistOptions, SeenChecklist } from "./promise/Checklist.ts"

export type * from "./promise/Checklist.ts"

/** A checklist file that cannot be read or written; it is left as it is. */
export const FocusChainError: abstract new (...given: never) => Error & {
  readonly _tag: "FocusChainError"
  readonly reason: string
  readonly path: string
} = Failure

/**
 * The checklist `tasks/<id>/focus_chain_taskid_<id>.md` below a folder. Nothing is opened: every method reads or writes
 * by itself, and rejects with `FocusChainError`. Throws for a text that is no id of a task.
 */
export const openChecklist = ({ directory, taskId }: ChecklistOptions): Checklist => {
  const id = TaskState.TaskId.TaskId.make(taskId)
  const files = makeFile(directory)
  const read = () => run(Effect.map(files.read(id), Option.getOrUndefined))
  return {
    path: files.path(id),
    read: () => read().then((stored) => stored?.items),
    write: (title: string, items: ReadonlyArray<ChecklistItem>) => run(Effect.asVoid(files.write(id, title, items))),
    remove: () => run(files.remove(id)),
    watch: (options?: Abortable) =>
      iterate(
        Stream.map(files.watch(id), (seen): SeenChecklist => {
          switch (seen._tag) {
            case "Edited":
              return { type: "edited", items: seen.stored.items }
            case "Deleted":
              return { type: "deleted" }
            case "Unreadable":
              return { type: "unreadable", error: seen.error }
          }
        }),
        options
      )
  }
}
