/**
 * One GET of a public address.
 *
 * Guarantees: http and https only; a name is resolved once, every address of it is judged by the policy's own rule, and
 * the connection goes to one of exactly those, so that a name that changes its mind changes nothing; each redirect is
 * judged anew, and one that leaves the host is not followed but told. No cookie, login or referrer is sent. At most 2 MB
 * of a body are read, unpacked, and 30 seconds are spent.
 */
import { FetchRule } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as http from "node:http"
import * as https from "node:https"
import * as net from "node:net"
import type { Readable } from "node:stream"
import * as tls from "node:tls"
import * as zlib from "node:zlib"
import * as PlainText from "../workspace/text/PlainText.ts"
import type { Network } from "./Network.ts"

export const largestBody = 2 * 1024 * 1024
const mostRedirects = 5
const timeLimit = "30 seconds"
/** Addresses of a name that are tried. */
const mostAddresses = 3
const connectMillis = 8000

/** Why a page was not fetched. */
export class WebError extends Schema.TaggedError<WebError>()("WebError", {
  url: Schema.String,
  /** A phrase. */
  problem: Schema.String
}) {
  override get message() {
    const shown = PlainText.name(this.url)
    return `${shown.length > 300 ? `${shown.slice(0, 300)}…` : shown} was not fetched: ${this.problem}.`
  }
}

export interface Body {
  readonly _tag: "Body"
  /** Where it came from, after redirects. */
  readonly url: string
  readonly status: number
  /** The media type, in lower case, and its parameters as they were given. */
  readonly type: string
  readonly bytes: Buffer
  /** Only the beginning was read. */
  readonly isCut: boolean
}

/** The server sends to another host, which is a fetch of its own. */
export interface Elsewhere {
  readonly _tag: "Elsewhere"
  readonly url: string
}

interface Hop {
  readonly url: URL
  readonly address: string
  readonly network: Network
}

const portOf = ({ port, protocol }: URL): number => (port === "" ? (protocol === "https:" ? 443 : 80) : Number(port))

const bare = (host: string): string => host.replace(/^\[|\]$/g, "")

const connection = ({ address, network, url }: Hop) => {
  const to = network.dial(address, portOf(url))
  const name = bare(url.hostname)
  return url.protocol === "https:"
    ? tls.connect({ ...to, ALPNProtocols: ["http/1.1"], ...(net.isIP(name) === 0 ? { servername: name } : {}) })
    : net.connect(to)
}

const headersOf = ({ host }: URL): http.OutgoingHttpHeaders => ({
  host,
  "user-agent": "Belay",
  accept: "text/html, text/markdown, text/plain, application/json, */*;q=0.5",
  "accept-encoding": "gzip, deflate, br"
})

/** The answer's head. Interruption ends the connection. */
const head = (hop: Hop): Effect.Effect<http.IncomingMessage, WebError> =>
  Effect.callback<http.IncomingMessage, WebError>((resume) => {
    const { url } = hop
    const fail = (problem: string) => resume(Effect.fail(new WebError({ url: url.href, problem })))
    const get = url.protocol === "https:" ? https.request : http.request
    const request = get({
      method: "GET",
      hostname: bare(url.hostname),
      path: `${url.pathname}${url.search}`,
      headers: headersOf(url),
      createConnection: () => {
        const socket = connection(hop)
        const timer = setTimeout(() => socket.destroy(new Error("it does not answer")), connectMillis)
        socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => clearTimeout(timer))
        socket.once("close", () => clearTimeout(timer))
        return socket
      }
    })
    request.once("response", (response) => resume(Effect.succeed(response)))
    request.on("error", (cause: NodeJS.ErrnoException) => fail(cause.code ?? cause.message))
    request.end()
    return Effect.sync(() => request.destroy())
  })

const unpacked = (response: http.IncomingMessage): Readable | undefined => {
  switch ((response.headers["content-encoding"] ?? "identity").trim().toLowerCase()) {
    case "identity":
    case "":
      return response
    case "gzip":
    case "x-gzip":
    case "deflate":
      return response.pipe(zlib.createUnzip())
    case "br":
      return response.pipe(zlib.createBrotliDecompress())
    default:
      return undefined
  }
}

