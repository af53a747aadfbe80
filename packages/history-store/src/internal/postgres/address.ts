/** How a server is reached: its place, and whether what is said can be read on the way. */
import * as Redacted from "effect/Redacted"

const partsOf = (url: Redacted.Redacted): URL | undefined => URL.parse(Redacted.value(url)) ?? undefined

/** The place of a server as people are told it, without names and passwords. */
export const placeOf = (url: Redacted.Redacted): string => {
  const parts = partsOf(url)
  return parts === undefined ? "postgres" : `postgres://${parts.host}${parts.pathname}`
}

const isHere = ({ hostname }: URL): boolean =>
  hostname === "" || hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname)

/** A server elsewhere is spoken to by TLS and proves its name, whatever the address asks for; one of this machine as the address says. */
export const encryptionOf = (url: Redacted.Redacted): { readonly ssl?: true } => {
  const parts = partsOf(url)
  return parts !== undefined && isHere(parts) ? {} : { ssl: true }
}
