/**
 * The checklist of the task that is shown: looked at with numbers, an item checked or opened again by its number, or all of
 * it in an editor. The file is the truth, and what a person makes of it counts.
 */
import { Checklist, FocusChain } from "@belay/focus-chain"
import { TaskHistory } from "@belay/history-store"
import { Words } from "@belay/interaction"
import { HolderText, TaskStore } from "@belay/interaction/tasks"
import { Telemetry } from "@belay/task-engine"
import { TaskNode } from "@belay/task-engine/remote"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { usage } from "../../cli/Failure.ts"
import { redaction } from "../../output/Redaction.ts"
import * as Editing from "../../terminal/Editing.ts"
import type { Around } from "./Around.ts"

const marks = { open: "[ ]", doing: "[-]", done: "[x]" } as const

const itemsOf = (entry: TaskStore.Entry) =>
  Effect.map(
    Effect.flatMap(FocusChain, (files) => files.read(TaskStore.idOf(entry))),
    Option.match({ onNone: () => [], onSome: ({ items }) => items })
  )

const shown = (items: Checklist.Checklist): ReadonlyArray<string> => {
  const width = String(items.length).length
  return items.map(({ state, text }, index) => {
    const number = String(index + 1).padStart(width)
    return `${number}  ${marks[state]} ${Words.printable(redaction.text(text))}`
  })
}

const toggled = (entry: TaskStore.Entry, place: number) =>
  Effect.gen(function* () {
    const { meta, record } = entry.node.row
    const items = yield* itemsOf(entry)
    const item = items[place - 1]
    if (item === undefined) {
      return yield* usage(`the checklist has no item ${place}`, "Look at it: /checklist")
    }
    if (!entry.here && TaskNode.isAlive(entry.node)) return yield* usage(HolderText.follows(entry), "Change it there.")
    const state = item.state === "done" ? ("open" as const) : ("done" as const)
    const files = yield* FocusChain
    const stored = yield* files
      .edit(record.id, meta.title, (text) => Checklist.edit(text, [{ id: item.id, state }]))
      .pipe(Effect.catchTag("PatchError", () => usage("the item is gone", "Look at the list: /checklist")))
    const steps = [{ _tag: "ChecklistEdited" as const, taskId: record.id, items: redaction.deep(stored.items) }]
    yield* Telemetry.tell((yield* (yield* TaskHistory).commit(steps)).events)
    return `${marks[state]} ${Words.printable(item.text)}`
  })

/** `rest`: nothing, a number, or `edit`. */
export const checklist = ({ entry, perform, store, ui }: Around, rest: string): void => {
  const task = entry()
  if (task === undefined) return ui.hint("No task is shown.")
  if (rest === "edit") {
    const wish = Effect.gen(function* () {
      if ((yield* itemsOf(task)).length === 0) return ui.tell(["This task has no checklist yet."])
      const file = (yield* FocusChain).path(TaskStore.idOf(task))
      yield* Editing.file(file, ui.lend)
      yield* store.refresh
    })
    return perform(wish)
  }
  if (rest !== "" && !/^\d{1,3}$/u.test(rest)) return ui.hint("/checklist, /checklist NUMBER or /checklist edit")
  const wish = Effect.gen(function* () {
    if (rest !== "") {
      ui.tell([yield* toggled(task, Number(rest))])
      return yield* store.refresh
    }
    const items = yield* itemsOf(task)
    if (items.length === 0) return ui.tell(["This task has no checklist yet."])
    ui.tell([
      "",
      ...shown(items),
      "/checklist NUMBER checks one or opens it again; /checklist edit opens the file.",
      ""
    ])
  })
  perform(wish)
}