/** The body up to the limit; the connection is gone afterwards. */
const bodyOf = (url: URL, response: http.IncomingMessage): Effect.Effect<Body, WebError> =>
  Effect.callback<Body, WebError>((resume) => {
    const source = unpacked(response)
    if (source === undefined) {
      response.destroy()
      return resume(Effect.fail(new WebError({ url: url.href, problem: "it is packed in a way that is not known" })))
    }
    const chunks: Array<Buffer> = []
    let size = 0
    const done = (isCut: boolean) => {
      const bytes = Buffer.concat(chunks).subarray(0, largestBody)
      const type = response.headers["content-type"] ?? ""
      resume(Effect.succeed({ _tag: "Body", url: url.href, status: response.statusCode ?? 0, type, bytes, isCut }))
      source.destroy()
      response.destroy()
    }
    const fail = (cause: NodeJS.ErrnoException) =>
      resume(Effect.fail(new WebError({ url: url.href, problem: cause.code ?? cause.message })))
    source.on("data", (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > largestBody) done(true)
    })
    source.once("end", () => done(false))
    source.on("error", fail)
    response.on("error", fail)
    response.once("aborted", () => fail(new Error("the connection ended early")))
    return Effect.sync(() => response.destroy())
  })

/** What the policy has against an address, as a phrase. */
const refusal = (url: string, addresses: ReadonlyArray<string>): WebError | undefined => {
  const reason = FetchRule.judge({ url, addresses })?.reason
  if (reason === undefined) return undefined
  return new WebError({ url, problem: reason.replace(/^.* is not fetched: /s, "").replace(/\.$/, "") })
}

/** The addresses that a URL leads to, all judged. */
const judged = (url: URL, network: Network): Effect.Effect<ReadonlyArray<string>, WebError> =>
  Effect.gen(function* () {
    const spelled = refusal(url.href, [])
    if (spelled !== undefined) return yield* spelled
    const host = bare(url.hostname)
    const addresses = net.isIP(host) === 0 ? yield* network.resolve(host) : [host]
    if (addresses.length === 0) return yield* new WebError({ url: url.href, problem: "there is no host of this name" })
    const led = refusal(url.href, addresses)
    return led === undefined ? addresses : yield* led
  })

const reached = (url: URL, network: Network) =>
  Effect.gen(function* () {
    const addresses = yield* judged(url, network)
    const [first = "", ...others] = addresses.slice(0, mostAddresses)
    const tried = head({ url, address: first, network })
    return yield* others.reduce((before, address) => Effect.catch(before, () => head({ url, address, network })), tried)
  })

const plainHost = ({ hostname }: URL): string => hostname.replace(/^www\./, "")

/** The same host, with or without www, and never from https back to http or to another port. */
const stays = (from: URL, to: URL): boolean =>
  plainHost(from) === plainHost(to) &&
  (from.protocol === to.protocol
    ? from.port === to.port
    : from.protocol === "http:" && from.port === "" && to.port === "")

const follow = (url: URL, left: number, network: Network): Effect.Effect<Body | Elsewhere, WebError> =>
  Effect.gen(function* () {
    const response = yield* reached(url, network)
    const { location } = response.headers
    const status = response.statusCode ?? 0
    if (status < 300 || status > 399 || location === undefined) return yield* bodyOf(url, response)
    response.destroy()
    const next = URL.parse(location, url.href)
    if (next === null)
      return yield* new WebError({ url: url.href, problem: "it redirects to something that is not an address" })
    next.hash = ""
    if (!stays(url, next)) {
      yield* judged(next, network)
      return { _tag: "Elsewhere" as const, url: next.href }
    }
    if (left === 0) return yield* new WebError({ url: url.href, problem: "it redirects too often" })
    return yield* follow(next, left - 1, network)
  })

/** Errors: `WebError`, one line. */
export const get = (url: string, network: Network): Effect.Effect<Body | Elsewhere, WebError> =>
  Effect.suspend(() => {
    // Before it is parsed: a parser drops characters that others keep.
    const refused = refusal(url, [])
    if (refused !== undefined) return Effect.fail(refused)
    const parsed = new URL(url)
    parsed.hash = ""
    return follow(parsed, mostRedirects, network)
  }).pipe(
    Effect.timeoutOrElse({
      duration: timeLimit,
      orElse: () => Effect.fail(new WebError({ url, problem: "it took longer than 30 seconds" }))
    })
  )
