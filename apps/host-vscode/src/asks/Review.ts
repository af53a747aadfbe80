/**
 * The review of edits that are asked for: opened beside what the person does, closed when its ask is settled.
 *
 * A review answers for the ask that it shows and for no other. One that was settled elsewhere can no longer be applied; it
 * closes, unless it holds what a person wrote.
 */
import { OpenAsks, TaskStore } from "@belay/interaction/tasks"
import { TaskEngine } from "@belay/task-engine"
import { Sentences } from "@belay/task-engine/text"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as vscode from "vscode"
import { Bridge, type EditorError, perform, type Refusal, scoped, tell } from "../vscode/Bridge.ts"
import { Proposals, schemes } from "./Proposals.ts"
import * as TypingIdle from "../vscode/TypingIdle.ts"
import * as ReviewActions from "./ReviewActions.ts"
import * as ReviewEnd from "./ReviewEnd.ts"
import * as ReviewFiles from "./ReviewFiles.ts"
import * as ReviewTabs from "./ReviewTabs.ts"
import { ShownTask } from "../tasks/ShownTask.ts"

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
        const announce = (): void => ReviewActions.publish(proposals)
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

        const filesOf = (one: OpenAsks.Open) =>
          Effect.tap(ReviewFiles.of(engine, proposals, one), () => Effect.sync(announce))

        const open = (one: OpenAsks.Open) =>
          Effect.gen(function* () {
            const files = yield* filesOf(one)
            ReviewFiles.mentionUnsaved(one)
            return yield* perform(() => ReviewTabs.show(one, files))
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
            const files = yield* filesOf(one)
            yield* perform(() => ReviewTabs.showQuietly(one, files, column))
            // Nobody asked for it, so nobody is told that it cannot be shown.
          }).pipe(Effect.catchTag("Refusal", () => Effect.void))

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
            if (ids.has(askId) || own.has(askId) || ended.has(uri.query)) continue
            ended.add(uri.query)
            fork(ReviewEnd.elsewhere(proposals, uri, { askId, path: summary.path }))
          }
          for (const one of edits.filter(({ ask }) => !known.has(ask.askId))) {
            if (proposals.wasShown(ReviewFiles.callOf(one)) && isStale(one)) fork(compareAgain(one))
            else if (opensByItself(one)) fork(openQuietly(one))
          }
          known = ids
        }
        board.listen(look)

        const answering = <E, R>(askId: string, answer: Effect.Effect<unknown, E, R>) =>
          Effect.sync(() => own.add(askId)).pipe(
            Effect.andThen(answer),
            Effect.andThen(ReviewEnd.answered(proposals, askId)),
            Effect.ensuring(
              Effect.sync(() => {
                own.delete(askId)
                look()
              })
            )
          )

        return Review.of({ proposals, open, answering, together: () => ReviewActions.together(proposals), touched })
      })
    )
}
