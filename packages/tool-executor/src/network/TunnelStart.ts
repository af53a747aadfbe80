/**
 * Whether what a client sends first through a tunnel is meant for the host that the tunnel was opened for.
 *
 * One address can serve many hosts, and what is inside a tunnel names the one it wants. Guarantees: TLS names exactly the
 * host; plain HTTP is never passed, since each of its requests names a host; on port 443 nothing but TLS is passed.
 */
import { NetworkRule } from "@belay/approval-policy"
import * as ClientHello from "./ClientHello.ts"

export type Judged =
  | { readonly _tag: "More" }
  | { readonly _tag: "Passed" }
  /** A phrase. */
  | { readonly _tag: "Refused"; readonly why: string }

const more: Judged = { _tag: "More" }
const passed: Judged = { _tag: "Passed" }
const refused = (why: string): Judged => ({ _tag: "Refused", why })

const longestLine = 8192

/** What may still become the first line of an HTTP request, after line breaks that servers skip. */
const mayBeRequest = /^[\r\n]*[!#$%&'*+.^_`|~\w-]*(?:[ \t][^\n]*)?\r?$/

/** A protocol that is neither TLS nor HTTP. */
const other = (bytes: Buffer): Judged => {
  const text = bytes.subarray(0, longestLine).toString("latin1")
  const [line = "", ...rest] = text.replace(/^[\r\n]+/, "").split("\n")
  if (rest.length > 0) {
    return /HTTP\/\d/i.test(line) ? refused("plain HTTP goes to the proxy as a request, not through a tunnel") : passed
  }
  if (!mayBeRequest.test(text)) return passed
  return text.length < longestLine ? more : refused("its first line does not end")
}

const named = (name: string, host: string): boolean =>
  NetworkRule.endpointOf(name, 443)?.host === host && /^[a-z0-9_.-]+$/.test(name)

/** `bytes`: all that came so far, at least one. */
export const judge = (bytes: Buffer, { host, port }: NetworkRule.Endpoint): Judged => {
  if (bytes[0] !== 22) return port === 443 ? refused("only TLS is passed to port 443") : other(bytes)
  const hello = ClientHello.of(bytes)
  if (hello._tag === "More") return more
  if (hello._tag === "Wrong") return refused("it cannot be told which host its TLS asks for")
  const isAddress = NetworkRule.addressOf({ host, port }) !== undefined
  if (isAddress ? hello.name === undefined : hello.name !== undefined && named(hello.name, host)) return passed
  return refused(`its TLS asks for ${hello.name === undefined ? "no host" : JSON.stringify(hello.name)}`)
}
