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

export interface Host {
  readonly port: number
  readonly run: Run
  /** The extension host is going away: calls wait for the next one. */
  readonly forget: () => void
  readonly close: () => void
}

export const listen = async (): Promise<Host> => {
  const pending = new Map<number, Pending>()
  let last = 0
  let connected = Promise.withResolvers<Socket>()
  const sockets = new Set<Socket>()

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    createInterface({ input: socket }).on("line", (line) => {
      const { error, id, value } = JSON.parse(line)
      const call = pending.get(id)
      pending.delete(id)
      if (error === undefined) call?.resolve(value)
      else call?.reject(new Error(error))
    })
    connected.resolve(socket)
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))

  const run: Run = async (body, ...args) => {
    const socket = await connected.promise
    const id = ++last
    const answer = new Promise<any>((resolve, reject) => pending.set(id, { resolve, reject }))
    socket.write(`${JSON.stringify({ id, source: body.toString(), args })}\n`)
    return answer
  }

  const forget = () => {
    for (const { reject } of pending.values()) reject(new Error("the extension host went away"))
    pending.clear()
    for (const socket of sockets) socket.destroy()
    sockets.clear()
    connected = Promise.withResolvers<Socket>()
  }

  return {
    port: (server.address() as AddressInfo).port,
    run,
    forget,
    close: () => {
      forget()
      server.close()
    }
  }
}
