/** `belay task interrupt`: stops a task and its subtasks, whichever process runs them; they stay resumable. */
import { AttentionFile, TaskHistory } from "@belay/history-store"
import * as DataFolder from "@belay/history-store/data-folder"
import { Interruption, TaskNode } from "@belay/task-engine/remote"
import { Copy, Holder, Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import { isSet, type Parsed, text } from "../../cli/Arguments.ts"
import * as Change from "../../tasks/Change.ts"
import { type ExitCode, type Failure, fromError, line, usage } from "../../cli/Failure.ts"
import { layer as history } from "../../tasks/History.ts"
import * as ResultObject from "../../result/ResultObject.ts"
import type { Sink } from "../../output/Sink.ts"
import { reading } from "../../tasks/Reading.ts"
import { load } from "../../tasks/TaskTree.ts"

/** The task before anything is done, and how to name it. */
const before = (parsed: Parsed) =>
  Effect.gen(function* () {
    const task = yield* Change.target(parsed)
    return { ...task, node: yield* load(task.id) }
  })

type Known = Effect.Success<ReturnType<typeof before>>

/** What dead processes left is repaired first; then whoever is responsible stops the task. */
const stop = ({ id }: Known, takeOver: boolean) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    yield* history.reconcile(new Set())
    const stopping = takeOver ? Interruption.takeOver(id) : Interruption.interrupt(id)
    return yield* Effect.tap(stopping, AttentionFile.refresh(DataFolder.directory()))
  }).pipe(Effect.provide(history()), Effect.mapError(fromError))

const completed = ({ reference, title }: Known): Failure =>
  usage(`${title} is completed, so there is nothing to stop`, `Its result: belay task show ${reference}`)

const isOpen = ({ row: { record } }: TaskNode.TaskNode): boolean =>
  record.status !== "completed" && record.status !== "interrupted"

const sentence = ({ holder, node, reference, title }: Known, after: TaskNode.TaskNode, taken: boolean): string => {
  const next = `Go on with: belay task resume ${reference}\n`
  const { record } = after.row
  const reason = record.status === "interrupted" ? record.interruption.reason : "user"
  if (!isOpen(node) || reason === "crash") {
    return `${title} is already interrupted: ${Words.interruption(reason)}. ${next}`
  }
  const below = TaskNode.descendants(node).filter(isOpen).length
  const left = taken && holder !== undefined ? Holder.left(holder) : ""
  return `${Copy.stopTree({ task: node.row.meta.title, n: below })} ${left === "" ? "" : `${left} `}${next}`
}

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const known = yield* reading(before(parsed))
    const { status } = known.node.row.record
    const done = status === "completed" || status === "interrupted" || (yield* stop(known, isSet(parsed, "take-over")))
    const { after, object } = yield* reading(Effect.all({ after: load(known.id), object: ResultObject.read(known.id) }))
    const failure =
      after.row.record.status === "completed"
        ? completed(known)
        : done
          ? undefined
          : Change.unconfirmed(known, " to stop it")
    if (text(parsed, "output") === "json") {
      const shown = failure?.code === 2 && object !== undefined ? ResultObject.withError(object, failure) : object
      sink.data(`${JSON.stringify(shown)}\n`)
    }
    if (failure !== undefined) {
      sink.err(line(failure))
      return failure.code
    }
    if (text(parsed, "output") !== "json") sink.out(sentence(known, after, isSet(parsed, "take-over")))
    return 0
  })
