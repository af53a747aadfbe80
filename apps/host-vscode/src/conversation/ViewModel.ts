/** What a view shows of a task besides its rows, as it is now: read from the board, the history and the draft. */
import { Inbox, TaskHistory } from "@belay/history-store"
import { View, Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as vscode from "vscode"
import * as AskItem from "../asks/AskItem.ts"
import * as TaskStore from "../tasks/TaskStore.ts"
import * as NextTaskMode from "../tasks/NextTaskMode.ts"
import { Key } from "../settings/Key.ts"
import { Pictures } from "./pictures/Pictures.ts"
import * as TakingBack from "./TakingBack.ts"
import * as ViewSnapshot from "./ViewSnapshot.ts"

const isVerbosity = Schema.is(View.Verbosity)
const verbosityOf = (set: unknown): View.Verbosity => (isVerbosity(set) ? set : "full")

export const make = Effect.gen(function* () {
  const board = yield* TaskStore.TaskStore
  const inbox = yield* Inbox
  const { notice } = yield* TaskHistory
  const attached = yield* Pictures
  const key = yield* Key
  const facts = new Map<string, Effect.Success<ReturnType<typeof AskItem.factsOf>>>()

  const asksOf = (entry: TaskStore.Entry) =>
    Effect.forEach(AskItem.shownIn(entry), (open) =>
      Effect.gen(function* () {
        const { ask } = open
        const known = facts.get(ask.askId) ?? (yield* AskItem.factsOf(open))
        facts.set(ask.askId, known)
        const of = open.entry === entry ? [] : [{ label: "Task", text: AskItem.placeOf(open) }]
        return ViewSnapshot.askOf(open, { ...known, facts: [...of, ...known.facts] })
      })
    )

  const queuedOf = (entry: TaskStore.Entry) =>
    Effect.map(inbox.queued(TaskStore.idOf(entry)), (queued) =>
      queued
        .filter(TakingBack.isPersons)
        .map(({ id, images, text }) => ({ id, pictures: images, text: Words.printableLines(text).slice(0, 2000) }))
    )

  return (task: string | null) =>
    Effect.gen(function* () {
      const verbosity = verbosityOf(vscode.workspace.getConfiguration("belay").get("accessibility.verbosity"))
      const entry = board.now().entries.get(task ?? "")
      const pictures = (yield* attached.of(task)).map(({ id, name }) => ({ id, name: Words.printable(name) }))
      if (entry === undefined) {
        const mode = yield* NextTaskMode.get
        const hasKey = Exit.isSuccess(yield* Effect.exit(key.access(mode)))
        const welcome = ViewSnapshot.welcomeOf(board.now(), hasKey, mode)
        return { header: null, welcome, asks: [], queued: [], pictures, verbosity } satisfies Partial<View.Whole>
      }
      const asks = yield* asksOf(entry)
      const queued = yield* queuedOf(entry)
      const header = ViewSnapshot.headerOf(entry, board.now(), notice)
      return { header, welcome: null, asks, queued, pictures, verbosity } satisfies Partial<View.Whole>
    })
})
