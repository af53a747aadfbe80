/** Text of others as people may see it: what could steer a terminal, or hide, becomes a visible escape. */

/** Control, bidi, zero-width and tag characters. The joiner within an emoji is one sign with it, and stays. */
const unsafe =
  /(?!(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D(?=\p{Extended_Pictographic}))[\p{Cc}\p{Cf}\u2028\u2029\u{E0000}-\u{E007F}]/gu

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/** Text in one line that cannot steer a terminal: what could becomes a visible escape. */
export const printable = (text: string): string =>
  text.replace(unsafe, (character) => (character === "\t" ? " " : escaped(character)))

/** The same of a text in lines, which keeps its line breaks and TABs. */
export const printableLines = (text: string): string =>
  text
    .replaceAll("\r\n", "\n")
    .replace(unsafe, (character) => (character === "\n" || character === "\t" ? character : escaped(character)))

/** `\u202e`, for each half of a pair. */
const escapedInJson = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`
  ).join("")

/** JSON of the same values, one line, that cannot steer a terminal either. */
export const printableJson = (json: string): string =>
  json.replace(unsafe, (character) => (character === "\n" ? character : escapedInJson(character)))
