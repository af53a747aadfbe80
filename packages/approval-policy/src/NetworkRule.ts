/**
 * Which hosts a confined command may reach: those that the user lists in `network.allowedDomains`, and no others.
 *
 * An entry is one exact host, `packages.example.com`, which opens its ports 80 and 443, or one exact port of it,
 * `example.com:8443`. There are no wildcards: who controls one name below a domain would control what is open. A name
 * that leads to a private, loopback, link-local or metadata address is refused unless that very address is listed, too.
 * Pure: whoever connects resolves the name first, and connects to exactly the addresses that were judged.
 */
import * as Schema from "effect/Schema"
import { isAddress, isForbidden } from "./internal/addresses.ts"
import { quote } from "./internal/quote.ts"

/** One port of one host. */
export interface Endpoint {
  /** In lower case and without a dot at its end, international names in ASCII, IPv6 in brackets; each host has one spelling. */
  readonly host: string
  readonly port: number
}

interface Entry {
  readonly host: string
  readonly port: number | undefined
}

const usualPorts: ReadonlyArray<number> = [80, 443]

const plainName = /^[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_][a-z0-9_-]{0,62})*$/

/** The one spelling of a host; undefined for what is none. */
const canonical = (host: string): string | undefined => {
  if (/[\p{Cc}\p{Cf}\s/\\?#@%*]/u.test(host)) return undefined
  const name = URL.parse(`http://${host}/`)?.hostname.replace(/\.$/, "")
  if (name === undefined || name.length > 253) return undefined
  return name.startsWith("[") || plainName.test(name) ? name : undefined
}

const parts = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]]+)(?::([1-9]\d{0,4}))?$/

const split = (text: string): Entry | undefined => {
  const [, name, digits] = parts.exec(text) ?? []
  const host = name === undefined ? undefined : canonical(name)
  const port = digits === undefined ? undefined : Number(digits)
  return host === undefined || (port !== undefined && port > 65_535) ? undefined : { host, port }
}

/** `host:port` as a client asks for it; the port may be left out where there is a usual one. ASCII only. */
export const endpointOf = (authority: string, usualPort?: number): Endpoint | undefined => {
  const found = /^[\x21-\x7e]*$/.test(authority) ? split(authority) : undefined
  const port = found?.port ?? usualPort
  return found === undefined || port === undefined ? undefined : { host: found.host, port }
}

/** An address in another spelling would hide what it opens. */
const entryOf = (text: string): Entry | undefined => {
  const found = split(text)
  if (found === undefined || !isAddress(found.host)) return found
  const written = text.toLowerCase()
  return written === found.host || written === `${found.host}:${found.port}` ? found : undefined
}

const unusable = (text: string): string | undefined =>
  entryOf(text) === undefined
    ? "must be an exact host such as packages.example.com or example.com:8443, without a wildcard, a scheme or a path"
    : undefined

/** Decodes the list of hosts. An entry with a wildcard, a path or a scheme fails. */
export const AllowedDomains = Schema.Array(Schema.String.check(Schema.makeFilter(unusable)))
export type AllowedDomains = typeof AllowedDomains.Type

const opens = ({ host, port }: Entry, asked: Endpoint): boolean =>
  host === asked.host && (port === undefined ? usualPorts.includes(asked.port) : port === asked.port)

/** Returns whether an entry opens the host and port that a command asks for. */
export const isListed = (domains: AllowedDomains, asked: Endpoint): boolean =>
  domains.some((text) => {
    const entry = entryOf(text)
    return entry !== undefined && opens(entry, asked)
  })

/** An endpoint for people. */
export const shown = ({ host, port }: Endpoint): string => `${host}:${port}`

const spelling = (address: string): string | undefined => canonical(address.includes(":") ? `[${address}]` : address)

/** Says why no connection may be made to a host that leads to these addresses, as a phrase; undefined when one may. */
export const refusal = (
  domains: AllowedDomains,
  asked: Endpoint,
  addresses: ReadonlyArray<string>
): string | undefined => {
  if (!isListed(domains, asked)) return "it is not listed in network.allowedDomains"
  if (addresses.length === 0) return "there is no host of this name"
  const found = addresses.find((address) => {
    const host = isForbidden(address) ? spelling(address) : undefined
    return isForbidden(address) && (host === undefined || !isListed(domains, { host, port: asked.port }))
  })
  return found === undefined
    ? undefined
    : `it leads to ${quote(found)}, which is not public and not listed in network.allowedDomains itself`
}

/** The address that a host is, without brackets; undefined for a name. */
export const addressOf = ({ host }: Endpoint): string | undefined =>
  isAddress(host) ? host.replace(/^\[|\]$/g, "") : undefined
