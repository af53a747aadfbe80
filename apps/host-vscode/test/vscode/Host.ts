/**
 * The extension host as stories see it: `host(async (vscode) => ...)` runs inside it and gives what it returns.
 *
 * The function travels as text, so it uses nothing but its arguments; arguments and result are JSON. After a reload
 * the next call waits for the new extension host.
 */
import { createServer, type AddressInfo, type Socket } from "node:net"
import { createInterface } from "node:readline"
import type * as vscode from "vscode"

export type Api = typeof vscode

export type Run = <A, const Args extends ReadonlyArray<unknown>>(
  body: (api: Api, ...args: Args) => A | Promise<A>,
  ...args: Args
) => Promise<Awaited<A>>

interface Pending {
  readonly resolve: (value: any) => void
  readonly reject: (error: Error) => void
}

/** The extension host of one window: when it has ended, the calls that wait fail and later ones wait for its successor. */
export interface Host {
  readonly run: Run
  /** Ends the connection: what is called from now on waits for another extension host. */
  readonly forget: () => void
}

export interface Hosts {
  readonly port: number
  /** The host that connects next, of a window that is about to open. */
  readonly next: () => Host
  readonly close: () => void
}

type Take = (socket: Socket) => void

const make = (wait: (take: Take) => void): Host => {
  const pending = new Map<number, Pending>()
  let last = 0
  let connected = Promise.withResolvers<Socket>()
  let current: { readonly destroy: () => unknown } | undefined

  const receive = (line: string): void => {
    const { error, id, value } = JSON.parse(line)
    const call = pending.get(id)
    pending.delete(id)
    if (error === undefined) call?.resolve(value)
    else call?.reject(new Error(error))
  }

  const forget = (): void => {
    const socket = current
    if (socket === undefined) return
    current = undefined
    socket.destroy()
    for (const { reject } of pending.values()) reject(new Error("the extension host went away"))
    pending.clear()
    connected = Promise.withResolvers<Socket>()
    wait(take)
  }

  const take: Take = (socket) => {
    current = socket
    createInterface({ input: socket }).on("line", receive)
    socket.on("close", () => {
      if (socket === current) forget()
    })
    connected.resolve(socket)
  }

  wait(take)
  return {
    forget,
    run: async (body, ...args) => {
      const socket = await connected.promise
      const id = ++last
      const answer = new Promise<any>((resolve, reject) => pending.set(id, { resolve, reject }))
      socket.write(`${JSON.stringify({ id, source: body.toString(), args })}\n`)
      return answer
    }
  }
}

/** At most one window at a time may be without its host: the host that connects then is that window's. */
export const listen = async (): Promise<Hosts> => {
  const sockets = new Set<Socket>()
  const unclaimed = new Set<Socket>()
  const waiting: Array<Take> = []
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    socket.on("close", () => {
      sockets.delete(socket)
      unclaimed.delete(socket)
    })
    const take = waiting.shift()
    if (take === undefined) unclaimed.add(socket)
    else take(socket)
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    next: () =>
      make((take) => {
        const [socket] = unclaimed
        if (socket === undefined) return void waiting.push(take)
        unclaimed.delete(socket)
        take(socket)
      }),
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  }
}
