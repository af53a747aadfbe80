/**
 * A `ModelClient` of Google Vertex AI, through `@anthropic-ai/vertex-sdk`, which whoever uses it installs beside.
 *
 * The package is loaded with the first request. Requests carry the access token that is given, else one that Google's own
 * library finds: application default credentials, or the account of a machine.
 */
import * as Redacted from "effect/Redacted"
import type * as Layer from "effect/Layer"
import { layerOf } from "./internal/client.ts"
import type { BoundOptions } from "./internal/ConnectionOptions.ts"
import { connectCloud, fetching, headersOf } from "./internal/cloud.ts"
import type { ModelClient } from "./ModelClient.ts"
import type { Proxies } from "./Proxies.ts"

/** Configures the client. Without a token the SDK finds the credentials of the machine. */
export interface Options extends BoundOptions {
  readonly region: string
  /** That of the region unless told. */
  readonly baseUrl?: string
  /** That of the credentials unless told. */
  readonly project?: string
  readonly accessToken?: Redacted.Redacted
  readonly proxies?: Proxies
  /** The package; the one beside this one unless told. */
  readonly load?: () => Promise<unknown>
}

type Sdk = typeof import("@anthropic-ai/vertex-sdk")
type AuthClient = NonNullable<NonNullable<ConstructorParameters<Sdk["AnthropicVertex"]>[0]>["authClient"]>

/** What the package asks of credentials. */
const holding = (token: Redacted.Redacted): AuthClient =>
  ({
    getRequestHeaders: async () => new Headers({ authorization: `Bearer ${Redacted.value(token)}` })
  }) as unknown as AuthClient

const usual = (region: string): string =>
  `https://${region === "global" ? "" : `${region}-`}aiplatform.googleapis.com/v1`

/** Answers through Google Vertex AI. The package `@anthropic-ai/vertex-sdk` is loaded with the first request. */
export const layer = (options: Options): Layer.Layer<ModelClient> => {
  const { accessToken, project, proxies, region } = options
  const baseURL = options.baseUrl ?? usual(region)
  const load = options.load ?? (() => import("@anthropic-ai/vertex-sdk"))
  return layerOf(
    () =>
      connectCloud({
        baseURL,
        package: "@anthropic-ai/vertex-sdk",
        credentials: {
          whose: `Google Vertex AI (${region})`,
          advice: 'Run "gcloud auth application-default login", and set ANTHROPIC_VERTEX_PROJECT_ID.'
        },
        secrets: [accessToken],
        counts: true,
        open: async () => {
          const { AnthropicVertex } = (await load()) as Sdk
          return new AnthropicVertex({
            region,
            baseURL,
            projectId: project ?? null,
            ...(accessToken === undefined ? {} : { authClient: holding(accessToken) }),
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
