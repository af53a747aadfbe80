/**
 * Opens the listed hosts for one command in a box, for as long as its scope lasts.
 *
 * A box has a network of its own, with nothing in it. A relay inside, run by the very Node that runs Belay, takes
 * connections at its loopback address and hands each to the socket file of the proxy outside, which is bound into the box.
 */
import type { NetworkRule } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Network } from "../web/Network.ts"
import * as HostProxy from "./HostProxy.ts"

export interface Opened {
  /** What programs find the proxy by. */
  readonly env: Readonly<Record<string, string>>
  readonly refused: HostProxy.HostProxy["refused"]
}

export interface OpenedInBox extends Opened {
  /** Files of the host and where the box has them. */
  readonly binds: ReadonlyArray<{ readonly from: string; readonly path: string }>
  /** What bash in the box runs before the command: the relay, which is up when it ends. */
  readonly before: string
}

/** Where no service is, and none of those ports that the system gives to whoever asks for any. */
const relayPort = 61_128

const ownNames = ["localhost", "127.0.0.1", "[::1]"] as const

/** Servers of the command itself are reached without the proxy, unless they are listed. */
const variables = (url: string, domains: NetworkRule.AllowedDomains): Record<string, string> => {
  const direct = ownNames.filter((name) => !domains.some((text) => text === name || text.startsWith(`${name}:`)))
  const all = { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: direct.join(",").replaceAll(/[[\]]/g, "") }
  const lower = Object.fromEntries(Object.entries(all).map(([name, value]) => [name.toLowerCase(), value]))
  // Node looks at the others only with it. https://nodejs.org/api/cli.html#node_use_env_proxy1
  return { ...all, ...lower, NODE_USE_ENV_PROXY: "1" }
}

/** For a sandbox that can open one port of loopback: the password keeps other programs of this machine out. */
export const atPort = (
  domains: NetworkRule.AllowedDomains,
  network: Network
): Effect.Effect<Opened & { readonly port: number }, never, Scope.Scope> => {
  const password = randomBytes(24).toString("hex")
  return Effect.map(HostProxy.open({ domains, network, at: { password } }), ({ port, refused }) => ({
    port,
    refused,
    env: variables(`http://belay:${password}@127.0.0.1:${port}`, domains)
  }))
}

/** In /tmp, of which every box has its own: no other command finds it. */
const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync("/tmp/belay-hosts-")),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true, maxRetries: 5 }))
)

const relay = `
const net = require("node:net")
const [, file, port] = process.argv
const take = (here) => {
  const there = net.connect({ path: file, allowHalfOpen: true })
  for (const [from, to] of [[here, there], [there, here]]) {
    from.on("error", () => to.destroy())
    from.once("close", () => to.end(() => to.destroy()))
    from.pipe(to)
  }
}
const server = net.createServer({ allowHalfOpen: true }, take)
server.listen(Number(port), "127.0.0.1", () => process.stdout.write("up\\n"))
`

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const inside = "/run/belay/hosts"

/**
 * An editor runs Node inside a program that is an editor otherwise; what the command wants of its own Node (a proxy,
 * further modules) would more than double the time until the relay is up.
 */
const ofRelay = "ELECTRON_RUN_AS_NODE=1 NODE_USE_ENV_PROXY= NODE_OPTIONS= NODE_EXTRA_CA_CERTS="

/** Node is where it is, unless the box has a folder of its own there. */
const nodeIn = (emptied: ReadonlyArray<string>) => {
  const own = fs.realpathSync.native(process.execPath)
  const isGone = emptied.some((folder) => own.startsWith(`${folder}/`))
  const at = "/run/belay/node"
  return isGone ? { node: at, binds: [{ from: own, path: at }] } : { node: own, binds: [] }
}

/** `emptied`: the folders of which the box has its own; /run and /tmp are among them. */
export const inBox = Effect.fnUntraced(function* (
  domains: NetworkRule.AllowedDomains,
  network: Network,
  emptied: ReadonlyArray<string>
): Effect.fn.Return<OpenedInBox, never, Scope.Scope> {
  const file = path.join(yield* folder, "proxy")
  const { refused } = yield* HostProxy.open({ domains, network, at: { path: file } })
  const { binds, node } = nodeIn(emptied)
  const run = [node, "-e", relay, inside, String(relayPort)].map(quoted).join(" ")
  const started = `set -m; ${ofRelay} ${run} </dev/null 2>/dev/null &`
  const missing = "Belay: the listed hosts cannot be reached, because Node does not start in the sandbox."
  return {
    env: variables(`http://127.0.0.1:${relayPort}`, domains),
    refused,
    binds: [...binds, { from: file, path: inside }],
    before: `read -r up < <(${started}) || echo ${quoted(missing)} >&2; unset up`
  }
})
