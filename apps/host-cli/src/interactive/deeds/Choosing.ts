/** Choosing a task by what is typed: those of this folder, and of all that ever ran here those that fit. */
import { Search, TaskHistory } from "@belay/history-store"
import { TaskStore } from "@belay/interaction/tasks"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as TaskItems from "../tasks/TaskItems.ts"
import type { Around } from "./Around.ts"
import * as ReleasingSubtask from "./ReleasingSubtask.ts"
import * as Wanted from "./Wanted.ts"

/** Of a search. */
const most = 20
/** Characters that are worth a search. */
const shortest = 2

/** Opens the list, with these words typed in it; what is chosen is shown. */
export const open = (around: Around, begins: string): void => {
  const { ground, perform, show, store, ui } = around
  let found: ReadonlyArray<string> = []
  let wanted = ""
  const entryOf = (id: string): TaskStore.Entry | undefined => store.now().entries.get(id)
  const search = (words: string) =>
    Effect.gen(function* () {
      const { hits } = yield* (yield* TaskHistory).search(Search.parse(words), most)
      for (const { row } of hits) yield* store.find(row.record.id)
      if (words !== wanted) return
      found = hits.map(({ row }) => row.record.id)
      ui.changed()
    })
  const withEntry = (deed: (entry: TaskStore.Entry) => void) => (id: string) => {
    const entry = entryOf(id)
    if (entry !== undefined) deed(entry)
  }
  ui.choose({
    label: "Open",
    begins,
    none: "No task fits.",
    items: (words) => {
      const { look } = ui.form()
      return TaskItems.of(store.now(), words, found, { look, now: Date.now(), workspace: ground.workspace })
    },
    typed: (words) => {
      wanted = words
      found = []
      if (words.trim().length >= shortest) perform(search(words))
    },
    chosen: (id) => perform(show(id as TaskId.TaskId, false)),
    keys: {
      s: ["stops", withEntry((entry) => perform(Effect.andThen(Wanted.stop(entry), store.refresh)))],
      r: ["resumes", withEntry((entry) => perform(Effect.andThen(Wanted.resume(ground, entry, ""), store.refresh)))],
      x: ["abandons", withEntry((entry) => ReleasingSubtask.abandonOne(around, entry))]
    }
  })
}
