/**
 * A conversation as a read-only document: the most accessible view there is, and the same whoever runs the task.
 *
 * `belay-transcript:/<title>.md?<task id>`. An open document grows with the events of its task; `belay-output:` has the
 * whole of an output that is shortened in it.
 */
import { TaskExport, TranscriptText } from "@belay/interaction/unstable/feed"
import { TaskStore, TaskText } from "@belay/interaction/tasks"
import { type HistoryError, TaskHistory } from "@belay/history-store"
import { Words } from "@belay/interaction"
import type { TaskId } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as vscode from "vscode"
import { scoped } from "../vscode/Bridge.ts"
import { redaction } from "../vscode/Redaction.ts"

const scheme = "belay-transcript"
const outputScheme = "belay-output"
const page = 500

export const addressOf = (entry: TaskStore.Entry): vscode.Uri =>
  vscode.Uri.from({ scheme, path: `/${TaskExport.fileName(entry)}.md`, query: TaskStore.idOf(entry) })

const idOf = (address: vscode.Uri) => address.query as TaskId.TaskId

/** What was stored before a key was known may hold it. */
const readable = (text: Effect.Effect<string, HistoryError.HistoryError>): Effect.Effect<string> =>
  text.pipe(
    Effect.catch((error) => Effect.succeed(`${Words.printable(error.message)}\n`)),
    Effect.map(redaction.text)
  )

/** The whole output of the event of this `seq`, or all that the edit changes which it asks for. */
export const outputOf = (task: string, seq: number, name = "Output.txt"): vscode.Uri =>
  vscode.Uri.from({ scheme: outputScheme, path: `/${name}`, query: `${task} ${seq}` })

const linkOf = (address: vscode.Uri, { line, seq }: TranscriptText.Omission, length: number): vscode.DocumentLink => {
  const target = outputOf(address.query, seq)
  const link = new vscode.DocumentLink(new vscode.Range(line, 4, line, length), target)
  link.tooltip = "Show the whole output"
  return link
}

const textFor = (address: vscode.Uri, entry: TaskStore.Entry | undefined): TranscriptText.TranscriptText => {
  if (entry === undefined) return TranscriptText.make(idOf(address))
  const { host, settings } = entry.node.row.meta
  return TranscriptText.make(TaskText.titleOf(entry), { kind: host, limit: Words.limit(settings) })
}

export class Transcripts extends Context.Service<
  Transcripts,
  {
    /** The line at which a message of an open conversation begins. */
    readonly lineOf: (address: vscode.Uri, message: number) => number
  }
>()("@belay/host-vscode/Transcripts") {}

export const layer = Layer.effect(
  Transcripts,
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const board = yield* TaskStore.TaskStore
    const changed = yield* scoped(() => new vscode.EventEmitter<vscode.Uri>())
    const context = yield* Effect.context()
    /** What was read of the documents that are open. */
    const known = new Map<string, TranscriptText.TranscriptText>()

    const textOf = (address: vscode.Uri): TranscriptText.TranscriptText => {
      const name = address.toString()
      const entry = board.now().entries.get(idOf(address))
      const found = known.get(name) ?? textFor(address, entry)
      known.set(name, found)
      return found
    }

    const read = (address: vscode.Uri) =>
      Effect.gen(function* () {
        const text = textOf(address)
        for (let more = true; more;) {
          const from = text.next()
          const events = yield* history.events(idOf(address), from, page)
          // Another reading of the same document may have been faster.
          if (text.next() === from) text.add(events)
          more = events.length === page
        }
        return text.text()
      }).pipe(readable)

    const output = (address: vscode.Uri) => {
      const [id = "", seq = ""] = address.query.split(" ")
      return Effect.map(history.events(id as TaskId.TaskId, Number(seq), 1), ([event]) =>
        TranscriptText.outputOf(event)
      ).pipe(readable)
    }

    yield* scoped(() =>
      vscode.workspace.registerTextDocumentContentProvider(scheme, {
        onDidChange: changed.event,
        provideTextDocumentContent: (address) => Effect.runPromiseWith(context)(read(address))
      })
    )
    yield* scoped(() =>
      vscode.workspace.registerTextDocumentContentProvider(outputScheme, {
        provideTextDocumentContent: (address) => Effect.runPromiseWith(context)(output(address))
      })
    )
    yield* scoped(() =>
      vscode.languages.registerDocumentLinkProvider(
        { scheme },
        {
          provideDocumentLinks: (document) =>
            textOf(document.uri)
              .omissions()
              .filter(({ line }) => line < document.lineCount)
              .map((omission) => linkOf(document.uri, omission, document.lineAt(omission.line).text.length))
        }
      )
    )
    yield* scoped(() => vscode.workspace.onDidCloseTextDocument(({ uri }) => known.delete(uri.toString())))
    const seqOf = (snapshot: TaskStore.Snapshot, id: string): number => snapshot.entries.get(id)?.node.row.lastSeq ?? 0
    board.listen((now, before) => {
      for (const { uri } of vscode.workspace.textDocuments) {
        if (uri.scheme === scheme && seqOf(now, idOf(uri)) !== seqOf(before, idOf(uri))) changed.fire(uri)
      }
    })
    return Transcripts.of({ lineOf: (address, message) => textOf(address).lineOf(message) })
  })
)
