/**
 * Edits that are asked for, in the editors of their files: each part where it would go, with yes and no.
 *
 * A part is decided by a person alone, and what waits no more is never another one in its place. When all parts of all
 * files of an ask are decided, the ask is answered: by the text that is wanted, or by no where nothing is. A file that is
 * another one by now, or whose review a person has written in, shows no parts: its review does.
 */
import { OpenAsks, TaskStore } from "@belay/interaction/tasks"
import { type AnswerInput, TaskEngine } from "@belay/task-engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as vscode from "vscode"
import { command, perform, Refusal, scoped } from "../vscode/Bridge.ts"
import * as FilePath from "../vscode/FilePath.ts"
import * as Answering from "./Answering.ts"
import * as InputGuard from "../vscode/InputGuard.ts"
import * as Hunks from "./Hunks.ts"
import * as Parts from "./Parts.ts"
import { Review } from "./Review.ts"

const gone = () => new Refusal({ line: "This edit does not wait for you any more." })

/** What a person who has decided all of it wants. */
const answerOf = (files: ReadonlyArray<Parts.Pending>): AnswerInput => {
  if (files.every(({ parts }) => parts.every(({ wanted }) => wanted === false))) return { decision: "deny" }
  const edited = files.flatMap(({ base, parts, resolved }) =>
    parts.every(({ wanted }) => wanted === true)
      ? []
      : [{ resolved, text: Hunks.applied(base, parts, (at) => parts[at]?.wanted === true) }]
  )
  return edited.length === 0 ? { decision: "allow" } : { decision: "allow", edited }
}

/** The part at the cursor, or the next one after it. */
const placeOf = ({ parts }: Parts.Pending): number => {
  const line = vscode.window.activeTextEditor?.selection.active.line ?? 0
  return parts.findIndex(({ end, wanted }) => wanted === undefined && end >= line)
}

/** Where something is still to be decided: in the file in front, or the next one. */
const goToNext = (all: ReadonlyArray<Parts.Pending>) =>
  Effect.gen(function* () {
    const front = vscode.window.activeTextEditor?.document.uri
    const left = all.filter((one) => !Parts.isDecided(one))
    const file = left.find(({ resolved }) => front !== undefined && FilePath.is(front, resolved)) ?? left[0]
    const part = file?.parts.find(({ wanted }) => wanted === undefined)
    if (file === undefined || part === undefined) return
    const options = { selection: Parts.rangeOf(part), preview: true }
    yield* perform(() => vscode.window.showTextDocument(vscode.Uri.file(file.resolved), options))
  })

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const board = yield* TaskStore.TaskStore
    const engine = yield* TaskEngine
    const review = yield* Review
    const context = yield* Effect.context()
    const guard = yield* InputGuard.begin
    const changed = yield* scoped(() => new vscode.EventEmitter<void>())
    const goneStyle = yield* scoped(Parts.styles.gone)
    const comeStyle = yield* scoped(Parts.styles.come)
    /** What was read of each ask; a file without parts is one that cannot be shown. */
    const read = new Map<string, ReadonlyArray<Parts.Pending>>()

    const asks = (): ReadonlyArray<OpenAsks.Open> =>
      OpenAsks.all(board.now()).filter(
        (one) => OpenAsks.isEdit(one) && engine.running().has(one.entry.node.row.record.id)
      )

    const isAsIs = (document: vscode.TextDocument, { base, open, resolved }: Parts.Pending): boolean =>
      document.getText() === base &&
      review.proposals.editedFor(open.ask.askId).every((one) => one.resolved !== resolved)

    const pendingIn = (document: vscode.TextDocument): ReadonlyArray<Parts.Pending> =>
      document.uri.scheme === "file" && read.size > 0
        ? [...read.values()].flat().filter((one) => FilePath.is(document.uri, one.resolved) && isAsIs(document, one))
        : []

    const draw = (): void => {
      for (const editor of vscode.window.visibleTextEditors) {
        if (editor.document.uri.scheme !== "file") continue
        const all = pendingIn(editor.document).map((one) => Parts.decorationsOf(editor.document, one))
        editor.setDecorations(
          goneStyle,
          all.flatMap((one) => one.gone)
        )
        editor.setDecorations(
          comeStyle,
          all.flatMap((one) => one.come)
        )
      }
      changed.fire()
    }

    const load = (open: OpenAsks.Open) =>
      Effect.gen(function* () {
        const { askId } = open.ask
        read.set(askId, [])
        const files = yield* engine.proposals(open.entry.node.row.record.id, askId)
        const areShown = files.every(({ contents, summary }) => contents !== undefined && summary.deletes !== true)
        if (!areShown || !read.has(askId)) return
        guard.restart()
        read.set(
          askId,
          files.map((file) => Parts.of(open, file))
        )
        draw()
      }).pipe(Effect.ignore)

    const isOpen = (open: OpenAsks.Open): boolean =>
      open.ask.payload.edits?.some(({ resolved }) =>
        vscode.window.visibleTextEditors.some(
          ({ document: { uri } }) => uri.scheme === "file" && FilePath.is(uri, resolved)
        )
      ) === true

    const look = (): void => {
      const all = asks()
      const ids = new Set(all.map(({ ask }) => ask.askId))
      const ended = [...read.keys()].filter((id) => !ids.has(id))
      for (const id of ended) read.delete(id)
      for (const one of all) if (!read.has(one.ask.askId) && isOpen(one)) Effect.runForkWith(context)(load(one))
      if (ended.length > 0) draw()
    }

    const decide = (id: string, wanted: boolean) =>
      command(id, (askId, resolved, at) =>
        Effect.gen(function* () {
          // What came under the pointer a moment ago was not meant.
          if (!guard.isOver()) return
          const file =
            typeof askId === "string" ? read.get(askId)?.find((one) => one.resolved === resolved) : atCursor()
          const part = file?.parts[typeof at === "number" ? at : placeOf(file)]
          if (file === undefined || part === undefined) return yield* gone()
          part.wanted = wanted
          draw()
          const all = read.get(file.open.ask.askId) ?? []
          if (all.every(Parts.isDecided)) yield* Answering.carryOut(file.open, answerOf(all))
          else yield* goToNext(all)
        })
      )

    const atCursor = (): Parts.Pending | undefined => {
      const document = vscode.window.activeTextEditor?.document
      return document === undefined ? undefined : pendingIn(document)[0]
    }

    board.listen(look)
    yield* scoped(() =>
      vscode.window.onDidChangeVisibleTextEditors(() => {
        look()
        if (read.size > 0) draw()
      })
    )
    yield* scoped(() =>
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (read.size > 0 && document.uri.scheme !== "output") draw()
      })
    )
    yield* scoped(() =>
      vscode.languages.registerCodeLensProvider(
        { scheme: "file" },
        {
          onDidChangeCodeLenses: changed.event,
          provideCodeLenses: (document) => pendingIn(document).flatMap(Parts.lensesOf)
        }
      )
    )
    yield* decide("belay.acceptPart", true)
    yield* decide("belay.rejectPart", false)
    look()
  })
)
