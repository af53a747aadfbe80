/**
 * The review of edits that are asked for: opened beside what the person does, closed when its ask is settled.
 *
 * A review answers for the ask that it shows and for no other. One that was settled elsewhere can no longer be applied; it
 * closes, unless it holds what a person wrote.
 */
import { TaskEngine } from "@belay/task-engine"
import { Copy, Words } from "@belay/task-engine/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as vscode from "vscode"
import * as AskItem from "./AskItem.ts"
import * as Board from "./Board.ts"
import { Bridge, type EditorError, perform, Refusal, scoped, tell } from "./Bridge.ts"
import { openAsks, type Open } from "./NeedsYouProvider.ts"
import { Proposals, schemes, type Sides } from "./Proposals.ts"
import { ShownTask } from "./ShownTask.ts"
import * as TaskItem from "./TaskItem.ts"

const tabsOf = (uri: vscode.Uri): ReadonlyArray<vscode.Tab> =>
  vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === uri.toString())

/** The group that is active: it is named, so that none is made when it is locked. */
const activeGroup = (): vscode.ViewColumn => vscode.window.tabGroups.activeTabGroup.viewColumn

/** A group in which nothing that somebody may be typing in is hidden; nothing when there is none. */
const quietGroup = (): vscode.ViewColumn | undefined => {
  const { activeTabGroup, all } = vscode.window.tabGroups
  const isFree = (group: vscode.TabGroup): boolean => group !== activeTabGroup || group.tabs.length === 0
  return all.find(isFree)?.viewColumn
}

const show = (
  { entry }: Open,
  files: ReadonlyArray<readonly [path: string, sides: Sides]>,
  viewColumn: vscode.ViewColumn
): Thenable<unknown> => {
  const [first] = files
  const title = TaskItem.titleOf(entry)
  if (first === undefined || files.length > 1) {
    const list = files.map(([, { base, proposed }]) => [proposed, base, proposed])
    return vscode.commands.executeCommand("vscode.changes", title, list)
  }
  const [path, { base, proposed }] = first
  const name = `${Words.printable(path)} (as it is ↔ as proposed, ${title})`
  const quietly: vscode.TextDocumentShowOptions = { preview: true, preserveFocus: true, viewColumn }
  return vscode.commands.executeCommand("vscode.diff", base, proposed, name, quietly)
}

/** What the actions in the title look for. */
const publish = (proposals: Proposals): void => {
  const uris = proposals.all().map(([uri]) => uri)
  const set = (key: string, of: ReadonlyArray<vscode.Uri>): void =>
    void vscode.commands.executeCommand(
      "setContext",
      key,
      of.map((uri) => uri.toString())
    )
  set("belay.reviews", uris)
  set(
    "belay.reviewsChanged",
    uris.filter((uri) => proposals.edited(uri) !== undefined)
  )
}

const callOf = ({ ask, entry }: Open): string => `${Board.idOf(entry)} ${ask.callId ?? ask.askId}`

/** It was asked before, and the file changed since. */
const isStale = ({ ask: { payload } }: Open): boolean =>
  payload.edits?.some(({ resolved }) => payload.reason?.startsWith(Copy.askStale(resolved))) === true

export class Review extends Context.Service<
  Review,
  {
    readonly proposals: Proposals
    /** Opens what the ask would change; the focus stays where it is. */
    readonly open: (open: Open) => Effect.Effect<void, EditorError | Refusal>
    /** The ask is answered: its review closes. */
    readonly settled: (askId: string) => Effect.Effect<void, EditorError>
  }
