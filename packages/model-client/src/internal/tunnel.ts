/**
 * Connections through a proxy: a tunnel for every one, kept for further requests as those without a proxy are.
 *
 * Its TLS ends at the service, with the certificates that Node trusts; the proxy sees host and port alone.
 * Source: https://www.rfc-editor.org/rfc/rfc9110 section 9.3.6
 */
import type { Agent } from "node:https"
import type { Socket } from "node:net"

type Made = (cause: Error | null, socket?: Socket) => void

/** As it is written where it is no text with escapes: a password may have a `%` of its own. */
const plain = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const authorization = ({ password, username }: URL): { readonly [name: string]: string } => {
  if (username === "" && password === "") return {}
  const login = `${plain(username)}:${plain(password)}`
  return { "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}` }
}

/** A socket to host and port, by way of the proxy. */
const open = (proxy: URL, target: string, made: Made): void => {
  const client = process.getBuiltinModule(proxy.protocol === "https:" ? "node:https" : "node:http")
  const request = client.request({
    host: proxy.hostname.replaceAll(/^\[|\]$/gu, ""),
    port: proxy.port || (proxy.protocol === "https:" ? 443 : 80),
    method: "CONNECT",
    path: target,
    headers: { host: target, ...authorization(proxy) },
    agent: false
  })
  request.once("error", (cause) =>
    made(new Error(`the proxy ${proxy.host} does not answer: ${cause.message}`, { cause }))
  )
  request.once("connect", (answer, socket) => {
    if (answer.statusCode === 200) return made(null, socket)
    socket.destroy()
    made(new Error(`the proxy ${proxy.host} refused the connection (${answer.statusCode})`))
  })
  request.end()
}

const agents = new Map<string, Agent>()

interface Target {
  readonly host?: string | null
  readonly port?: string | number | null
  readonly servername?: string
}

/** The agent whose connections go through the proxy: to a service with TLS, or to one without. */
export const agentOf = (proxy: URL, isSecure: boolean): Agent => {
  const key = `${isSecure ? "tls" : "plain"} ${proxy.href}`
  const known = agents.get(key)
  if (known !== undefined) return known
  const { Agent: Own } = process.getBuiltinModule(isSecure ? "node:https" : "node:http")
  const agent = new Own({ keepAlive: true }) as Agent
  const connect = (options: Target, made: Made): undefined => {
    const host = options.host ?? ""
    open(proxy, `${host.includes(":") ? `[${host}]` : host}:${options.port}`, (cause, socket) => {
      if (cause !== null || socket === undefined) return made(cause)
      if (!isSecure) return made(null, socket)
      const secure = process.getBuiltinModule("node:tls").connect({ ...options, host, socket } as object)
      secure.once("error", made)
      secure.once("secureConnect", () => {
        secure.removeListener("error", made)
        made(null, secure)
      })
    })
  }
  Object.assign(agent, { createConnection: connect })
  agents.set(key, agent)
  return agent
}
