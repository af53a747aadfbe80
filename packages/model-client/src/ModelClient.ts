/**
 * The port to a language model: one streamed answer per request, whoever gives it.
 *
 * `stream` sends nothing until it is run; it ends with `Finished` or fails with `ModelError`, and interrupting it ends
 * the request. Providers retry by themselves what is safe to retry and say so with `Retrying`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { ModelError } from "./ModelError.ts"
import type { ModelEvent } from "./ModelEvent.ts"
import type { ModelRequest } from "./ModelRequest.ts"

/** Sends requests to a model and streams its answers. Errors: `ModelError`. */
export class ModelClient extends Context.Service<
  ModelClient,
  {
    /** Fails when requests of such a kind cannot be made here, without making one: as a rule for want of a key. */
    readonly ready: (asked: Pick<ModelRequest, "model" | "mode">) => Effect.Effect<void, ModelError>
    /** Who answers requests of such a kind, as the name of a host: what a model thought goes back to nobody else. */
    readonly service: (asked: Pick<ModelRequest, "model" | "mode">) => string
    readonly stream: (request: ModelRequest) => Stream.Stream<ModelEvent, ModelError>
    /** The tokens of the request's prompt; `None` when the service cannot count. */
    readonly countTokens: (request: ModelRequest) => Effect.Effect<Option.Option<number>, ModelError>
  }
>()("@belay/model-client/ModelClient") {}

/** Each request goes to the client of its mode, whatever its model is called. */
export const byMode = (clients: {
  readonly [Mode in "plan" | "act"]: ModelClient["Service"]
}): ModelClient["Service"] => {
  const of = ({ mode = "act" }: Pick<ModelRequest, "mode">) => clients[mode]
  return {
    ready: (asked) => of(asked).ready(asked),
    service: (asked) => of(asked).service(asked),
    stream: (request) => of(request).stream(request),
    countTokens: (request) => of(request).countTokens(request)
  }
}

/** A client of a service that there is no key for: it sends nothing. `whose` is what the key would be for, in words. */
export const keyless = (host: string, whose: string, advice: string): ModelClient["Service"] => {
  const refused = new ModelError({ reason: { _tag: "Unauthorized", status: 401, keyless: whose, advice }, host })
  return {
    ready: () => Effect.fail(refused),
    service: () => host,
    stream: () => Stream.fail(refused),
    countTokens: () => Effect.fail(refused)
  }
}

/** The same client, whose refusals of a key say what to do about it where it is used. */
export const advised = (client: ModelClient["Service"], advice: string): ModelClient["Service"] => {
  const say = (error: ModelError): ModelError => {
    const { cause, host, reason } = error
    if (reason._tag !== "Unauthorized") return error
    return new ModelError({ reason: { ...reason, advice }, host, ...(cause === undefined ? {} : { cause }) })
  }
  return {
    ready: (asked) => Effect.mapError(client.ready(asked), say),
    service: client.service,
    stream: (request) => Stream.mapError(client.stream(request), say),
    countTokens: (request) => Effect.mapError(client.countTokens(request), say)
  }
}
