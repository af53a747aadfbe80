/**
 * Where a text stops being the JSON of an object, and why, in words for whoever wrote it.
 *
 * The place is the number of characters that could be read. It is told in one pass and without recursion, so that no
 * depth of a text matters.
 */

/** What may come next. */
type Expected = "object" | "value" | "first value" | "name" | "first name" | "colon" | "comma" | "end"

interface Place {
  at: number
  expected: Expected
  /** The brackets that are open, outermost first. */
  readonly open: Array<"{" | "[">
}

const closing = { "{": "}", "[": "]" } as const

/** Literals and numbers. */
const WORD = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/uy

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/uy

const matched = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0].length ?? 0
}

const unescaped: { readonly [character: string]: string } = {
  "\n": "a line break in a string is not escaped",
  "\r": "a line break in a string is not escaped",
  "\t": "a tab in a string is not escaped"
}

/** Reads a string from its quote on; what is wrong with it, if anything. */
const string = (text: string, place: Place): string | undefined => {
  for (place.at += 1; place.at < text.length;) {
    const character = text[place.at]!
    if (character === '"') {
      place.at += 1
      return undefined
    }
    if (character < " ") return unescaped[character] ?? "a control character in a string is not escaped"
    const length = character === "\\" ? matched(ESCAPE, text, place.at) : 1
    if (length === 0) return "a \\ in a string is not escaped"
    place.at += length
  }
  return "they end inside a string"
}

const missing: { readonly [K in Exclude<Expected, "comma">]: string } = {
  object: "they have to begin with {",
  value: "a value is missing",
  "first value": "a value or ] is missing",
  name: "a name in double quotes is missing",
  "first name": "a name in double quotes or } is missing",
  colon: "a colon is missing",
  end: "there is more behind the last }"
}

const reason = ({ expected, open }: Place): string =>
  expected === "comma" ? `a comma or ${closing[open.at(-1)!]} is missing` : missing[expected]

const close = (place: Place): undefined => {
  place.at += 1
  place.open.pop()
  place.expected = place.open.length === 0 ? "end" : "comma"
}

const begin = (place: Place, bracket: "{" | "["): undefined => {
  place.at += 1
  place.open.push(bracket)
  place.expected = bracket === "{" ? "first name" : "first value"
}

/** Reads one token; what is wrong with it, if anything. */
const token = (text: string, place: Place): string | undefined => {
  const character = text[place.at]!
  const { expected, open } = place
  if (expected === "object") return character === "{" ? begin(place, "{") : reason(place)
  if (expected === "colon" && character === ":") {
    place.at += 1
    place.expected = "value"
    return undefined
  }
  if (expected === "comma" && character === ",") {
    place.at += 1
    place.expected = open.at(-1) === "{" ? "name" : "value"
    return undefined
  }
  const mayClose = expected === "comma" || expected === "first name" || expected === "first value"
  if (mayClose && character === closing[open.at(-1)!]) return close(place)
  if (expected === "name" || expected === "first name") {
    if (character !== '"') return reason(place)
    place.expected = "colon"
    return string(text, place)
  }
  if (expected !== "value" && expected !== "first value") return reason(place)
  if (character === "{" || character === "[") return begin(place, character)
  const length = character === '"' ? 0 : matched(WORD, text, place.at)
  if (character !== '"' && length === 0) return reason(place)
  place.expected = "comma"
  place.at += length
  return length === 0 ? string(text, place) : undefined
}

/** For example `character 19: a comma or } is missing`; nothing when the text is the JSON of an object. */
export const jsonFault = (text: string): string | undefined => {
  const place: Place = { at: 0, expected: "object", open: [] }
  for (;;) {
    while (place.at < text.length && " \t\n\r".includes(text[place.at]!)) place.at += 1
    const over = place.at === text.length
    if (over && place.expected === "end") return undefined
    const fault = over ? (place.expected === "object" ? missing.object : "they end too early") : token(text, place)
    if (fault !== undefined) return `character ${place.at}: ${fault}`
  }
}
