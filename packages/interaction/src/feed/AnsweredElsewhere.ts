/** Says to a view, once and in one sentence, how an approval that it showed was answered anywhere else than in it. */
import type { Event } from "@belay/history-store"
import * as Transcript from "../conversation/Transcript.ts"
import type * as View from "../conversation/View.ts"
import * as Words from "../text/Words.ts"

/** An approval, a denial, or words for what waits. */
export const isAnswer = (message: View.FromView): message is Extract<View.FromView, { readonly askId: string }> =>
  message.type === "answer" || (message.type === "verdict" && message.verdict !== "review")

/** Of one view: what its person has answered in it, and the line for what was answered elsewhere. */
export class AnsweredElsewhere {
  readonly #here = new Set<string>()

  /** What the person does in the view. */
  readonly done = (message: View.FromView): void => {
    if (isAnswer(message)) this.#here.add(message.askId)
  }

  /** `shown`: what the view was told that waits. Nothing for what was answered in words: that stands as its own entry. */
  readonly line = (
    events: ReadonlyArray<Event.StoredEvent>,
    shown: ReadonlyArray<View.Ask> = []
  ): string | undefined => {
    const lines = events.flatMap((event) => {
      if (event.type !== "ask.settled" || this.#here.has(event.askId)) return []
      const ask = shown.find(({ askId }) => askId === event.askId)
      const decides = ask?.kind === "approval" || ask?.kind === "repeat"
      return decides ? [`Answered: ${Words.printable(Transcript.answered(event))} (${ask.heading}).`] : []
    })
    return lines.at(-1)
  }
}
