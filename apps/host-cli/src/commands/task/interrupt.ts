/** `belay task interrupt`: stops a task and its subtasks, whichever process runs them; they stay resumable. */
import { AttentionFile, TaskHistory } from "@belay/history-store"
import * as DataFolder from "@belay/history-store/data-folder"
import { Interruption, TaskNode } from "@belay/task-engine/outside"
import { Copy, Words } from "@belay/task-engine/protocol"
import * as Effect from "effect/Effect"
import { type Parsed, text } from "../../Arguments.ts"
import { type ExitCode, Failure, fromError, line, usage } from "../../Failure.ts"
import { layer as history } from "../../History.ts"
import * as ResultObject from "../../output/ResultObject.ts"
import type { Sink } from "../../output/Sink.ts"
import { reading } from "../../Reading.ts"
import * as TaskReference from "../../TaskReference.ts"
import { load } from "./tree.ts"

/** The task before anything is done, and how to name it. */
const before = (parsed: Parsed) =>
  Effect.gen(function* () {
    const id = yield* TaskReference.inFolder(parsed.args[0] ?? "", text(parsed, "cwd"))
    const node = yield* load(id)
    return { id, node, reference: yield* TaskReference.short(id), title: `"${Words.printable(node.row.meta.title)}"` }
  })

type Known = Effect.Success<ReturnType<typeof before>>

/** What dead processes left is repaired first; then whoever is responsible stops the task. */
const stop = ({ id }: Known) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    yield* history.reconcile(new Set())
    return yield* Effect.tap(Interruption.interrupt(id), AttentionFile.refresh(DataFolder.directory()))
  }).pipe(Effect.provide(history()), Effect.mapError(fromError))

const completed = ({ reference, title }: Known): Failure =>
  usage(`${title} is completed, so there is nothing to stop`, `Its result: belay task show ${reference}`)

const unconfirmed = ({ reference, title }: Known): Failure =>
  new Failure({
    code: 3,
    tag: "NotConfirmed",
    what: `the process that runs ${title} was asked to stop it and has not confirmed`,
    hint: `See whether it did: belay task show ${reference}`
  })

const isOpen = ({ row: { record } }: TaskNode.TaskNode): boolean =>
  record.status !== "completed" && record.status !== "interrupted"

const sentence = ({ node, reference, title }: Known, after: TaskNode.TaskNode): string => {
  const next = `Go on with: belay task resume ${reference}\n`
  const { record } = after.row
  const reason = record.status === "interrupted" ? record.interruption.reason : "user"
  if (!isOpen(node) || reason === "crash") {
    return `${title} is already interrupted: ${Words.interruption(reason)}. ${next}`
  }
  const below = TaskNode.descendants(node).filter(isOpen).length
  return `${Copy.stopTree({ task: node.row.meta.title, n: below })} ${next}`
}

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const known = yield* reading(before(parsed))
    const { status } = known.node.row.record
    const done = status === "completed" || status === "interrupted" || (yield* stop(known))
    const { after, object } = yield* reading(Effect.all({ after: load(known.id), object: ResultObject.read(known.id) }))
    const failure = after.row.record.status === "completed" ? completed(known) : done ? undefined : unconfirmed(known)
    if (text(parsed, "output") === "json") {
      const shown = failure?.code === 2 && object !== undefined ? ResultObject.withError(object, failure) : object
      sink.data(`${JSON.stringify(shown)}\n`)
    }
    if (failure !== undefined) {
      sink.err(line(failure))
      return failure.code
    }
    if (text(parsed, "output") !== "json") sink.out(sentence(known, after))
    return 0
  })
