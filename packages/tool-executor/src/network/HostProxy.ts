/**
 * The one way out of a box: a proxy for HTTP and for tunnels, on a socket that only the box and this user have.
 *
 * Guarantees: it resolves names itself and connects to exactly the addresses that `NetworkRule` has judged; each request
 * is judged on its own, also on one connection; the name in the URL is the name that the server is told, whatever the
 * client says in `Host`; what goes through a tunnel has to be meant for its host (`TunnelStart`). Requests are read and
 * written anew, so that both sides agree where one ends. It ends with its scope, and every connection with it.
 * https://www.rfc-editor.org/rfc/rfc9110#section-9.3.6, https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2
 */
import { NetworkRule } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { timingSafeEqual } from "node:crypto"
import * as http from "node:http"
import * as net from "node:net"
import type { Duplex } from "node:stream"
import type { Network } from "../web/Network.ts"
import * as TunnelStart from "./TunnelStart.ts"

export interface Options {
  readonly domains: NetworkRule.AllowedDomains
  readonly network: Network
  /** A socket file in a folder of this user, or a port of loopback, where each request needs this password. */
  readonly at: { readonly path: string } | { readonly password: string }
}

export interface HostProxy {
  /** 0 for a socket file. */
  readonly port: number
  /** What was not let through, a phrase each, in the order it came; the first ten. */
  readonly refused: () => ReadonlyArray<string>
}

const mostRefusals = 10
const mostConnections = 256
const mostAddresses = 3
const connectMillis = 10_000

/** Between two neighbours only, and `host`, `expect` and what frames a body, which are written anew. */
const ofOneHop = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|expect|content-length)$/

interface Refused {
  readonly status: 400 | 403 | 502
  readonly why: string
}

type Reached = { readonly socket: net.Socket } | Refused

const headersOf = (message: http.IncomingMessage): http.OutgoingHttpHeaders => {
  const dropped = (message.headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase())
  return Object.fromEntries(
    Object.entries(message.headersDistinct).flatMap(([name, values]) =>
      values === undefined || ofOneHop.test(name) || dropped.includes(name) ? [] : [[name, values]]
    )
  )
}

/** How long the body is, in the words of the next message; nothing where there is none. */
const framingOf = ({ headers }: http.IncomingMessage): http.OutgoingHttpHeaders =>
  headers["transfer-encoding"] !== undefined
    ? { "transfer-encoding": "chunked" }
    : headers["content-length"] !== undefined
      ? { "content-length": headers["content-length"] }
      : {}

/** One after the other, until one answers. */
const dialled = (
  network: Network,
  addresses: ReadonlyArray<string>,
  port: number,
  done: (socket: net.Socket | undefined) => void
): void => {
  const [first, ...others] = addresses
  if (first === undefined) return done(undefined)
  const socket = net.connect({ ...network.dial(first, port), allowHalfOpen: true })
  const failed = () => {
    clearTimeout(timer)
    socket.destroy()
    dialled(network, others, port, done)
  }
  const timer = setTimeout(() => socket.destroy(new Error("it does not answer")), connectMillis)
  socket.once("error", failed)
  socket.once("connect", () => {
    clearTimeout(timer)
    socket.off("error", failed)
    socket.on("error", () => socket.destroy())
    done(socket)
  })
}

/** Each ends with the other; what was sent before arrives. */
const joined = (left: Duplex, right: Duplex): void => {
  const sides = [
    [left, right],
    [right, left]
  ] as const
  for (const [from, to] of sides) {
    from.on("error", () => to.destroy())
    from.once("close", () => void to.end(() => to.destroy()))
  }
}

class Proxy {
  readonly options: Options
  readonly refusals = new Set<string>()
  readonly sockets = new Set<Duplex>()
  constructor(options: Options) {
    this.options = options
  }

  keep(socket: Duplex): void {
    this.sockets.add(socket)
    socket.once("close", () => this.sockets.delete(socket))
  }

  note(asked: NetworkRule.Endpoint | undefined, why: string): void {
    const line = asked === undefined ? why : `${NetworkRule.shown(asked)}: ${why}`
    if (this.refusals.size < mostRefusals) this.refusals.add(line)
  }

  isKnown({ headers }: http.IncomingMessage): boolean {
    const { at } = this.options
    if (!("password" in at)) return true
    const expected = Buffer.from(`Basic ${Buffer.from(`belay:${at.password}`).toString("base64")}`)
    const given = Buffer.from(headers["proxy-authorization"] ?? "")
    return given.length === expected.length && timingSafeEqual(given, expected)
  }

  /** A connection to what was asked for, or why there is none. */
  reach(asked: NetworkRule.Endpoint | undefined, done: (reached: Reached) => void): void {
    const refuse = (status: Refused["status"], why: string) => {
      this.note(asked, why)
      done({ status, why })
    }
    if (asked === undefined) return refuse(400, "what a program asked for is not an address of one host and port")
    const { domains, network } = this.options
    if (!NetworkRule.isListed(domains, asked)) return refuse(403, NetworkRule.refusal(domains, asked, []) ?? "")
    const own = NetworkRule.addressOf(asked)
    const looked = own === undefined ? network.resolve(asked.host) : Effect.succeed([own])
    Effect.runCallback(looked, {
      onExit: (exit) => {
        const addresses = Exit.isSuccess(exit) ? exit.value : []
        const why = NetworkRule.refusal(domains, asked, addresses)
        if (why !== undefined) return refuse(addresses.length === 0 ? 502 : 403, why)
        dialled(network, addresses.slice(0, mostAddresses), asked.port, (socket) => {
          if (socket === undefined) return refuse(502, "it does not answer")
          this.keep(socket)
          done({ socket })
        })
      }
    })
  }

