/**
 * The review of edits that are asked for: opened beside what the person does, closed when its ask is settled.
 *
 * A review answers for the ask that it shows and for no other. One that was settled elsewhere can no longer be applied; it
 * closes, unless it holds what a person wrote.
 */
import { OpenAsks, TaskStore, TaskText } from "@belay/interaction/tasks"
import { TaskEngine } from "@belay/task-engine"
import { Copy, Words } from "@belay/interaction"
import { Sentences } from "@belay/task-engine/text"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as vscode from "vscode"
import { Bridge, type EditorError, perform, Refusal, scoped, tell } from "../vscode/Bridge.ts"
import { Proposals, schemes } from "./Proposals.ts"
import * as OpenTexts from "../editor/OpenTexts.ts"
import * as TypingIdle from "../vscode/TypingIdle.ts"
import * as ReviewTabs from "./ReviewTabs.ts"
import { ShownTask } from "../tasks/ShownTask.ts"

/** The ask whose files the editor in front shows together. */
const together = (proposals: Proposals): string | undefined => {
  const side = ReviewTabs.inFront()
  return side && proposals.get(side)?.askId
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
  const askId = together(proposals)
  const state = askId === undefined ? "" : proposals.editedFor(askId).length === 0 ? "plain" : "changed"
  void vscode.commands.executeCommand("setContext", "belay.reviewTogether", state)
}

const callOf = ({ ask, entry }: OpenAsks.Open): string => `${TaskStore.idOf(entry)} ${ask.callId ?? ask.askId}`

/** It was asked before, and the file changed since. */
const isStale = ({ ask: { payload } }: OpenAsks.Open): boolean =>
  payload.edits?.some(({ resolved }) => payload.reason?.startsWith(Sentences.askStale(resolved))) === true

export class Review extends Context.Service<
  Review,
  {
    readonly proposals: Proposals
    /** Opens what the ask would change; the focus stays where it is. */
    readonly open: (open: OpenAsks.Open) => Effect.Effect<unknown, EditorError | Refusal>
    /** The ask whose files the editor in front shows together. */
    readonly together: () => string | undefined
    /** A key was pressed where this window's editors do not hear it. */
    readonly touched: () => void
    /** Answers the ask: its review stays while nobody knows yet, and closes when it is answered. */
    readonly answering: <E, R>(
      askId: string,
      answer: Effect.Effect<unknown, E, R>
    ) => Effect.Effect<void, E | EditorError, R>
  }
