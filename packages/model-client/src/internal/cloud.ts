/**
 * The way to the clouds that have the models under addresses and credentials of their own, through the packages that know
 * them. What these sign or put into headers goes out as it is.
 */
import * as Redacted from "effect/Redacted"
import type { ModelRequest } from "../ModelRequest.ts"
import type { Proxies } from "../Proxies.ts"
import { BETA, type Client, type Connection, INTERLEAVED, redacting } from "./connection.ts"
import { isMissing, NotInstalled } from "./NotInstalled.ts"
import { send } from "./post.ts"

export interface Cloud {
  readonly baseURL: string
  readonly package: string
  /** Whose credentials are needed, in words, and how they are given. */
  readonly credentials: NonNullable<Connection["credentials"]>
  readonly secrets: ReadonlyArray<Redacted.Redacted | undefined>
  readonly counts: boolean
  readonly open: () => Promise<Client>
  readonly headers: Connection["headers"]
}

export const headersOf = ({ thinking }: ModelRequest): { readonly [name: string]: string } =>
  thinking?.type === "budget" ? { [BETA]: INTERLEAVED } : {}

/** All headers are passed on, since they are what was signed. */
export const fetching =
  (proxies: Proxies | undefined) =>
  (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const to = new URL(url instanceof Request ? url.url : url)
    const { body, headers, method = "POST", signal } = init ?? {}
    return send(to, {
      proxy: proxies?.(to),
      method,
      headers: Object.fromEntries(new Headers(headers)),
      body: typeof body === "string" ? Buffer.from(body) : undefined,
      signal: signal ?? undefined
    })
  }

export const connectCloud = (cloud: Cloud): Connection => {
  let client: Promise<Client> | undefined
  const open = () =>
    cloud.open().catch((cause: unknown) => {
      client = undefined
      throw isMissing(cause, cloud.package) ? new NotInstalled(cloud.package) : cause
    })
  const isUrl = URL.canParse(cloud.baseURL)
  return {
    host: isUrl ? new URL(cloud.baseURL).host : cloud.baseURL,
    client: isUrl ? () => (client ??= open()) : undefined,
    headers: cloud.headers,
    // The package puts what it needs into the body.
    body: (body) => ({ ...body }),
    counts: cloud.counts,
    credentials: cloud.credentials,
    redact: redacting(cloud.secrets)
  }
}
