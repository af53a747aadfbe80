/** The files of checklists: whose list a file is, and a watch over the lists that are shown. */
import { FocusChain } from "@belay/focus-chain"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Stream from "effect/Stream"
import type * as vscode from "vscode"

/** The task whose list a file is, by its name. */
export const taskOf = ({ path }: vscode.Uri): string | undefined => /\/focus_chain_taskid_([^/]+)\.md$/u.exec(path)?.[1]

export const isList = ({ uri }: vscode.TextDocument): boolean => uri.scheme === "file" && taskOf(uri) !== undefined

/** Calls `changed` for every change of the lists that were wanted last, until the scope ends. */
export const watch = (changed: () => void) =>
  Effect.gen(function* () {
    const files = yield* FocusChain
    const watching = yield* FiberMap.make<TaskId.TaskId>()
    return (wanted: ReadonlySet<TaskId.TaskId>) =>
      Effect.gen(function* () {
        for (const id of wanted) {
          const changes = Stream.runForEach(files.watch(id), () => Effect.sync(changed))
          yield* FiberMap.run(watching, id, changes, { onlyIfMissing: true })
        }
        const others = Array.from(watching, ([id]) => id).filter((id) => !wanted.has(id))
        for (const id of others) yield* FiberMap.remove(watching, id)
      })
  })
