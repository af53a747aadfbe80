/** The files that an ask would change, as its review shows them. */
import { OpenAsks, TaskStore, TaskText } from "@belay/interaction/tasks"
import { Copy, Words } from "@belay/interaction"
import type { TaskEngine } from "@belay/task-engine"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import * as OpenTexts from "../editor/OpenTexts.ts"
import { Refusal } from "../vscode/Bridge.ts"
import type { Proposals } from "./Proposals.ts"

/** The task and the call that an ask is about: the same for each time that it is asked. */
export const callOf = ({ ask, entry }: OpenAsks.Open): string => `${TaskStore.idOf(entry)} ${ask.callId ?? ask.askId}`

/** Puts the files of an ask among the proposals; refuses with a line when they cannot be shown here. */
export const of = (engine: TaskEngine["Service"], proposals: Proposals, one: OpenAsks.Open) =>
  Effect.gen(function* () {
    const { ask, entry } = one
    const { id } = entry.node.row.record
    if (!engine.running().has(id)) {
      const title = TaskText.titleOf(entry)
      const line = `"${title}" does not run in this window. What it would change is shown where it runs.`
      return yield* new Refusal({ line })
    }
    const files = yield* Effect.mapError(engine.proposals(id, ask.askId), () => new Refusal({ line: Copy.askLate }))
    const hidden = files.find(({ contents }) => contents === undefined)
    if (hidden !== undefined) {
      const { hidden: why = "it cannot be read", path } = hidden.summary
      const line = `${Words.printable(`${path} is not shown: ${why}`)}. It can be answered in its row.`
      return yield* new Refusal({ line })
    }
    const shown = { askId: ask.askId, call: callOf(one) }
    return files.map((file) => [file.summary.path, proposals.show(file, shown)] as const)
  })

/** What the person has not saved is on both sides, and is saved with the edit. */
export const mentionUnsaved = ({ ask }: OpenAsks.Open): void => {
  const typed = ask.payload.edits?.find(({ resolved }) => OpenTexts.unsaved(resolved) !== undefined)
  if (typed === undefined) return
  const line = `${Words.printable(typed.path)} has unsaved changes of yours. They are part of the comparison.`
  void vscode.window.showInformationMessage(line)
}