>()("@belay/host-vscode/Review") {
  static readonly layer: Layer.Layer<Review, never, Bridge | Board.Board | TaskEngine | ShownTask> = Layer.effect(
    Review,
    Effect.gen(function* () {
      const board = yield* Board.Board
      const engine = yield* TaskEngine
      const shown = yield* ShownTask
      const { log } = yield* Bridge
      const context = yield* Effect.context()
      const proposals = new Proposals()
      for (const scheme of Object.values(schemes)) {
        const isReadonly = scheme === schemes.base
        yield* scoped(() => vscode.workspace.registerFileSystemProvider(scheme, proposals, { isReadonly }))
      }
      yield* scoped(() =>
        vscode.workspace.onDidChangeTextDocument(({ document: { uri } }) => {
          if (uri.scheme === schemes.proposed) publish(proposals)
        })
      )

      const close = (uri: vscode.Uri) =>
        Effect.gen(function* () {
          const tabs = tabsOf(uri)
          const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString())
          // A tab with unsaved text would ask what is to become of it.
          if (document?.isDirty === true) yield* perform(() => document.save())
          if (tabs.length > 0) yield* perform(() => vscode.window.tabGroups.close(tabs, true))
          proposals.forget(uri)
          publish(proposals)
        })

      const settled = (askId: string) =>
        Effect.forEach(
          proposals.all().filter(([, review]) => review.askId === askId),
          ([uri]) => close(uri),
          { discard: true }
        )

      const open = (one: Open, column = activeGroup()) =>
        Effect.gen(function* () {
          const { ask, entry } = one
          const { id } = entry.node.row.record
          if (!engine.running().has(id)) {
            const title = TaskItem.titleOf(entry)
            const line = `"${title}" does not run in this window. What it would change is shown where it runs.`
            return yield* new Refusal({ line })
          }
          const files = yield* Effect.mapError(
            engine.proposals(id, ask.askId),
            () => new Refusal({ line: Copy.askLate })
          )
          const hidden = files.find(({ contents }) => contents === undefined)
          if (hidden !== undefined) {
            const { hidden: why = "it cannot be read", path } = hidden.summary
            const line = `${Words.printable(`${path} is not shown: ${why}`)}. It can be answered in its row.`
            return yield* new Refusal({ line })
          }
          const of = { askId: ask.askId, call: callOf(one) }
          const sides = files.map((file) => [file.summary.path, proposals.show(file, of)] as const)
          publish(proposals)
          yield* perform(() => show(one, sides, column))
        })

      /** Settled by something else than itself. What the person wrote stays readable; it can no longer be applied. */
      const gone = (uri: vscode.Uri, path: string) =>
        Effect.gen(function* () {
          if (proposals.edited(uri) === undefined || tabsOf(uri).length === 0) return yield* close(uri)
          const line = `Answered: what you wrote for ${Words.printable(path)} was not applied. It stays in its tab.`
          void vscode.window.showInformationMessage(line)
        })

      const compareAgain = (one: Open) =>
        Effect.gen(function* () {
          const line = Copy.askStale(one.ask.payload.edits?.[0]?.path ?? "The file")
          const again = yield* perform(() => vscode.window.showInformationMessage(line, "Compare again"))
          if (again !== undefined) yield* open(one)
        })

      const fork = (effect: Effect.Effect<void, EditorError | Refusal>): void =>
        void Effect.runForkWith(context)(Effect.catchCause(effect, (cause) => Effect.sync(() => tell(log, cause))))

      const opensByItself = (one: Open): boolean =>
        Board.idOf(one.entry) === shown.id() &&
        vscode.workspace.getConfiguration("belay").get("review.open") === "automatically"

      let known = new Set(openAsks(board.now()).map(({ ask }) => ask.askId))
      const ended = new Set<string>()

      board.listen(() => {
        const edits = openAsks(board.now()).filter(AskItem.isEdit)
        const ids = new Set(edits.map(({ ask }) => ask.askId))
        for (const [uri, { askId, summary }] of proposals.all()) {
          if (ids.has(askId) || ended.has(uri.path)) continue
          ended.add(uri.path)
          fork(gone(uri, summary.path))
        }
        for (const one of edits.filter(({ ask }) => !known.has(ask.askId))) {
          if (proposals.wasShown(callOf(one)) && isStale(one)) fork(compareAgain(one))
          else if (opensByItself(one)) {
            const column = quietGroup()
            if (column !== undefined) fork(open(one, column))
          }
        }
        known = ids
      })

      return Review.of({ proposals, open: (one) => open(one), settled })
    })
  )
}
