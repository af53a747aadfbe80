/** What a view shows of a task besides its rows, as it is now: read from the board, the history and the draft. */
import { QueuedMessage, ViewSnapshot } from "@belay/interaction/feed"
import { OpenAsks, TaskStore } from "@belay/interaction/tasks"
import { Inbox, TaskHistory } from "@belay/history-store"
import { View, Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as vscode from "vscode"
import * as NextTaskMode from "../tasks/NextTaskMode.ts"
import { Key } from "../settings/Key.ts"
import { Pictures } from "./pictures/Pictures.ts"

const isVerbosity = Schema.is(View.Verbosity)
const verbosityOf = (set: unknown): View.Verbosity => (isVerbosity(set) ? set : "full")

export const make = Effect.gen(function* () {
  const board = yield* TaskStore.TaskStore
  const inbox = yield* Inbox
  const { notice } = yield* TaskHistory
  const attached = yield* Pictures
  const key = yield* Key
  const facts = new Map<string, Effect.Success<ReturnType<typeof OpenAsks.factsOf>>>()

  const asksOf = (entry: TaskStore.Entry) =>
    Effect.forEach(OpenAsks.shownIn(entry), (open) =>
      Effect.gen(function* () {
        const { ask } = open
        const known = facts.get(ask.askId) ?? (yield* OpenAsks.factsOf(open))
        facts.set(ask.askId, known)
        const of = open.entry === entry ? [] : [{ label: "Task", text: OpenAsks.placeOf(open) }]
        return ViewSnapshot.askOf(open, { ...known, facts: [...of, ...known.facts] })
      })
    )

  const queuedOf = (entry: TaskStore.Entry) =>
    Effect.map(inbox.queued(TaskStore.idOf(entry)), (queued) =>
      queued
        .filter(QueuedMessage.isPersons)
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
        const folders = (vscode.workspace.workspaceFolders ?? []).length
        const welcome = ViewSnapshot.welcomeOf(board.now(), { folders, hasKey, mode })
        return { header: null, welcome, asks: [], queued: [], pictures, verbosity } satisfies Partial<View.Whole>
      }
      const asks = yield* asksOf(entry)
      const queued = yield* queuedOf(entry)
      const header = ViewSnapshot.headerOf(entry, board.now(), { notice, trusted: vscode.workspace.isTrusted })
      return { header, welcome: null, asks, queued, pictures, verbosity } satisfies Partial<View.Whole>
    })
})