  tunnel(request: http.IncomingMessage, client: Duplex, head: Buffer): void {
    const say = (line: string) => client.writable && client.write(`HTTP/1.1 ${line}\r\n\r\n`)
    const end = (line: string) => void client.end(`HTTP/1.1 ${line}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
    client.on("error", () => client.destroy())
    if (!this.isKnown(request)) return end("407 Proxy Authentication Required")
    const asked = NetworkRule.endpointOf(request.url ?? "")
    if (asked?.port === 80) {
      const why = "plain HTTP goes to the proxy as a request, not through a tunnel"
      this.note(asked, why)
      return end(`403 ${why}`)
    }
    this.reach(asked, (reached) => {
      if (!("socket" in reached)) return end(`${reached.status} ${reached.why.replaceAll(/[^\x20-\x7e]/g, "?")}`)
      const { socket } = reached
      joined(client, socket)
      if (client.destroyed || asked === undefined) return void socket.destroy()
      say("200 Connection established")
      socket.pipe(client)
      this.guard(client, socket, asked, head)
    })
  }

  /** Lets the client's bytes through once the first of them are meant for the host. */
  guard(client: Duplex, socket: net.Socket, asked: NetworkRule.Endpoint, head: Buffer): void {
    let held = Buffer.alloc(0)
    const take = (bytes: Buffer) => {
      held = Buffer.concat([held, bytes])
      const judged = held.length === 0 ? { _tag: "More" as const } : TunnelStart.judge(held, asked)
      if (judged._tag === "More") return
      client.off("data", take)
      if (judged._tag === "Refused") {
        this.note(asked, judged.why)
        client.destroy()
        socket.destroy()
      } else {
        socket.write(held)
        client.pipe(socket)
      }
    }
    client.on("data", take)
    take(head)
  }

  forward(request: http.IncomingMessage, response: http.ServerResponse): void {
    const end = (status: number, why: string) => {
      if (response.headersSent) return void response.destroy()
      response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" })
      response.end(`${why}\n`)
    }
    if (!this.isKnown(request)) return end(407, "This proxy is for a command of Belay")
    const [, authority = "", rest = ""] = /^http:\/\/([^/?#]*)([/?][^#]*)?$/i.exec(request.url ?? "") ?? []
    const asked = NetworkRule.endpointOf(authority, 80)
    this.reach(asked, (reached) => {
      if (!("socket" in reached)) return end(reached.status, reached.why)
      const { socket } = reached
      if (asked === undefined || response.destroyed) return void socket.destroy()
      const sent = http.request({
        method: request.method ?? "GET",
        path: rest.startsWith("/") ? rest : `/${rest}`,
        headers: {
          ...headersOf(request),
          ...framingOf(request),
          host: asked.port === 80 ? asked.host : NetworkRule.shown(asked),
          connection: "close"
        },
        createConnection: () => socket
      })
      sent.once("response", (answer) => {
        const status = answer.statusCode ?? 0
        if (status < 200) {
          answer.destroy()
          return end(502, "the answer has no status")
        }
        response.writeHead(status, { ...headersOf(answer), ...lengthOf(answer) })
        answer.on("error", () => response.destroy())
        answer.once("aborted", () => response.destroy())
        answer.pipe(response)
      })
      sent.on("error", () => end(502, "the connection ended early"))
      response.on("error", () => sent.destroy())
      request.on("error", () => sent.destroy())
      response.once("close", () => sent.destroy())
      request.once("aborted", () => sent.destroy())
      request.pipe(sent)
    })
  }
}

const lengthOf = ({ headers }: http.IncomingMessage): http.OutgoingHttpHeaders =>
  headers["content-length"] === undefined ? {} : { "content-length": headers["content-length"] }

export const open = (options: Options): Effect.Effect<HostProxy, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<HostProxy & { readonly close: () => void }>((resume) => {
      const proxy = new Proxy(options)
      const server = http.createServer({ requireHostHeader: false }, (request, response) =>
        proxy.forward(request, response)
      )
      server.maxConnections = mostConnections
      server.on("connection", (socket) => proxy.keep(socket))
      server.on("connect", (request, socket, head) => proxy.tunnel(request, socket, head))
      const close = () => {
        server.close()
        for (const socket of proxy.sockets) socket.destroy()
      }
      const { at } = options
      server.listen("path" in at ? { path: at.path } : { host: "127.0.0.1", port: 0 }, () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ port, refused: () => [...proxy.refusals], close }))
      })
      server.on("error", (cause) => resume(Effect.die(cause)))
    }),
    ({ close }) => Effect.sync(close)
  )
