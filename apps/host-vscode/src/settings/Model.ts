/** The model, reached with the key and the server of the moment: a key that was changed is used from the next request on. */
import { ModelClient, ModelError, type ModelRequest } from "@belay/model-client"
import * as Reach from "@belay/model-client/reach"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as DemoModel from "./DemoModel.ts"
import * as Home from "../activation/Home.ts"
import { type Access, Key, told } from "./Key.ts"

const nameOf = ({ apiKey, authToken, server }: Access): string =>
  JSON.stringify([
    ...[apiKey, authToken].map((secret) => (secret === undefined ? null : Redacted.value(secret))),
    server.baseUrl ?? null,
    server.service?.name ?? null
  ])

export const layer: Layer.Layer<ModelClient.ModelClient, never, Key> = Layer.effect(
  ModelClient.ModelClient,
  Effect.gen(function* () {
    const key = yield* Key
    const scope = yield* Effect.scope
    const clients = new Map<string, ModelClient.ModelClient["Service"]>()
    const clientOf = Effect.fnUntraced(function* (access: Access) {
      const name = nameOf(access)
      const known = clients.get(name)
      if (known !== undefined) return known
      const layer = Reach.layer({ ...access, directory: Home.directory(), env: process.env })
      const client = Context.get(yield* Layer.buildWithScope(layer, scope), ModelClient.ModelClient)
      clients.set(name, client)
      return client
    })
    const client = ({ mode = "act" }: Pick<ModelRequest.ModelRequest, "mode">) =>
      Effect.suspend(() => key.access(mode)).pipe(
        Effect.mapError(
          () =>
            new ModelError.ModelError({
              reason: { _tag: "Unauthorized", status: 401, keyless: told(key.service(mode)) },
              host: key.service(mode).host
            })
        ),
        Effect.flatMap(clientOf)
      )
    const own = ModelClient.ModelClient.of({
      ready: (asked) => Effect.asVoid(client(asked)),
      service: ({ mode = "act" }) => key.service(mode).host,
      stream: (request) => Stream.unwrap(Effect.map(client(request), ({ stream }) => stream(request))),
      countTokens: (request) => Effect.flatMap(client(request), ({ countTokens }) => countTokens(request))
    })
    const { countTokens, ready, service, stream } = ModelClient.advised(own, 'Run "Belay: Set key".')
    return ModelClient.ModelClient.of({
      ready: (asked) => (asked.model === DemoModel.name ? Effect.void : ready(asked)),
      service: (asked) => (asked.model === DemoModel.name ? DemoModel.name : service(asked)),
      stream: (request) => (request.model === DemoModel.name ? DemoModel.stream(request) : stream(request)),
      countTokens
    })
  })
)
