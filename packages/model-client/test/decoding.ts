/** Bytes in, answer out: the SDK's decoder and our builder, without a network. */
import type { Anthropic } from "@anthropic-ai/sdk"
import { Stream } from "@anthropic-ai/sdk/streaming"
import type { ModelEvent } from "@belay/model-client"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { AnswerBuilder } from "../src/internal/answer.ts"
import { pump } from "../src/internal/pump.ts"
import type { StreamBody } from "../src/internal/prepare.ts"

export interface Decoded {
  readonly events: ReadonlyArray<ModelEvent.ModelEvent>
  /** The answer, or what was wrong with it in words. */
  readonly end: ModelEvent.Finished | string
}

const responseOf = (chunks: ReadonlyArray<Uint8Array>): Response =>
  ({
    headers: new Headers(),
    body: {
      async *[Symbol.asyncIterator]() {
        yield* chunks
      }
    }
  }) as unknown as Response

const quiet = { logLevel: "off" } as unknown as Anthropic

const clientOf = (chunks: ReadonlyArray<Uint8Array>): Anthropic =>
  ({ post: () => Promise.resolve(Stream.fromSSEResponse(responseOf(chunks), new AbortController(), quiet)) }) as never

/** What a body is decoded to that arrives in these pieces. A defect rejects. */
export const decode = async (chunks: ReadonlyArray<Uint8Array>): Promise<Decoded> => {
  const events: Array<ModelEvent.ModelEvent> = []
  const builder = new AnswerBuilder((event) => void events.push(event))
  const client = () => Promise.resolve(clientOf(chunks))
  const body: StreamBody = { model: "", messages: [], max_tokens: 1, stream: true }
  const exit = await Effect.runPromiseExit(
    Effect.result(pump({ client, body, headers: {}, builder, drains: new Set(), onEvent: () => {} }))
  )
  if (Exit.isFailure(exit)) throw new Error("a defect", { cause: exit.cause })
  const { value } = exit
  return { events, end: value._tag === "Success" ? value.success : String(value.failure.cause) }
}

/** The events of a body as the decoder alone gives them. */
export const eventsOf = async (chunks: ReadonlyArray<Uint8Array>): Promise<string> => {
  let all = ""
  for await (const { data, event } of Stream.rawEvents(responseOf(chunks))) all += `${event}\n${data}\n\n`
  return all
}

/** The bytes in pieces that end at these places. */
export const cutAt = (bytes: Uint8Array, ...places: ReadonlyArray<number>): ReadonlyArray<Uint8Array> =>
  [0, ...places].map((from, at) => bytes.subarray(from, places[at] ?? bytes.length))
