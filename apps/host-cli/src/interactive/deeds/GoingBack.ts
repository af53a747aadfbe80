/**
 * Going back in the task that is shown to what was said before: its files, its conversation, or both; or another task from
 * there. What is now is recorded first, so that it can be taken back.
 */
import { TaskHistory } from "@belay/history-store"
import { Words } from "@belay/interaction"
import { StateText, TaskStore } from "@belay/interaction/tasks"
import { Message } from "@belay/message-state"
import * as Restoring from "@belay/task-engine/unstable/restoring"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import { fromError, usage } from "../../cli/Failure.ts"
import type { Around } from "./Around.ts"
import * as Wanted from "./Wanted.ts"

const mostNamed = 5

const files = (count: number): string => `${count} ${count === 1 ? "file" : "files"}`

const hints: Readonly<Record<Restoring.NotRestored["reason"], string>> = {
  runs: "Stop it first: Esc Esc.",
  completed: "Go on in a new task from there instead.",
  waits: "Its subtasks are not finished: stop or abandon them first.",
  noMessage: "Choose another one.",
  nothing: "Nothing was taken back.",
  files: "Make room for it, or restore by hand."
}

const failed = (error: unknown) =>
  error instanceof Restoring.NotRestored ? usage(error.what, hints[error.reason]) : fromError(error)

/** What was done, with what undoes it. */
const told = ({ changes, conversation, kept }: Restoring.Done, isUndone: boolean): ReadonlyArray<string> => {
  const names = changes.map(({ path }) => Words.printable(path))
  const listed = `${names.slice(0, mostNamed).join(", ")}${names.length > mostNamed ? `, and ${names.length - mostNamed} more` : ""}`
  const said = [
    names.length === 0 ? "No file had changed." : `${files(names.length)}: ${listed}.`,
    ...(conversation ? [isUndone ? "The conversation is as it was." : "What stands above is kept in the history."] : [])
  ].join(" ")
  return [
    `${isUndone ? "Taken back" : "Went back"}. ${said}${isUndone ? "" : " /undo takes it back."}`,
    ...kept.map(Restoring.keptText)
  ]
}

/** A task whose turn is over has its process while nobody says more: it stops without a word, or it could not go back. */
const atRest = ({ entry }: Around) =>
  Effect.suspend(() => {
    const now = entry()
    return now !== undefined && now.here && StateText.isIdle(now.node) ? Wanted.stop(now) : Effect.void
  })

/** What goes back is chosen when it is seen what that changes; `text`: what was said there. */
const choose = (around: Around, task: TaskStore.Entry, to: number, text: string, branch: () => void) => {
  const { perform, show, store, ui } = around
  const back = (what: Restoring.What) => {
    const wish = Effect.gen(function* () {
      yield* atRest(around)
      const done = yield* Restoring.restore(task.node.row, { to, what })
      if (done.conversation) yield* show(TaskStore.idOf(task), false)
      ui.tell(["", ...told(done, false), ""])
      if (done.conversation) ui.giveBack(text)
      yield* store.refresh
    }).pipe(Effect.mapError(failed))
    perform(wish)
  }
  const deeds: Readonly<Record<string, readonly [string, () => void]>> = {
    files: ["the files", () => back("files")],
    conversation: ["the conversation", () => back("conversation")],
    both: ["both", () => back("both")],
    branch: ["neither: what you send next begins a new task from there", branch]
  }
  ui.choose({
    label: "Go back with",
    none: "Nothing fits.",
    items: (words) =>
      Object.entries(deeds).flatMap(([id, [title]]) =>
        title.includes(words.toLowerCase()) ? [{ id, text: title }] : []
      ),
    chosen: (id) => deeds[id]?.[1]()
  })
}

/** What the person has said since the beginning, the newest first. */
const saidIn = (id: TaskId.TaskId) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const persons = new Set(
      (yield* history.messages(id)).flatMap((message) =>
        message.content.some((_, at) => Message.originOf(message, at) === "user") ? [message.index] : []
      )
    )
    const all = yield* history.outline(id)
    return all.filter(({ messageIndex }) => messageIndex > 0 && persons.has(messageIndex)).toReversed()
  })

/** `branch`: what is sent next goes on after this message, in a new task. */
export const rewind = (around: Around, branch: (task: TaskStore.Entry, at: number, text: string) => void): void => {
  const { entry, perform, ui } = around
  const task = entry()
  if (task === undefined) return ui.hint("No task is shown.")
  const wish = Effect.gen(function* () {
    const said = yield* saidIn(TaskStore.idOf(task))
    const open = (id: string) => {
      const chosen = said.find(({ messageIndex }) => String(messageIndex) === id)
      if (chosen === undefined) return
      const to = chosen.messageIndex - 1
      const before = Effect.gen(function* () {
        const { changes } = yield* Restoring.preview(task.node.row, to)
        const titles = new Map(changes.flatMap(({ byTasks }) => byTasks).map((id) => [id, Words.shortId(id)] as const))
        ui.tell(["", `Before "${Words.printable(chosen.text)}": ${files(changes.length)} would change.`])
        for (const line of Restoring.shares({ changes, kept: [] }, (id) => titles.get(id))) ui.tell([line])
        choose(around, task, to, chosen.text, () => branch(task, to, chosen.text))
      }).pipe(Effect.mapError(failed))
      perform(before)
    }
    if (said.length === 0) return ui.hint("There is nothing to go back to yet.")
    ui.choose({
      label: "Back to before",
      none: "Nothing that was said has this.",
      items: (words) =>
        said
          .filter(({ text }) => text.toLowerCase().includes(words.toLowerCase()))
          .map(({ messageIndex, text, ts }) => ({
            id: String(messageIndex),
            text: `${Words.age(Date.now() - ts).padStart(4)} ago  ${Words.printable(text)}`
          })),
      chosen: open
    })
  })
  perform(wish)
}

/** Once, and until the task goes on. */
export const undo = (around: Around): void => {
  const { entry, perform, show, store, ui } = around
  const task = entry()
  if (task === undefined) return ui.hint("No task is shown.")
  const wish = Effect.gen(function* () {
    yield* atRest(around)
    const done = yield* Restoring.undo(task.node.row)
    if (done.conversation) yield* show(TaskStore.idOf(task), false)
    ui.tell(["", ...told(done, true), ""])
    yield* store.refresh
  }).pipe(Effect.mapError(failed))
  perform(wish)
}