>()("@belay/host-vscode/Review") {
  static readonly layer: Layer.Layer<Review, never, Bridge | TaskStore.TaskStore | TaskEngine | ShownTask> =
    Layer.effect(
      Review,
      Effect.gen(function* () {
        const board = yield* TaskStore.TaskStore
        const engine = yield* TaskEngine
        const shown = yield* ShownTask
        const { log } = yield* Bridge
        const context = yield* Effect.context()
        const proposals = new Proposals()
        const { quiet, touched } = yield* TypingIdle.make
        const announce = (): void => publish(proposals)
        for (const scheme of Object.values(schemes)) {
          const isReadonly = scheme === schemes.base
          yield* scoped(() => vscode.workspace.registerFileSystemProvider(scheme, proposals, { isReadonly }))
        }
        yield* scoped(() =>
          vscode.workspace.onDidChangeTextDocument(({ document: { uri } }) => {
            if (uri.toString() === vscode.window.activeTextEditor?.document.uri.toString()) touched()
            if (uri.scheme === schemes.proposed) announce()
          })
        )
        yield* scoped(() =>
          vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
            if (kind === vscode.TextEditorSelectionChangeKind.Keyboard) touched()
          })
        )
        yield* scoped(() => vscode.window.tabGroups.onDidChangeTabs(announce))
        yield* scoped(() => vscode.window.tabGroups.onDidChangeTabGroups(announce))

        const close = (uri: vscode.Uri, askId: string) =>
          Effect.gen(function* () {
            const shown = ReviewTabs.of(uri)
            const files = proposals.all().filter(([, file]) => file.askId === askId)
            const named = new Set(files.map(([file]) => file.toString()))
            const unsaved = vscode.workspace.textDocuments.filter(
              (document) => document.isDirty && named.has(document.uri.toString())
            )
            // A tab with unsaved text would ask what is to become of it.
            for (const document of unsaved) yield* perform(() => document.save())
            if (shown.length > 0) yield* perform(() => vscode.window.tabGroups.close(shown, true))
            proposals.forget(uri)
            announce()
          })

        const settled = (askId: string) =>
          Effect.forEach(
            proposals.all().filter(([, review]) => review.askId === askId),
            ([uri]) => close(uri, askId),
            { discard: true }
          )

        const sidesOf = (one: OpenAsks.Open) =>
          Effect.gen(function* () {
            const { ask, entry } = one
            const { id } = entry.node.row.record
            if (!engine.running().has(id)) {
              const title = TaskText.titleOf(entry)
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
            announce()
            return sides
          })

        /** What the person has not saved is on both sides, and is saved with the edit. */
        const mention = ({ ask }: OpenAsks.Open): void => {
          const typed = ask.payload.edits?.find(({ resolved }) => OpenTexts.unsaved(resolved) !== undefined)
          if (typed === undefined) return
          const line = `${Words.printable(typed.path)} has unsaved changes of yours. They are part of the comparison.`
          void vscode.window.showInformationMessage(line)
        }

        const open = (one: OpenAsks.Open) =>
          Effect.gen(function* () {
            const sides = yield* sidesOf(one)
            mention(one)
            return yield* perform(() => ReviewTabs.show(one, sides))
          })

        const opensByItself = (one: OpenAsks.Open): boolean =>
          TaskStore.idOf(one.entry) === shown.id() &&
          OpenAsks.all(board.now()).some(({ ask }) => ask.askId === one.ask.askId) &&
          vscode.workspace.getConfiguration("belay").get("review.open") === "automatically"

        /** A tab for each file, since an editor with several would take the focus. */
        const openQuietly = (one: OpenAsks.Open) =>
          Effect.gen(function* () {
            yield* quiet
            const column = ReviewTabs.quietColumn()
            if (column === undefined || !opensByItself(one)) return
            const sides = yield* sidesOf(one)
            yield* perform(() => ReviewTabs.showQuietly(one, sides, column))
            // Nobody asked for it, so nobody is told that it cannot be shown.
          }).pipe(Effect.catchTag("Refusal", () => Effect.void))

        /** Settled by something else than itself. What the person wrote stays readable; it can no longer be applied. */
        const gone = (uri: vscode.Uri, askId: string, path: string) =>
          Effect.gen(function* () {
            if (proposals.edited(uri) === undefined || ReviewTabs.of(uri).length === 0) return yield* close(uri, askId)
            const line = `Answered: what you wrote for ${Words.printable(path)} was not applied. It stays in its tab.`
            void vscode.window.showInformationMessage(line)
          })

        const compareAgain = (one: OpenAsks.Open) =>
          Effect.gen(function* () {
            const line = Sentences.askStale(one.ask.payload.edits?.[0]?.path ?? "The file")
            const again = yield* perform(() => vscode.window.showInformationMessage(line, "Compare again"))
            if (again !== undefined) yield* open(one)
          })

        const fork = (effect: Effect.Effect<unknown, EditorError | Refusal>): void =>
          void Effect.runForkWith(context)(Effect.catchCause(effect, (cause) => Effect.sync(() => tell(log, cause))))

        let known = new Set(OpenAsks.all(board.now()).map(({ ask }) => ask.askId))
        const ended = new Set<string>()
        /** What this window is answering has not been answered elsewhere. */
        const own = new Set<string>()

        const look = (): void => {
          const edits = OpenAsks.all(board.now()).filter(OpenAsks.isEdit)
          const ids = new Set(edits.map(({ ask }) => ask.askId))
          for (const [uri, { askId, summary }] of proposals.all()) {
            if (ids.has(askId) || own.has(askId) || ended.has(uri.path)) continue
            ended.add(uri.path)
            fork(gone(uri, askId, summary.path))
          }
          for (const one of edits.filter(({ ask }) => !known.has(ask.askId))) {
            if (proposals.wasShown(callOf(one)) && isStale(one)) fork(compareAgain(one))
            else if (opensByItself(one)) fork(openQuietly(one))
          }
          known = ids
        }
        board.listen(look)

        const answering = <E, R>(askId: string, answer: Effect.Effect<unknown, E, R>) =>
          Effect.sync(() => own.add(askId)).pipe(
            Effect.andThen(answer),
            Effect.andThen(settled(askId)),
            Effect.ensuring(
              Effect.sync(() => {
                own.delete(askId)
                look()
              })
            )
          )

        return Review.of({ proposals, open, answering, together: () => together(proposals), touched })
      })
    )
}
