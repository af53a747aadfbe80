/**
 * An answer without a call. Its text is the answer, and with it the turn is over: a task that nobody attends completes
 * with it, a person is asked what comes next, and in plan mode it is the plan.
 *
 * It goes on only where nothing was said, where the answer was cut off, and once where items of the checklist are open.
 * What was said before such a reminder is part of the answer that ends the turn.
 */
import { Inbox } from "@belay/history-store"
import { Message, type Origin } from "@belay/message-state"
import * as Deferred from "effect/Deferred"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Call from "../calls/Call.ts"
import { Checklists } from "../checklist/Checklists.ts"
import * as Complaint from "../prompt/Complaint.ts"
import { Journal } from "../active/Journal.ts"
import * as Progress from "../limits/Progress.ts"
import * as Prompt from "../prompt/Prompt.ts"
import type { Beside } from "../asks/Asking.ts"
import { Questions } from "../asks/Questions.ts"
import { fence, type ActiveTask, type StoreFailure } from "../active/ActiveTask.ts"
import * as UnreadMessages from "../asks/UnreadMessages.ts"

/** What stands for an answer without any content, which services do not take back. */
export const nothing = Message.nothing

const saidIn = (message: Message.Message): string => {
  const text = Message.textOf(message)
  return text.trim() === nothing.text ? "" : text
}

/** What the model has said without a call since the user's last words, and whether it was reminded of open items. */
export interface Said {
  readonly text: string
  readonly isReminded: boolean
}

/** Of a log whose last message is such an answer. */
export const said = (messages: ReadonlyArray<Message.Message>): Said => {
  let text = ""
  let isReminded = false
  let isCut = false
  for (const message of messages.toReversed()) {
    if (Prompt.saysUser(message)) break
    if (message.role === "user") {
      isReminded ||= Complaint.isLeftOpen(message)
      if (!Prompt.isNote(message)) isCut = Complaint.isCutOff(message)
    } else if (Message.toolUses(message).length === 0) {
      const before = saidIn(message)
      text = isCut || before.trim() === "" || text === "" ? `${before}${text}` : `${before.trimEnd()}\n\n${text}`
    }
  }
  return { text: text.trim(), isReminded }
}

/** What the loop does after an answer without a call, which is the last message of the log. */
export class TextAnswer extends Context.Service<
  TextAnswer,
  { readonly next: (running: ActiveTask) => Effect.Effect<Call.Next, StoreFailure> }
>()("@belay/task-engine/TextAnswer") {
  static readonly layer = Layer.effect(
    TextAnswer,
    Effect.gen(function* () {
      const questions = yield* Questions
      const checklists = yield* Checklists
      const journal = yield* Journal
      const inbox = yield* Inbox

      /** A message is the user's next word, as an answer is. */
      const listening =
        (running: ActiveTask): Beside =>
        ({ reply }) =>
          Effect.andThen(UnreadMessages.comes(inbox, running), Deferred.succeed(reply, { by: "user" }))

      const remind = (running: ActiveTask, from: Origin.Origin, words: Message.TextBlock) =>
        Effect.as(
          journal.commit([{ _tag: "Append", ...fence(running), message: Message.from(from, words) }]),
          Call.goOn
        )

      return TextAnswer.of({
        next: Effect.fn("TextAnswer.next")(function* (running) {
          const last = running.conversation.messages.at(-1)
          const { isReminded, text } = said(running.conversation.messages)
          if (last === undefined || saidIn(last).trim() === "") {
            Progress.mistaken(running, Complaint.noCall)
            return yield* remind(running, "engine.noCall", Complaint.useTool(running.mode))
          }
          if (yield* UnreadMessages.isThere(inbox, running)) {
            return yield* Effect.as(UnreadMessages.readFirst(journal, running, {}), Call.goOn)
          }
          if (running.mode === "plan") return yield* questions.plan(running, text, listening(running))
          const open = isReminded ? [] : yield* checklists.open(running)
          return open.length > 0
            ? yield* remind(running, "engine.openItems", Prompt.leftOpen(open))
            : yield* questions.endOfTurn(running, text, listening(running))
        })
      })
    })
  )
}
