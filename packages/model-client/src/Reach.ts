/**
 * The client of a server, whatever its wire is: the Messages API, or a cloud through the package that whoever uses it has
 * installed beside the host or into its data folder. Nothing of a cloud is loaded for anybody else.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createRequire } from "node:module"
import * as path from "node:path"
import * as Anthropic from "./anthropic.ts"
import type { BoundOptions } from "./internal/ConnectionOptions.ts"
import { isMissing, NotInstalled } from "./internal/NotInstalled.ts"
import type { ModelClient } from "./ModelClient.ts"
import type { Proxies } from "./Proxies.ts"
import * as Redacted from "effect/Redacted"
import * as Servers from "./Servers.ts"
import * as Services from "./Services.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** Says where the model service is and who asks. */
export interface Options extends BoundOptions, Servers.Credentials {
  readonly server: Pick<Servers.Server, "baseUrl" | "service">
  /** The data folder: what a cloud needs may be installed there. */
  readonly directory: string
  readonly env: Environment
  readonly proxies?: Proxies
  /** Otherwise than is known of the service: to see whether it is there. */
  readonly countsTokens?: boolean
}

/** Says how the package of a cloud is installed for every host with this data folder. */
export const install = (name: string, directory: string): string =>
  `Install it: npm install --prefix "${directory}" ${name}`

/** Beside the host. */
const beside: Readonly<Record<string, () => Promise<unknown>>> = {
  "@anthropic-ai/bedrock-sdk": () => import("@anthropic-ai/bedrock-sdk"),
  "@anthropic-ai/vertex-sdk": () => import("@anthropic-ai/vertex-sdk")
}

const nowhere = (): Promise<unknown> => Promise.reject(new Error("no such package"))

const loading = (name: string, directory: string) => (): Promise<unknown> =>
  (beside[name] ?? nowhere)().catch((cause: unknown) => {
    if (!isMissing(cause, name)) throw cause
    try {
      return createRequire(path.join(directory, "package.json"))(name)
    } catch (other) {
      throw isMissing(other, name) ? new NotInstalled(name, install(name, directory)) : other
    }
  })

/** Says whether the package of a service is there; always for those that need none. */
export const isInstalled = (service: Services.Service, directory: string): Effect.Effect<boolean> => {
  const name = Services.packageOf(service)
  if (name === undefined) return Effect.succeed(true)
  return Effect.promise(() =>
    loading(name, directory)().then(
      () => true,
      (cause) => !(cause instanceof NotInstalled)
    )
  )
}

const bounded = ({ firstByteSeconds, maxRetries, proxies, server: { baseUrl } }: Options) => ({
  ...(firstByteSeconds === undefined ? {} : { firstByteSeconds }),
  ...(maxRetries === undefined ? {} : { maxRetries }),
  ...(proxies === undefined ? {} : { proxies }),
  ...(baseUrl === undefined ? {} : { baseUrl })
})

const bedrock = (service: Services.Service, options: Options) =>
  Effect.map(
    Effect.promise(() => import("./bedrock.ts")),
    ({ layer }) => {
      const key = options.env["AWS_BEARER_TOKEN_BEDROCK"]
      return layer({
        ...bounded(options),
        region: Services.regionOf(service, options.env),
        ...(Servers.isSet(key) ? { apiKey: Redacted.make(key) } : {}),
        load: loading("@anthropic-ai/bedrock-sdk", options.directory)
      })
    }
  )

const vertex = (service: Services.Service, options: Options) =>
  Effect.map(
    Effect.promise(() => import("./vertex.ts")),
    ({ layer }) => {
      const names = ["ANTHROPIC_VERTEX_PROJECT_ID", "GOOGLE_CLOUD_PROJECT"]
      const project = names.map((name) => options.env[name]).find(Servers.isSet)
      return layer({
        ...bounded(options),
        region: Services.regionOf(service, options.env),
        ...(project === undefined ? {} : { project }),
        load: loading("@anthropic-ai/vertex-sdk", options.directory)
      })
    }
  )

/** Of a cloud the credentials are found by its own package; what is given besides is not sent there. */
export const layer = (options: Options): Layer.Layer<ModelClient> => {
  const { apiKey, authToken } = options
  const { service } = options.server
  if (service?.wire === "bedrock") return Layer.unwrap(bedrock(service, options))
  if (service?.wire === "vertex") return Layer.unwrap(vertex(service, options))
  return Anthropic.layer({
    ...bounded(options),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(authToken === undefined ? {} : { authToken }),
    countsTokens: options.countsTokens ?? service?.countsTokens ?? true
  })
}
