/** What `task send`, `answer` and `mode` share: the task, who is told, and the line or object at the end. */
import { layerSqlite, TaskHistory } from "@belay/history-store"
import { Words } from "@belay/task-engine/protocol"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import { type Parsed, text } from "./Arguments.ts"
import { load } from "./commands/task/tree.ts"
import { type ExitCode, Failure, fromError, line, usage } from "./Failure.ts"
import * as DataFolder from "./DataFolder.ts"
import * as ResultObject from "./output/ResultObject.ts"
import type { Sink } from "./output/Sink.ts"
import { reading } from "./Reading.ts"
import { type Body, type Said, say } from "./Saying.ts"
import * as TaskNode from "./TaskNode.ts"
import * as TaskReference from "./TaskReference.ts"

/** The task that is meant; an ask may be one of a subtask. */
const target = (parsed: Parsed, body: Body) =>
  Effect.gen(function* () {
    const given = yield* TaskReference.inFolder(parsed.args[0] ?? "", text(parsed, "cwd"))
    const whole = yield* load(given)
    const asked = (node: TaskNode.TaskNode) =>
      body.kind === "answer" && node.openAsks.some((ask) => ask.askId === body.askId)
    const node = [whole, ...TaskNode.descendants(whole)].find(asked) ?? whole
    const { id } = node.row.record
    return { id, reference: yield* TaskReference.short(id), title: `"${Words.printable(node.row.meta.title)}"` }
  })

type Target = Effect.Success<ReturnType<typeof target>>

/** What dead processes left is repaired first. */
const told = (id: TaskId.TaskId, body: Body): Effect.Effect<Said, Failure> =>
  Effect.gen(function* () {
    yield* (yield* TaskHistory).reconcile(new Set())
    return yield* say(id, body)
  }).pipe(Effect.provide(layerSqlite({ directory: DataFolder.directory(), kind: "cli" })), Effect.mapError(fromError))

const failureOf = ({ reference, title }: Target, said: Said): Failure | undefined => {
  if (said === "completed") {
    return usage(`${title} is completed, so nothing can be said to it`, `Its result: belay task show ${reference}`)
  }
  if (said !== "unconfirmed") return undefined
  const what = `the process that runs ${title} was asked and has not confirmed`
  return new Failure({ code: 3, tag: "NotConfirmed", what, hint: `See whether it did: belay task show ${reference}` })
}

const sentences = { message: "has read it", answer: "has its answer", mode: "has switched" } as const

const sentence = ({ reference, title }: Target, said: Said, { kind }: Body): string =>
  said === "confirmed"
    ? `${title} ${sentences[kind]}.\n`
    : `Stored for ${title}, which does not run. Go on with: belay task resume ${reference}\n`

export const run = (parsed: Parsed, sink: Sink, body: Body): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const known = yield* reading(target(parsed, body))
    const said = yield* told(known.id, body)
    const failure = failureOf(known, said)
    if (text(parsed, "output") === "json") {
      const object = yield* reading(ResultObject.read(known.id))
      const shown = failure?.code === 2 && object !== undefined ? ResultObject.withError(object, failure) : object
      sink.out(`${JSON.stringify(shown)}\n`)
    }
    if (failure !== undefined) {
      sink.err(line(failure))
      return failure.code
    }
    if (text(parsed, "output") !== "json") sink.out(sentence(known, said, body))
    return 0
  })
