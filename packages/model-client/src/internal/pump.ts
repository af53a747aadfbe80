/**
 * One try at one answer: sends the request and pumps the service's events through an `AnswerBuilder`.
 *
 * Interrupting the effect aborts the request and closes its connection. After `message_stop` the end of the body is read
 * in the background, so that the connection can be used again; `drains` holds those reads until they are over.
 */
import * as Effect from "effect/Effect"
import type { Finished } from "../ModelEvent.ts"
import { type AnswerBuilder, Unreadable } from "./answer.ts"
import type { Client } from "./connection.ts"

/** What was thrown, and whether the answer had begun by then. */
export interface Thrown {
  readonly cause: unknown
  readonly begun: boolean
}

export interface Try {
  readonly client: () => Promise<Client>
  /** As the SDK is given it. */
  readonly body: Uint8Array | object
  readonly headers: { readonly [name: string]: string }
  readonly builder: AnswerBuilder
  readonly drains: Set<AbortController>
  /** Called with each event. */
  readonly onEvent: () => void
}

export const pump = (one: Try): Effect.Effect<Finished, Thrown> =>
  Effect.callback<Finished, Thrown>((resume) => {
    const controller = new AbortController()
    let begun = false
    const fail = (cause: unknown) => resume(Effect.fail({ cause, begun }))

    const drain = (events: AsyncIterator<unknown>): void => {
      one.drains.add(controller)
      const over = () => void one.drains.delete(controller)
      events.next().then(over, over)
    }

    const next = (events: AsyncIterator<unknown>): void => {
      events.next().then((result) => {
        if (result.done === true) return fail(new Unreadable("the stream ended without message_stop"))
        begun = true
        one.onEvent()
        let finished: Finished | undefined
        try {
          finished = one.builder.accept(result.value)
        } catch (cause) {
          controller.abort()
          return fail(cause)
        }
        if (finished === undefined) return next(events)
        drain(events)
        return resume(Effect.succeed(finished))
      }, fail)
    }

    one
      .client()
      .then((client) =>
        client.post<AsyncIterable<unknown>>("/v1/messages", {
          body: one.body,
          headers: one.headers,
          signal: controller.signal,
          stream: true
        })
      )
      .then((stream) => {
        begun = true
        next(stream[Symbol.asyncIterator]())
      }, fail)
    return Effect.sync(() => controller.abort())
  })
