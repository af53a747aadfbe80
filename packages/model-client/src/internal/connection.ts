/**
 * The way to the service: the SDK, loaded and set up with the first request.
 *
 * What leaves is decided here alone. The SDK is given neither key nor environment: it would read several variables and
 * credential files, and a redirect would take `x-api-key` to another host. So each request goes out with exactly the
 * headers below, and a redirect is an error.
 */
import type { BaseAnthropic } from "@anthropic-ai/sdk/client"
import * as Redacted from "effect/Redacted"
import type { ModelRequest } from "../ModelRequest.ts"
import type { ConnectionOptions } from "./ConnectionOptions.ts"
import { encode } from "./encode.ts"
import { HeaderMap } from "./HeaderMap.ts"
import { isMissing, NotInstalled } from "./NotInstalled.ts"
import { send } from "./post.ts"
import type { CountBody } from "./prepare.ts"

/** What is used of an SDK. */
export type Client = Pick<BaseAnthropic, "post">

export interface Connection {
  readonly host: string
  /** `undefined` when the base URL is none. */
  readonly client: (() => Promise<Client>) | undefined
  readonly headers: (request: ModelRequest) => { readonly [name: string]: string }
  /** A body as the SDK is given it. */
  readonly body: (body: CountBody) => Uint8Array | object
  /** It is asked to count tokens. */
  readonly counts: boolean
  /** Where the SDK finds credentials by itself: whose they are, in words, and how they are given. */
  readonly credentials?: { readonly whose: string; readonly advice: string }
  readonly redact: (text: string) => string
}

const DEFAULT_URL = "https://api.anthropic.com"
const TASK = "x-belay-task"
export const BETA = "anthropic-beta"
const PASSED = ["accept", "anthropic-version", "user-agent", TASK, BETA]

/** Models that are given a budget think between calls, too, where they are asked to; later ones do so by themselves. */
export const INTERLEAVED = "interleaved-thinking-2025-05-14"

const credentials = (options: ConnectionOptions): ReadonlyArray<readonly [header: string, value: string]> => {
  const out: Array<readonly [string, string]> = []
  if (options.apiKey !== undefined) out.push(["x-api-key", Redacted.value(options.apiKey)])
  if (options.authToken !== undefined) out.push(["authorization", `Bearer ${Redacted.value(options.authToken)}`])
  return out
}

const sdk = "@anthropic-ai/sdk"

const importSdk = () =>
  import("./sdk.ts").catch((cause: unknown) => {
    throw isMissing(cause, sdk) ? new NotInstalled(sdk) : cause
  })

const load = (baseURL: string, options: ConnectionOptions): Promise<Client> =>
  importSdk().then(({ BaseAnthropic }) => {
    const keys = credentials(options)
    return new BaseAnthropic({
      // Any text keeps the SDK from looking for credentials; the header it makes of it is not passed on.
      apiKey: "none",
      authToken: null,
      webhookKey: null,
      baseURL,
      maxRetries: 0,
      logLevel: "off",
      openTelemetry: false,
      fetch: (url, init) => {
        const given = new HeaderMap(init?.headers as Iterable<[string, string]>)
        const headers: Record<string, string> = { ...Object.fromEntries(keys), "content-type": "application/json" }
        for (const name of PASSED) {
          const value = given.get(name)
          if (value !== null) headers[name] = value
        }
        const body = init?.body instanceof Uint8Array ? init.body : undefined
        const signal = init?.signal ?? undefined
        const to = new URL(typeof url === "string" || url instanceof URL ? url : url.url)
        return send(to, {
          proxy: options.proxies?.(to),
          method: init?.method ?? "POST",
          headers,
          body,
          signal
        })
      }
    })
  })

/** Local servers get keys such as `x`: too short for a secret, and to remove them would garble every text. */
const SHORTEST_SECRET = 4

/** Takes these out of texts. */
export const redacting = (secrets: ReadonlyArray<Redacted.Redacted | undefined>): Connection["redact"] => {
  const hidden = secrets.flatMap((secret) => {
    const value = secret === undefined ? "" : Redacted.value(secret)
    return value.length < SHORTEST_SECRET ? [] : [value]
  })
  return (text) => hidden.reduce((clean, secret) => clean.replaceAll(secret, "<redacted>"), text)
}

export const connect = (options: ConnectionOptions): Connection => {
  const baseURL = (options.baseUrl ?? DEFAULT_URL).replace(/\/+$/u, "")
  const url = URL.canParse(baseURL) ? new URL(baseURL) : undefined
  const name = url?.hostname ?? ""
  const own = name === "anthropic.com" || name.endsWith(".anthropic.com")
  let client: Promise<Client> | undefined
  return {
    host: url?.host ?? baseURL,
    client: url === undefined ? undefined : () => (client ??= load(baseURL, options)),
    headers: ({ taskId, thinking }) => {
      if (!own) return { [TASK]: taskId }
      return thinking?.type === "budget" ? { [BETA]: INTERLEAVED } : {}
    },
    body: encode,
    counts: options.countsTokens ?? true,
    redact: redacting([options.apiKey, options.authToken])
  }
}
