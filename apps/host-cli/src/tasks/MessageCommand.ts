/** What `task send`, `answer` and `mode` share: the task, who is told, and the line or object at the end. */
import { CommandText } from "@belay/approval-policy"
import { AttentionFile, TaskHistory } from "@belay/history-store"
import * as DataFolder from "@belay/history-store/data-folder"
import { Saying, TaskNode } from "@belay/task-engine/remote"
import { AskText, Words } from "@belay/interaction"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import { type Parsed, text } from "../cli/Arguments.ts"
import { load } from "./TaskTree.ts"
import * as Change from "./Change.ts"
import { type ExitCode, type Failure, fromError, line, usage } from "../cli/Failure.ts"
import { layer as history } from "./History.ts"
import * as ResultObject from "../result/ResultObject.ts"
import type { Sink } from "../output/Sink.ts"
import { reading } from "./Reading.ts"
import * as Slash from "../terminal/Slash.ts"
import * as TaskReference from "./TaskReference.ts"
import * as Terminal from "../terminal/Terminal.ts"

/** The only ask that is open in a task and below it; of several a person has to name one. */
const onlyAsk = (parsed: Parsed) =>
  Effect.gen(function* () {
    const whole = yield* load(yield* TaskReference.inFolder(parsed.args[0] ?? "", text(parsed, "cwd")))
    const asks = [whole, ...TaskNode.descendants(whole)].flatMap(({ openAsks }) => openAsks)
    const { reference, title } = yield* Change.named(whole.row.record.id)
    const [first, second] = asks
    if (first === undefined) return yield* usage(`${title} asks nothing`, `See it: belay task show ${reference}`)
    if (second === undefined) return { ask: first, reference, title }
    const listed = asks.map((ask) => `${ask.askId} (${AskText.line(ask)})`).join(", ")
    return yield* usage(`${title} asks ${asks.length} things: ${listed}`, "Say which one.")
  })

/** All of what is asked, where its line is shortened. */
const wholeOf = (ask: AskText.Ask): string => {
  const { question = "" } = ask.payload
  return CommandText.ofArguments(AskText.callOf(question).args) ?? question
}

/**
 * The ask that an answer without an id is for. A yes is for what was seen: it shows the ask in a terminal and waits for a
 * person, and elsewhere the id has to be given. Nothing: the person does not say yes.
 */
export const unnamed = (parsed: Parsed, sink: Sink, allows: boolean): Effect.Effect<string | undefined, Failure> =>
  Effect.gen(function* () {
    const { ask, reference, title } = yield* reading(onlyAsk(parsed))
    if (!allows) return ask.askId
    const said = AskText.line(ask)
    if (!Terminal.isAttended()) {
      const again = `belay task answer ${reference} ${ask.askId} --allow`
      return yield* usage(`a yes needs the id of what ${title} asks (${said})`, `Is it this one? ${again}`)
    }
    const shown = wholeOf(ask)
    sink.err(`${title} asks: ${said}\n${said.includes(shown) ? "" : `${Words.printableLines(shown)}\n`}`)
    sink.err("  y  Allow it   n  Leave it open\n")
    return /^(?:y|yes|1)$/i.test((yield* Terminal.readLine(sink, "> ")) ?? "") ? ask.askId : undefined
  })

/** The task that is meant; an ask may be one of a subtask. */
const target = (parsed: Parsed, body: Saying.Body) =>
  Effect.gen(function* () {
    const given = yield* TaskReference.inFolder(parsed.args[0] ?? "", text(parsed, "cwd"))
    const whole = yield* load(given)
    const asked = (node: TaskNode.TaskNode) =>
      body.kind === "answer" && node.openAsks.some((ask) => ask.askId === body.askId)
    const node = [whole, ...TaskNode.descendants(whole)].find(asked) ?? whole
    const begun = node.row.record.status !== "created"
    return { ...(yield* Change.named(node.row.record.id)), begun, workspace: node.row.meta.workspace }
  })

type Target = Effect.Success<ReturnType<typeof target>>

/** What dead processes left is repaired first. */
const told = (id: TaskId.TaskId, body: Saying.Body): Effect.Effect<Saying.Said, Failure> =>
  Effect.gen(function* () {
    yield* (yield* TaskHistory).reconcile(new Set())
    return yield* Effect.tap(Saying.say(id, body), AttentionFile.refresh(DataFolder.directory()))
  }).pipe(Effect.provide(history()), Effect.mapError(fromError))

const failureOf = (target: Target, said: Saying.Said): Failure | undefined => {
  const { reference, title } = target
  if (said === "completed") {
    return usage(`${title} is completed, so nothing can be said to it`, `Its result: belay task show ${reference}`)
  }
  return said === "unconfirmed" ? Change.unconfirmed(target) : undefined
}

const sentences = {
  message: "has it, and reads it at its next turn",
  answer: "has its answer",
  mode: "has switched"
} as const

const sentence = ({ begun, reference, title }: Target, said: Saying.Said, { kind }: Saying.Body): string =>
  said === "confirmed"
    ? `${title} ${sentences[kind]}.\n`
    : begun
      ? `Stored for ${title}, which does not run. Go on with: belay task resume ${reference}\n`
      : `Stored for ${title}, which has not begun.\n`

export const run = (parsed: Parsed, sink: Sink, body: Saying.Body): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const known = yield* reading(target(parsed, body))
    const words = body.kind === "mode" ? undefined : body.text
    if (yield* Slash.asArgument(words, known.workspace, parsed, sink)) return 0
    const said = yield* told(known.id, body)
    const failure = failureOf(known, said)
    if (text(parsed, "output") === "json") {
      const object = yield* reading(ResultObject.read(known.id))
      const shown = failure?.code === 2 && object !== undefined ? ResultObject.withError(object, failure) : object
      sink.data(`${JSON.stringify(shown)}\n`)
    }
    if (failure !== undefined) {
      sink.err(line(failure))
      return failure.code
    }
    if (text(parsed, "output") !== "json") sink.out(sentence(known, said, body))
    return 0
  })
