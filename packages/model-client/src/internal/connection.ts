/** The way to a service: where it is, what shows who asks, and what must not be in any text about it. */
import * as Redacted from "effect/Redacted"
import type { ModelRequest } from "../ModelRequest.ts"
import * as Service from "./service.ts"

export interface ConnectionOptions {
  readonly apiKey?: Redacted.Redacted
  readonly authToken?: Redacted.Redacted
  readonly baseUrl?: string
}

export interface Connection {
  readonly host: string
  /** `undefined` when the base URL is none. */
  readonly service: Service.Service | undefined
  readonly headers: (request: ModelRequest) => { readonly [name: string]: string }
  readonly redact: (text: string) => string
}

const DEFAULT_URL = "https://api.anthropic.com"
const TASK = "x-belay-task"

const credentials = ({ apiKey, authToken }: ConnectionOptions): Record<string, string> => ({
  ...(apiKey === undefined ? {} : { "x-api-key": Redacted.value(apiKey) }),
  ...(authToken === undefined ? {} : { authorization: `Bearer ${Redacted.value(authToken)}` })
})

/** Local servers get keys such as `x`: too short for a secret, and to remove them would garble every text. */
const SHORTEST_SECRET = 4

const secrets = (options: ConnectionOptions): ReadonlyArray<string> =>
  [options.apiKey, options.authToken].flatMap((secret) => {
    const value = secret === undefined ? "" : Redacted.value(secret)
    return value.length < SHORTEST_SECRET ? [] : [value]
  })

export const connect = (options: ConnectionOptions): Connection => {
  const baseURL = (options.baseUrl ?? DEFAULT_URL).replace(/\/+$/u, "")
  const hidden = secrets(options)
  const url = URL.canParse(baseURL) ? new URL(baseURL) : undefined
  const name = url?.hostname ?? ""
  const own = name === "anthropic.com" || name.endsWith(".anthropic.com")
  return {
    host: url?.host ?? baseURL,
    service: url === undefined ? undefined : Service.make(baseURL, credentials(options)),
    headers: (request) => (own ? {} : { [TASK]: request.taskId }),
    redact: (text) => hidden.reduce((clean, secret) => clean.replaceAll(secret, "<redacted>"), text)
  }
}
