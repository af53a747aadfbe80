/**
 * A `ModelClient` of Amazon Bedrock, through `@anthropic-ai/bedrock-sdk`, which whoever uses it installs beside.
 *
 * The package is loaded with the first request. Requests are signed with the credentials that are given, else with those
 * that AWS's own tools find: the environment, profiles, and the roles of a machine. Tokens are not counted.
 */
import * as Redacted from "effect/Redacted"
import type * as Layer from "effect/Layer"
import { layerOf } from "./internal/client.ts"
import type { BoundOptions } from "./internal/ConnectionOptions.ts"
import { connectCloud, fetching, headersOf } from "./internal/cloud.ts"
import type { ModelClient } from "./ModelClient.ts"
import type { Proxies } from "./Proxies.ts"

/** Signs requests with these keys. */
export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted
  readonly sessionToken?: Redacted.Redacted
}

/** Configures the client. Without a key and credentials the SDK finds them as other programs of AWS do. */
export interface Options extends BoundOptions {
  readonly region: string
  /** That of the region unless told. */
  readonly baseUrl?: string
  /** A key of Bedrock's own, which is sent instead of a signature. */
  readonly apiKey?: Redacted.Redacted
  readonly credentials?: Credentials
  readonly proxies?: Proxies
  /** The package; the one beside this one unless told. */
  readonly load?: () => Promise<unknown>
}

type Sdk = typeof import("@anthropic-ai/bedrock-sdk")

/** In the place of AWS's own chain. */
const chainOf = ({ accessKeyId, secretAccessKey, sessionToken }: Credentials) => {
  const found = {
    accessKeyId,
    secretAccessKey: Redacted.value(secretAccessKey),
    ...(sessionToken === undefined ? {} : { sessionToken: Redacted.value(sessionToken) })
  }
  return { providerChainResolver: () => Promise.resolve(() => Promise.resolve(found)) }
}

/** Answers through Amazon Bedrock. The package `@anthropic-ai/bedrock-sdk` is loaded with the first request. */
export const layer = (options: Options): Layer.Layer<ModelClient> => {
  const { apiKey, credentials, proxies, region } = options
  const baseURL = options.baseUrl ?? `https://bedrock-runtime.${region}.amazonaws.com`
  const load = options.load ?? (() => import("@anthropic-ai/bedrock-sdk"))
  return layerOf(
    () =>
      connectCloud({
        baseURL,
        package: "@anthropic-ai/bedrock-sdk",
        credentials: {
          whose: `Amazon Bedrock (${region})`,
          advice: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or AWS_BEARER_TOKEN_BEDROCK."
        },
        secrets: [apiKey, credentials?.secretAccessKey, credentials?.sessionToken],
        counts: false,
        open: async () => {
          const { AnthropicBedrock } = (await load()) as Sdk
          return new AnthropicBedrock({
            awsRegion: region,
            baseURL,
            apiKey: apiKey === undefined ? null : Redacted.value(apiKey),
            ...(credentials === undefined ? {} : chainOf(credentials)),
            maxRetries: 0,
            logLevel: "off",
            fetch: fetching(proxies)
          })
        },
        headers: headersOf
      }),
    options
  )
}
