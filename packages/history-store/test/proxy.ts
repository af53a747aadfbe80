/** A way to a server on which connections break while they commit. */
import { connect, createServer, type Socket } from "node:net"

/** What happens to a commit: its answer is lost, or it never arrives. */
type Break = "answer" | "request"

export interface Proxy {
  readonly port: number
  /** What breaks next, each once, in this order. */
  readonly breaks: Array<Break>
  readonly close: () => Promise<void>
}

const commit = Buffer.from("COMMIT\0")

export const open = (port: number): Promise<Proxy> => {
  const breaks: Array<Break> = []
  const sockets = new Set<Socket>()
  const join = (client: Socket) => {
    const server = connect(port, "127.0.0.1")
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on("error", () => undefined)
      socket.on("close", () => {
        sockets.delete(socket)
        client.destroy()
        server.destroy()
      })
    }
    let isMute = false
    client.on("data", (data) => {
      const broken = data.includes(commit) ? breaks.shift() : undefined
      if (broken === "request") client.destroy()
      isMute ||= broken === "answer"
      if (broken !== "request") server.write(data)
    })
    server.on("data", (data) => {
      if (isMute) client.destroy()
      else client.write(data)
    })
  }
  const listener = createServer(join)
  const close = () =>
    new Promise<void>((resolve) => {
      for (const socket of sockets) socket.destroy()
      listener.close(() => resolve())
    })
  return new Promise((resolve) => {
    listener.listen(0, "127.0.0.1", () => {
      const address = listener.address()
      resolve({ port: typeof address === "object" && address !== null ? address.port : 0, breaks, close })
    })
  })
}
