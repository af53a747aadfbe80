/**
 * One answer to one ask, by its id, wherever its task runs; the first one counts, and a later one is told so.
 *
 * An edit is allowed with the text that stands in its review. Unsaved changes of its files in this window are part of it
 * where the task runs here; past them nothing is written.
 */
import { OpenAsks, TaskStore, TaskText } from "@belay/interaction/tasks"
import { type AnswerInput, type RequestRefused, TaskEngine } from "@belay/task-engine"
import { Saying } from "@belay/task-engine/remote"
import { AskText, Copy, Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import { Refusal } from "../vscode/Bridge.ts"
import { TaskRunner } from "../tasks/TaskRunner.ts"
import * as Holders from "../tasks/Holders.ts"
import * as OpenTexts from "../editor/OpenTexts.ts"
import { Review } from "./Review.ts"
import * as TextPrompt from "../vscode/TextPrompt.ts"

export const late = () => new Refusal({ line: Copy.askLate })

const lines: Partial<Record<RequestRefused["reason"], string>> = {
  alreadyAnswered: Copy.askLate,
  unknownAsk: Copy.askLate,
  notRunning: Copy.askGone,
  running: Copy.askLate
}

const inWords = (refused: RequestRefused) => new Refusal({ line: lines[refused.reason] ?? refused.message })

/** A file of the edit that has unsaved changes in this window, as the model named it. */
const unsavedOf = ({ ask }: OpenAsks.Open): string | undefined =>
  ask.payload.edits?.find(({ resolved }) => OpenTexts.unsaved(resolved) !== undefined)?.path

/** The process that runs the task does not know the editors of this window. */
const pastEditors = (open: OpenAsks.Open) =>
  Effect.gen(function* () {
    const blocking = unsavedOf(open)
    if (blocking === undefined || (yield* TaskEngine).running().has(TaskStore.idOf(open.entry))) return
    const file = Words.printable(blocking)
    const line = `${file} has unsaved changes in an editor, and its task runs elsewhere. Save or revert them, then answer.`
    return yield* new Refusal({ line })
  })

const elsewhere = (open: OpenAsks.Open, { edited, grant, ...given }: AnswerInput) =>
  Effect.gen(function* () {
    const { ask, entry } = open
    const title = TaskText.titleOf(entry)
    if (grant === "always") {
      const line = `"${title}" runs in another window. What is always allowed is answered there.`
      return yield* new Refusal({ line })
    }
    const said = yield* Saying.say(entry.node.row.record.id, {
      kind: "answer",
      askId: ask.askId,
      ...given,
      ...(edited === undefined ? {} : { edited }),
      ...(grant === undefined ? {} : { grant })
    })
    if (said !== "unconfirmed") return
    const line = `The process that runs "${title}" has not confirmed the answer. Look at the task.`
    return yield* Holders.unconfirmed(entry.node.row.record.id, "to take the answer", line)
  })

/** Only a task that runs can be told yes or no; another one asks again when it goes on. */
export const live = (open: OpenAsks.Open): Effect.Effect<OpenAsks.Open, Refusal> =>
  OpenAsks.isLive(open)
    ? Effect.succeed(open)
    : Effect.fail(new Refusal({ line: `"${TaskText.titleOf(open.entry)}" is stopped. Resume it: it asks again.` }))

/** Words to a stopped task are its answer, and it goes on. */
const goOn = (open: OpenAsks.Open, { attached, text }: AnswerInput) =>
  Effect.gen(function* () {
    if (AskText.decides(open.ask)) {
      yield* live(open)
      return
    }
    const { resume } = yield* TaskRunner
    yield* resume(open.entry.node.row.record.id, {
      ...(text === undefined ? {} : { message: text }),
      ...(attached && { attached })
    })
  })

const deliver = (open: OpenAsks.Open, given: AnswerInput) =>
  Effect.gen(function* () {
    const { id } = open.entry.node.row.record
    const engine = yield* TaskEngine
    if (engine.running().has(id)) return yield* engine.answer(id, open.ask.askId, given)
    return yield* OpenAsks.isLive(open) ? elsewhere(open, given) : goOn(open, given)
  })

/** Errors: `Refusal` when nothing was changed. */
export const carryOut = (open: OpenAsks.Open, given: AnswerInput) =>
  Effect.gen(function* () {
    const { refresh } = yield* TaskStore.TaskStore
    if (given.decision === "allow") yield* pastEditors(open)
    const review = yield* Review
    const edited = given.decision === "allow" ? review.proposals.editedFor(open.ask.askId) : []
    const whole = edited.length === 0 ? given : { ...given, edited: [...(given.edited ?? []), ...edited] }
    const delivered = Effect.catchTag(deliver(open, whole), "RequestRefused", inWords)
    const taken = Effect.sync(() => TextPrompt.taken(open.ask.askId))
    yield* review.answering(open.ask.askId, Effect.andThen(delivered, taken))
    yield* refresh
  })
