/**
 * Answers of a real model, kept as a scenario: recorded once, replayed by the scripted model and by the scripted server.
 *
 * `defineModel({ ...model, stream: recording.stream })` asks the real one and keeps what it says; `recording.scenario()` is
 * plain JSON. A conversation is told apart by the text of its first user message, so that it can be replayed under another
 * id. Nothing but answers is kept: no key, no header, no request.
 */
import { promptOf } from "./internal/conversations.ts"
import type { Answer, Scenario } from "./Scenario.ts"
import type { Block, Event, Request } from "./ScriptedModel.ts"

type Recorded = Block | { readonly type: string }

/** An event of a model of one's own, of which whole answers are kept. */
export type RecordedEvent =
  | Exclude<Event, { readonly type: "finished" }>
  | {
      readonly type: "finished"
      readonly content: ReadonlyArray<Recorded>
      readonly stopReason?: string
      readonly usage?: Partial<Extract<Event, { readonly type: "finished" }>["usage"]>
    }

/** A stream that keeps what passes through it, and what it has kept so far. */
export interface Recording<R extends Request, E extends RecordedEvent> {
  readonly stream: (request: R, signal: AbortSignal) => AsyncIterable<E>
  /** The answers that came whole, as scripts. */
  readonly scenario: () => Scenario
}

const answerOf = ({ content, stopReason, usage }: Extract<RecordedEvent, { readonly type: "finished" }>): Answer => ({
  content: content.filter((block): block is Block =>
    ["text", "thinking", "redacted_thinking", "tool_use"].includes(block.type)
  ),
  ...(stopReason === undefined ? {} : { stopReason }),
  ...(usage === undefined
    ? {}
    : {
        usage: {
          input_tokens: usage.inputTokens ?? 0,
          output_tokens: usage.outputTokens ?? 0,
          cache_read_input_tokens: usage.cacheReadTokens ?? 0,
          cache_creation_input_tokens: usage.cacheWriteTokens ?? 0
        }
      })
})

/** Records the answers of a model of one's own. An answer that is asked for again takes the place of the first. */
export const make = <R extends Request, E extends RecordedEvent>(
  stream: (request: R, signal: AbortSignal) => AsyncIterable<E>
): Recording<R, E> => {
  const conversations = new Map<string, Map<number, Answer>>()
  const keep = (request: R, event: RecordedEvent): void => {
    if (event.type !== "finished") return
    const prompt = promptOf(request.messages)
    const answers = conversations.get(prompt) ?? new Map<number, Answer>()
    conversations.set(prompt, answers)
    answers.set(request.messages.filter(({ role }) => role === "assistant").length, answerOf(event))
  }
  async function* recorded(request: R, signal: AbortSignal): AsyncGenerator<E> {
    for await (const event of stream(request, signal)) {
      keep(request, event)
      yield event
    }
  }
  return {
    stream: recorded,
    scenario: () => ({
      tasks: [...conversations].map(([prompt, answers]) => ({
        match: { prompt },
        answers: [...answers].toSorted(([a], [b]) => a - b).map(([, answer]) => answer)
      }))
    })
  }
}
