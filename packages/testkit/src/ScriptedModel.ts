/**
 * A model in this process that answers from a scenario: nothing is sent, no port is opened.
 *
 * It takes the place of a model of one's own: `defineModel(ScriptedModel.make(scenario))` of `@belay/model-client/promise` or
 * `@belay/sdk`. The same request gets the same answer, by the rules of the scripted server. Faults end the request at once;
 * what has to be retried, and what is broken on the wire, is for the server.
 */
import { Conversations } from "./internal/conversations.ts"
import { Gates } from "./internal/gates.ts"
import { message, pieces, TEXT_PIECE } from "./internal/wire.ts"
import type { BlockSpec, Scenario } from "./Scenario.ts"

/** The parts of a request by which an answer is chosen. */
export interface Request {
  readonly taskId: string
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: unknown }>
}

/** One event of an answer, as models of one's own give it. */
export type Event =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | {
      readonly type: "finished"
      readonly content: ReadonlyArray<Block>
      readonly stopReason: string
      readonly usage: {
        readonly inputTokens: number
        readonly outputTokens: number
        readonly cacheReadTokens: number
        readonly cacheWriteTokens: number
      }
    }

/** A block of a whole answer; every tool call has its id. */
export type Block =
  | Exclude<BlockSpec, { readonly type: "tool_use" }>
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown }

/** A definition of a model, with what it was asked. */
export interface ScriptedModel {
  readonly id: string
  readonly stream: (request: Request, signal: AbortSignal) => AsyncIterable<Event>
  /** Everything that was asked, oldest first; it grows. */
  readonly requests: ReadonlyArray<Request>
  /** Opens a gate for good. */
  readonly release: (gate: string) => void
}

const blockOf = (block: ReturnType<typeof message>["content"][number]): Block =>
  block.type === "tool_use" ? { type: block.type, id: block.id ?? "", name: block.name, input: block.input } : block

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener("abort", () => resolve(), { once: true })
  })

async function* textsOf(blocks: ReadonlyArray<Block>): AsyncGenerator<Event> {
  for (const block of blocks) {
    if (block.type === "text") for (const text of pieces(block.text, TEXT_PIECE)) yield { type: "text", text }
    if (block.type === "thinking")
      for (const text of pieces(block.thinking, TEXT_PIECE)) yield { type: "thinking", text }
  }
}

/** Makes a model that answers from a scenario. A request that nothing is scripted for ends with an error that says why. */
export const make = (scenario: Scenario): ScriptedModel => {
  const conversations = new Conversations(scenario)
  const gates = new Gates()
  const requests: Array<Request> = []
  async function* stream(request: Request, signal: AbortSignal): AsyncGenerator<Event> {
    requests.push(request)
    const choice = conversations.choose(request.taskId, request)
    if (typeof choice === "string") throw new Error(choice)
    const { answer } = choice
    if (choice.faults) throw new Error(answer.error?.message ?? answer.streamError?.message ?? "the answer was lost")
    if (answer.hold !== undefined) {
      await Promise.race([gates.wait(answer.hold), aborted(signal)])
      signal.throwIfAborted()
    }
    const whole = message(answer, { script: choice.script, answer: choice.index, model: "scripted" })
    const content = whole.content.map(blockOf)
    yield* textsOf(content)
    yield {
      type: "finished",
      content,
      stopReason: whole.stop_reason,
      usage: {
        inputTokens: whole.usage.input_tokens,
        outputTokens: whole.usage.output_tokens,
        cacheReadTokens: whole.usage.cache_read_input_tokens,
        cacheWriteTokens: whole.usage.cache_creation_input_tokens
      }
    }
  }
  return { id: "scripted", stream, requests, release: (gate) => gates.release(gate) }
}
