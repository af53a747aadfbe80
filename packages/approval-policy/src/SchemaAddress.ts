/**
 * The addresses of schemas in a text: an editor that shows the text fetches them, so that whoever writes one can send
 * what he knows to its host.
 *
 * Guarantees: finds the `$schema` and `$ref` of JSON, YAML and TOML, the comments that name a schema
 * (`yaml-language-server: $schema=`, `#:schema`), and the `schemaLocation`, document types, entities and models of XML;
 * also with escapes, comments in between, and letters of the other case. It reads any text and finds rather too much.
 * https://json-schema.org/draft/2020-12/json-schema-core#section-8.1.1, https://github.com/redhat-developer/yaml-language-server,
 * https://taplo.tamasfe.dev/configuration/directives.html, https://www.w3.org/TR/xmlschema11-1/#xsi_schemaLocation
 */

const character = (code: string, base: number): string => {
  const point = Number.parseInt(code, base)
  return point >= 0x20 && point <= 0x10_ff_ff ? String.fromCodePoint(point) : ""
}

const escapes =
  /\\u\{?([0-9a-f]{4,6})\}?|\\x([0-9a-f]{2})|\\U([0-9a-f]{8})|&#x([0-9a-f]{1,6});|&#(\d{1,7});|\\([tnr])|\\(["'/$\\])/gi

/** As the readers of these formats undo escapes. */
const plain = (text: string): string =>
  text.includes("\\") || text.includes("&#")
    ? text.replaceAll(escapes, (_, u, x, long, hex, decimal, blank, itself) =>
        blank !== undefined
          ? ""
          : itself !== undefined
            ? itself
            : decimal !== undefined
              ? character(decimal, 10)
              : character(u ?? x ?? long ?? hex, 16)
      )
    : text

/** Names a host, or something else that the text does not tell. */
const isElsewhere = (address: string): boolean =>
  /^(?:https?|ftps?|wss?):/i.test(address) ||
  /^[\\/]{2}[^\\/]/.test(address) ||
  (/^[a-z][a-z0-9+.-]*:[\\/]{2}[^\\/]/i.test(address) && !/^vscode:/i.test(address)) ||
  address.startsWith("*")

/** Blanks and comments, each of a length that is read at once. */
const gap = String.raw`(?:\s|/\*[^]{0,500}?\*/|//[^\n]{0,500}\n|#[^\n]{0,500}\n)*`
const quotes = String.raw`["'\\]{0,8}`
const value = String.raw`(?:[!&][^\s"']{1,100}\s+){0,3}(?:[>|][+-]?\d?\s+)?["']{0,4}\s*([^"'\s,}\]<>]+)`

const keyed = new RegExp(String.raw`\$(?:schema|ref)${quotes}${gap}[:=]${gap}${value}`, "gi")
const directive = /#:schema\s+(\S+)/gi
const listed = /schemalocation["']?\s*=\s*(?:"([^"]*)"|'([^']*)')/gi
const declared = /<!(?:doctype|entity)\b([^>]{0,4000})|<\?xml-(?:model|stylesheet)\b([^>]{0,4000})/gi
const quoted = /"([^"]*)"|'([^']*)'/g

const relevant = /\$schema|\$ref|#:schema|schemalocation|<!doctype|<!entity|<\?xml-/i

const firsts = (matches: Iterable<RegExpExecArray>): ReadonlyArray<string> =>
  Array.from(matches, (match) => match.slice(1).find((group) => group !== undefined) ?? "")

/** Every address with a host, once, as it reads after escapes. */
export const found = (text: string): ReadonlyArray<string> => {
  const read = plain(text)
  if (!relevant.test(read)) return []
  const all = [
    ...firsts(read.matchAll(keyed)),
    ...firsts(read.matchAll(directive)),
    ...firsts(read.matchAll(listed)).flatMap((addresses) => addresses.trim().split(/\s+/)),
    ...firsts(read.matchAll(declared)).flatMap((inner) => firsts(inner.matchAll(quoted)).map((one) => one.trim()))
  ]
  return [...new Set(all.filter(isElsewhere))]
}

/** Gives the addresses of the second text that the first does not have; without a first text all of them. */
export const added = (before: string | undefined, after: string): ReadonlyArray<string> => {
  const now = found(after)
  if (now.length === 0 || before === undefined) return now
  const known = new Set(found(before))
  return now.filter((address) => !known.has(address))
}

/** Hosts that publish what everybody's editor asks them for; what a request to them says reaches nobody else. */
const publishers: ReadonlySet<string> = new Set([
  "json.schemastore.org",
  "www.schemastore.org",
  "json-schema.org",
  "turborepo.com",
  "turbo.build",
  "biomejs.dev",
  "docs.renovatebot.com",
  "developer.microsoft.com",
  "schemas.microsoft.com",
  "schemas.android.com",
  "www.w3.org",
  "maven.apache.org",
  "www.springframework.org",
  "java.sun.com",
  "xmlns.jcp.org",
  "jakarta.ee",
  "spec.openapis.org"
])

/** An address of a publisher of schemas that says nothing but which schema. */
export const isKnown = (address: string): boolean => {
  const [, host = ""] = /^https?:\/\/([a-z0-9.-]+)(?:\/[A-Za-z0-9._~@/-]{0,120})?#?$/.exec(address) ?? []
  return publishers.has(host)
}
