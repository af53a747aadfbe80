/** How a server is reached: its place, and whether what is said can be read on the way. */
import * as Redacted from "effect/Redacted"

const partsOf = (url: Redacted.Redacted): URL | undefined => URL.parse(Redacted.value(url)) ?? undefined

/** A `host` among what follows the address stands in the place of the one in it. */
const otherHost = ({ searchParams }: URL): string | undefined => searchParams.getAll("host").at(-1)

/** The place of a server as people are told it, without names and passwords. */
export const placeOf = (url: Redacted.Redacted): string => {
  const parts = partsOf(url)
  return parts === undefined ? "postgres" : `postgres://${otherHost(parts) ?? parts.host}${parts.pathname}`
}

/** Of this machine, or a socket of it. */
const isHere = (host: string): boolean => /^(?:|localhost|::1|\[::1\]|127(?:\.\d+){3}|(?:\/|%2F).*)$/i.test(host)

/** A server elsewhere is spoken to by TLS and proves its name, whatever the address asks for; one of this machine as the address says. */
export const encryptionOf = (url: Redacted.Redacted): { readonly ssl?: true } => {
  const parts = partsOf(url)
  return parts !== undefined && isHere(otherHost(parts) ?? parts.hostname) ? {} : { ssl: true }
}
