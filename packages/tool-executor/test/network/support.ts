/** A proxy whose names lead to servers of loopback, as if they were public, and clients that speak bytes. */
import type { NetworkRule } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { Duplex } from "node:stream"
import * as tls from "node:tls"
import * as HostProxy from "../../src/network/HostProxy.ts"
import type { Network } from "../../src/web/Network.ts"

export const publicAddress = "93.184.216.34"

/** What a server got of each connection, and how it answers. */
export const server = (answer: (text: string, socket: net.Socket) => void = () => {}, first = "") =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly got: Array<string>; readonly close: () => void }>((resume) => {
      const got: Array<string> = []
      const open = new Set<net.Socket>()
      const listening = net.createServer((socket) => {
        const at = got.push("") - 1
        open.add(socket)
        socket.on("error", () => {})
        socket.write(first)
        socket.on("data", (bytes) => {
          got[at] += bytes.toString("latin1")
          answer(got[at] ?? "", socket)
        })
      })
      const close = () => {
        listening.close()
        for (const socket of open) socket.destroy()
      }
      listening.listen(0, "127.0.0.1", () => {
        resume(Effect.succeed({ port: (listening.address() as net.AddressInfo).port, got, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

/** An answer to each request that is whole. */
export const web = server((text, socket) => {
  if (text.endsWith("\r\n\r\n")) socket.end("HTTP/1.1 200 OK\r\ncontent-length: 5\r\nx-of: web\r\n\r\nhello")
})

interface Asked {
  readonly names: Array<string>
  readonly dialled: Array<string>
}

/** Every public address is the server; a name leads to `names`, one list after the other. */
export const network = (port: number, names: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>> = {}) => {
  const asked: Asked = { names: [], dialled: [] }
  const way: Network = {
    resolve: (host) =>
      Effect.sync(() => {
        const before = asked.names.filter((name) => name === host).length
        asked.names.push(host)
        const lists = names[host] ?? [[publicAddress]]
        return lists[Math.min(before, lists.length - 1)] ?? []
      }),
    dial: (address, to) => {
      asked.dialled.push(`${address} ${to}`)
      return { host: "127.0.0.1", port }
    }
  }
  return { ...asked, way }
}

export const proxy = (domains: NetworkRule.AllowedDomains, way: Network) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "hosts-"))),
      (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true }))
    )
    const file = path.join(folder, "proxy")
    const { refused } = yield* HostProxy.open({ domains, network: way, at: { path: file } })
    return { file, refused }
  })

/** Sends the pieces one after the other, and gives what came when the connection ended or `enough` says so. */
export const said = (
  at: string | number,
  pieces: ReadonlyArray<string | Uint8Array>,
  enough: (text: string) => boolean = () => false
): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const socket = typeof at === "number" ? net.connect(at, "127.0.0.1") : net.connect(at)
    let text = ""
    const done = () => resume(Effect.succeed(text))
    socket.setNoDelay(true)
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1")
      if (enough(text)) socket.destroy()
    })
    socket.once("close", done)
    socket.once("error", () => {})
    const send = ([first, ...others]: ReadonlyArray<string | Uint8Array>) => {
      if (first === undefined) return
      socket.write(first, () => setImmediate(() => send(others)))
    }
    send(pieces)
  })

/** The first bytes of a real TLS client. */
export const hello = (servername?: string): Effect.Effect<Buffer> =>
  Effect.callback((resume) => {
    const wire = new Duplex({ read() {}, write: (bytes: Buffer) => resume(Effect.succeed(bytes)) })
    tls.connect({ socket: wire, ...(servername === undefined ? {} : { servername }) }).on("error", () => {})
  })

const sized = (size: 1 | 2 | 3, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const body = Buffer.concat(parts)
  const length = Buffer.alloc(size)
  length.writeUIntBE(body.length, 0, size)
  return Buffer.concat([length, body])
}

const bytes = (...values: ReadonlyArray<number>): Buffer => Buffer.from(values)

const nameOf = (name: string): Buffer => Buffer.concat([bytes(0), sized(2, Buffer.from(name))])

export const extension = (type: number, body: Buffer): Buffer =>
  Buffer.concat([bytes(type >> 8, type & 255), sized(2, body)])

export const names = (...all: ReadonlyArray<string>): Buffer => extension(0, sized(2, ...all.map(nameOf)))

export const record = (body: Buffer): Buffer => Buffer.concat([bytes(22, 3, 1), sized(2, body)])

/** The message alone, in no record. */
export const message = (...extensions: ReadonlyArray<Buffer>): Buffer => {
  const start = [bytes(3, 3), Buffer.alloc(32), sized(1), sized(2, bytes(0x13, 0x01)), sized(1, bytes(0))]
  return Buffer.concat([bytes(1), sized(3, ...start, sized(2, ...extensions))])
}
