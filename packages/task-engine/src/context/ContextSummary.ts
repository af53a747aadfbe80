/** The message that stands for a range of a conversation: words, and below them what no stand-in may lose. */
import { type HistoryError, TaskHistory } from "@belay/history-store"
import { type ContextEdit, Message } from "@belay/message-state"
import { TaskRecord } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as InPlay from "./InPlay.ts"
import * as Prompt from "../prompt/Prompt.ts"
import type { ActiveTask } from "../active/ActiveTask.ts"

/** Messages of the view from one position to another, the second excluded, as a range of the log. */
const rangeOf = (running: ActiveTask, from: number, to: number): ContextEdit.Range => {
  const next = running.conversation.messages[to]
  const last = running.conversation.messages.at(-1)
  return {
    from: running.conversation.messages[from]?.index ?? 1,
    to: next === undefined ? (last?.index ?? 1) : next.index - 1
  }
}

/** For everything after the prompt up to a position of the view: the edit of the view, and what is shown then. */
export class ContextSummary extends Context.Service<
  ContextSummary,
  {
    readonly of: (
      running: ActiveTask,
      upTo: number,
      words: string,
      kind: "summary" | "left-out"
    ) => Effect.Effect<
      { readonly edit: ContextEdit.Draft; readonly message: Message.Message },
      HistoryError.HistoryError
    >
  }
>()("@belay/task-engine/ContextSummary") {
  static readonly layer = Layer.effect(
    ContextSummary,
    Effect.gen(function* () {
      const history = yield* TaskHistory
      const inPlay = yield* InPlay.InPlay

      /** The checklist as it is, the files in play, the subtasks that are open. */
      const kept = Effect.fnUntraced(function* (running: ActiveTask, part: ReadonlyArray<Message.LoggedMessage>) {
        const list = yield* history.checklist(running.id)
        const children = yield* Effect.forEach(TaskRecord.awaitedIds(running.record), (id) =>
          Effect.map(history.row(id), (row) => ({
            id,
            title: Option.match(row, { onNone: () => "", onSome: ({ meta }) => meta.title })
          }))
        )
        return Prompt.keptOf({
          items: Option.match(list, { onNone: () => [], onSome: ({ items }) => items }),
          files: yield* inPlay.of(running.id, part),
          children
        })
      })

      return ContextSummary.of({
        of: (running, upTo, words, kind) =>
          Effect.map(kept(running, running.conversation.messages.slice(1, upTo)), (rest) => {
            const text = [words, rest].filter((part) => part !== "").join("\n\n")
            const edit: ContextEdit.Draft = { ...rangeOf(running, 1, upTo), kind, text }
            return { edit, message: Message.from("engine.summary", Message.text(text)) }
          })
      })
    })
  )
}
