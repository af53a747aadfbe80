/** What is written, or what a task proposes to write, in the editor of the person. */
import { OpenAsks, TaskStore } from "@belay/interaction/tasks"
import { TaskEngine } from "@belay/task-engine"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as Editor from "../../terminal/Editing.ts"
import type { Around } from "./Around.ts"
import * as Wanted from "./Wanted.ts"

/** `done` gets what the person made of it, which is shown then. */
export const words = ({ perform, ui }: Pick<Around, "perform" | "ui">, text: string, done: (text: string) => void) =>
  perform(
    Effect.map(Editor.text(text, "message.md", ui.lend), (changed) => {
      done(changed.trimEnd())
      ui.changed()
    })
  )

/** What is saved is what is written, and the model is told; where nothing was changed the ask stays open. */
export const proposal = ({ ground, perform, store, ui }: Around, open: OpenAsks.Open): void => {
  const id = TaskStore.idOf(open.entry)
  const wish = Effect.gen(function* () {
    const proposals = yield* (yield* TaskEngine).proposals(id, open.ask.askId)
    const edited: Array<{ readonly resolved: string; readonly text: string }> = []
    for (const { contents, summary } of proposals) {
      if (contents === undefined || summary.deletes === true) continue
      const text = yield* Editor.text(contents.proposed, path.basename(summary.resolved), ui.lend)
      if (text !== contents.proposed) edited.push({ resolved: summary.resolved, text })
    }
    if (edited.length === 0) return ui.hint("Nothing was changed: it stays open.")
    yield* Wanted.answer(ground, open, { decision: "allow", edited })
    yield* store.refresh
  })
  perform(wish)
}
