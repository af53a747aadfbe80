/**
 * Judges an address to fetch (rule `fetch.address`): http and https only, and nothing private, loopback, link-local or
 * metadata in any spelling.
 *
 * Pure: whoever fetches resolves the name first, connects to exactly those addresses, and judges each redirect anew.
 */
import * as Schema from "effect/Schema"
import { deny, type Verdict } from "./Decision.ts"
import { isAddress, isForbidden, isForbiddenName } from "./internal/addresses.ts"
import { quote } from "./internal/quote.ts"

/** Decodes the facts about one address to fetch. */
export const FetchFact = Schema.Struct({
  url: Schema.String,
  /** What the name of the host resolves to; empty while that is not known. */
  addresses: Schema.Array(Schema.String)
})
export type FetchFact = typeof FetchFact.Type

/** Undefined when nothing speaks against it; the setting for fetches still decides. */
export const judge = ({ addresses, url }: FetchFact): Verdict | undefined => {
  const refuse = (why: string): Verdict => deny("fetch.address", `${quote(url)} is not fetched: ${why}.`)
  // The parser drops some characters that other ones keep.
  if (/[\p{Cc}\p{Cf}\s\\]/u.test(url)) return refuse("it contains characters that addresses do not have")
  const parsed = URL.parse(url)
  if (parsed === null) return refuse("it is not an address")
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") return refuse("only http and https are fetched")
  if (parsed.username !== "" || parsed.password !== "") return refuse("it holds a user name or a password")
  const host = parsed.hostname
  if (isAddress(host) ? isForbidden(host) : isForbiddenName(host)) return refuse(`${quote(host)} is not public`)
  const found = addresses.find(isForbidden)
  return found === undefined ? undefined : refuse(`it leads to ${quote(found)}, which is not public`)
}
