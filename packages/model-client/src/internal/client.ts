/**
 * A `ModelClient` over a connection: how an answer is asked for, repeated and read, whatever the way to the service is.
 *
 * The SDK retries nothing itself. A request is repeated after connection errors, 408, 409, 429 and 5xx, waiting what the
 * service asks for (up to 60 s) or 500 ms doubled up to 8 s; an error in mid-stream only as long as no tool call of the
 * answer was handed out; so is one whose answer does not begin in time.
 */
import { Message } from "@belay/message-state"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import { ModelClient } from "../ModelClient.ts"
import { ModelError } from "../ModelError.ts"
import type { Finished, ModelEvent, Retrying } from "../ModelEvent.ts"
import type { ModelRequest } from "../ModelRequest.ts"
import { AnswerBuilder } from "./answer.ts"
import type { Connection } from "./connection.ts"
import { classify } from "./failure.ts"
import * as firstByte from "./firstByte.ts"
import { prepare, prepareCount, thoughtless } from "./prepare.ts"
import { pump, type Thrown } from "./pump.ts"
import type { BoundOptions } from "./ConnectionOptions.ts"
import { delayBefore } from "./retry.ts"

/** What holds for every request of a client. */
interface Bounds {
  readonly most: number
  readonly seconds: number
}

type Try<A> = (client: NonNullable<Connection["client"]>) => Effect.Effect<A, Thrown>

interface Repeating<A> {
  readonly once: Try<A>
  /** Whether the answer may still be given a second time. */
  readonly repeatable: () => boolean
  readonly onRetry: (event: Retrying) => void
}

const repeat = Effect.fnUntraced(function* <A>(connection: Connection, most: number, work: Repeating<A>) {
  const { client, credentials, host, redact } = connection
  if (client === undefined) {
    return yield* new ModelError({ reason: { _tag: "Unreachable", detail: "this is not a URL" }, host })
  }
  for (let number = 1; ; number++) {
    const result = yield* Effect.result(work.once(client))
    if (result._tag === "Success") return result.success
    const { begun, cause } = result.failure
    const failure = classify(cause, { host, redact, begun, credentials, now: yield* Clock.currentTimeMillis })
    const inMs = work.repeatable() ? delayBefore(failure, number, most, yield* Random.next) : undefined
    if (inMs === undefined) return yield* failure.error
    work.onRetry({ _tag: "Retrying", try: number, of: most, reason: failure.error, inMs })
    if (inMs > 0) yield* Effect.sleep(inMs)
  }
})

/** The service refuses how the request puts thinking, or what was thought before. */
const isThinkingRefused = ({ reason }: ModelError): boolean =>
  reason._tag === "InvalidRequest" &&
  !reason.promptTooLong &&
  /thinking|effort|reasoning|signature/iu.test(reason.detail)

const hasThinking = ({ messages, thinking }: ModelRequest): boolean =>
  thinking !== undefined || messages.some(({ content }) => content.some(Message.isThinking))

/** Tasks with the models that the service refuses thinking of. */
type Thoughtless = Set<string>

/** A service that refuses thinking is asked once more without, and then without at once for as long as the task runs. */
const answer = (
  connection: Connection,
  bounds: Bounds,
  drains: Set<AbortController>,
  refusing: Thoughtless,
  request: ModelRequest,
  emit: (event: ModelEvent) => void
): Effect.Effect<Finished, ModelError> => {
  const key = `${request.taskId} ${request.model}`
  if (!hasThinking(request)) return plainly(connection, bounds, drains, request, emit)
  if (refusing.has(key)) return plainly(connection, bounds, drains, thoughtless(request), emit)
  return Effect.catchIf(plainly(connection, bounds, drains, request, emit), isThinkingRefused, (reason) => {
    refusing.add(key)
    emit({ _tag: "Retrying", try: 1, of: 1, reason, inMs: 0 })
    return plainly(connection, bounds, drains, thoughtless(request), emit)
  })
}

const plainly = (
  connection: Connection,
  { most, seconds }: Bounds,
  drains: Set<AbortController>,
  request: ModelRequest,
  emit: (event: ModelEvent) => void
): Effect.Effect<Finished, ModelError> => {
  const body = connection.body(prepare(request))
  const headers = connection.headers(request)
  const { usedIds } = request
  let builder = new AnswerBuilder(emit, usedIds)
  return repeat(connection, most, {
    once: (client) => {
      builder = new AnswerBuilder(emit, usedIds)
      return firstByte.within(
        seconds,
        (onEvent) => pump({ client, body, headers, builder, drains, onEvent }),
        emit,
        (cause): Thrown => ({ cause, begun: false })
      )
    },
    repeatable: () => !builder.handedOut,
    onRetry: emit
  })
}

const count = (connection: Connection, most: number, request: ModelRequest) => {
  const options = { body: connection.body(prepareCount(request)), headers: connection.headers(request) }
  return repeat(connection, most, {
    once: (client) =>
      Effect.tryPromise({
        try: (signal) =>
          client().then((sdk) =>
            sdk.post<{ readonly input_tokens?: unknown }>("/v1/messages/count_tokens", { ...options, signal })
          ),
        catch: (cause): Thrown => ({ cause, begun: false })
      }),
    repeatable: () => true,
    onRetry: () => {}
  }).pipe(
    Effect.map(({ input_tokens: tokens }) => (typeof tokens === "number" ? Option.some(tokens) : Option.none())),
    Effect.catchReason("ModelError", "InvalidRequest", (reason, error) =>
      reason.status === 404 ? Effect.succeed(Option.none<number>()) : Effect.fail(error)
    )
  )
}

/** The client of a connection. Reads that are still open when its scope ends are aborted. */
export const layerOf = (make: () => Connection, options: BoundOptions): Layer.Layer<ModelClient> =>
  Layer.effect(
    ModelClient,
    Effect.gen(function* () {
      const connection = make()
      const bounds = { most: options.maxRetries ?? 4, seconds: options.firstByteSeconds ?? 60 }
      const drains = new Set<AbortController>()
      const refusing: Thoughtless = new Set()
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          for (const controller of drains) controller.abort()
        })
      )
      return ModelClient.of({
        // There are servers that need no key.
        ready: () => Effect.void,
        service: () => connection.host,
        stream: (request) =>
          Stream.callback<ModelEvent, ModelError>(
            (queue) =>
              Effect.map(
                answer(connection, bounds, drains, refusing, request, (event) => Queue.offerUnsafe(queue, event)),
                (finished) => {
                  Queue.offerUnsafe(queue, finished)
                  Queue.endUnsafe(queue)
                }
              ),
            { bufferSize: Number.POSITIVE_INFINITY }
          ),
        countTokens: (request) =>
          connection.counts ? count(connection, bounds.most, request) : Effect.succeed(Option.none())
      })
    })
  )
