/** What a view shows of a task besides its rows, as it is now: read from the board, the history and the draft. */
import { QueuedMessage, ViewSnapshot } from "@belay/interaction/unstable/feed"
import { OpenAsks, TaskStore } from "@belay/interaction/tasks"
import { Inbox, TaskHistory } from "@belay/history-store"
import { ApprovalLevel, View, Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as vscode from "vscode"
import * as NextTaskMode from "../tasks/NextTaskMode.ts"
import { Models, Settings } from "@belay/settings"
import * as ModelPrice from "../settings/ModelPrice.ts"
import * as Preferences from "../settings/Preferences.ts"
import { Key } from "../settings/Key.ts"
import { Pictures } from "./pictures/Pictures.ts"

const isVerbosity = Schema.is(View.Verbosity)
const verbosityOf = (set: unknown): View.Verbosity => (isVerbosity(set) ? set : "full")

export const make = Effect.gen(function* () {
  const board = yield* TaskStore.TaskStore
  const inbox = yield* Inbox
  const history = yield* TaskHistory
  const { notice } = history
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

  /** As the assistant and the person have it, read again when something happened. */
  let list: { readonly id: string; readonly seq: number; readonly items: ReadonlyArray<View.ListItem> } | undefined
  const listOf = ({ node: { row } }: TaskStore.Entry) =>
    Effect.gen(function* () {
      if (row.checklist === null) return {}
      const { id } = row.record
      if (list?.id !== id || list.seq !== row.lastSeq) {
        const found = Option.getOrUndefined(yield* history.checklist(id))
        const items = (found?.items ?? []).map(({ state, text }) => ({ state, text: Words.printable(text) }))
        list = { id, seq: row.lastSeq, items }
      }
      return { list: list.items }
    })

  const besideOf = (entry: TaskStore.Entry) =>
    Effect.gen(function* () {
      const waiting = new Set(OpenAsks.all(board.now()).map((open) => TaskStore.idOf(open.entry)))
      waiting.delete(TaskStore.idOf(entry))
      const { model, settings } = entry.node.row.meta
      const models = settings instanceof Object && "models" in settings ? settings.models : {}
      const price = ModelPrice.of({ models: models as Settings.TaskSettings["models"] }, model)
      const approvals = ApprovalLevel.of(settings) ?? "your settings"
      const { inputLimit, isKnown } = Models.of({ models: models as Settings.TaskSettings["models"] }, model)
      const tokens = entry.node.row.contextTokens
      const context = isKnown ? { context: { tokens, limit: inputLimit } } : {}
      return {
        ...context,
        others: waiting.size,
        approvals,
        ...(price === undefined ? {} : { price }),
        ...(yield* listOf(entry))
      }
    })

  const nextOf = (mode: "plan" | "act") =>
    Effect.map(Effect.option(Preferences.forTask), (found) => {
      const settings = Option.getOrUndefined(found)
      if (settings === undefined) return {}
      const model = Settings.modelFor(settings, mode)
      const price = ModelPrice.of(settings, model)
      const approvals = ApprovalLevel.of(settings) ?? "your settings"
      return { model: Words.printable(model), approvals, ...(price === undefined ? {} : { price }) }
    })

  return (task: string | null) =>
    Effect.gen(function* () {
      const verbosity = verbosityOf(vscode.workspace.getConfiguration("belay").get("accessibility.verbosity"))
      const entry = board.now().entries.get(task ?? "")
      const pictures = (yield* attached.of(task)).map(({ id, name }) => ({ id, name: Words.printable(name) }))
      if (entry === undefined) {
        const mode = yield* NextTaskMode.get
        const hasKey = Exit.isSuccess(yield* Effect.exit(key.access(mode)))
        const own = key.service(mode).host !== "api.anthropic.com"
        const folders = (vscode.workspace.workspaceFolders ?? []).length
        const welcome = ViewSnapshot.welcomeOf(board.now(), { folders, hasKey, mode, notice, own })
        const next = yield* nextOf(mode)
        return {
          header: null,
          welcome: { ...welcome, ...next },
          asks: [],
          queued: [],
          pictures,
          verbosity
        } satisfies Partial<View.Whole>
      }
      const asks = yield* asksOf(entry)
      const queued = yield* queuedOf(entry)
      const header = ViewSnapshot.headerOf(entry, board.now(), { notice, trusted: vscode.workspace.isTrusted })
      const beside = yield* besideOf(entry)
      return {
        header: { ...header, ...beside },
        welcome: null,
        asks,
        queued,
        pictures,
        verbosity
      } satisfies Partial<View.Whole>
    })
})
