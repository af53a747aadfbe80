/**
 * What a file's bytes are, and text that can be written back as it was.
 *
 * Guarantees: `encode(file, text)` of what `decode(bytes)` gave are the same bytes again, so an edit leaves every byte
 * beside it alone, whatever the true encoding is. UTF-16 is told by its byte order mark; what is not UTF-8 and has no
 * control characters is taken for Windows-1252. Formats are told by their magic numbers only.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Windows1252 from "./Windows1252.ts"

export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252"

/** `mixed` files hold both; `none` has no line break at all. */
export type LineEnding = "lf" | "crlf" | "mixed" | "none"

export interface TextFile {
  /** Without the byte order mark, line breaks as in the file. */
  readonly text: string
  readonly encoding: Encoding
  readonly bom: boolean
  readonly lineEnding: LineEnding
}

export type Kind =
  /** `utf-8` until the whole is known not to be. */
  | { readonly _tag: "Text"; readonly encoding: "utf-8" | "utf-16le" | "utf-16be" }
  | { readonly _tag: "Image"; readonly mediaType: string }
  | { readonly _tag: "Pdf" }
  | { readonly _tag: "Refused"; readonly what: string }

const startsWith = (bytes: Uint8Array, text: string, at = 0) =>
  bytes.length >= at + text.length && Buffer.from(bytes.subarray(at, at + text.length)).toString("latin1") === text

/** Tells the kind from the first bytes; 8 KiB are enough. */
export const sniff = (head: Uint8Array): Kind => {
  if (startsWith(head, "\x89PNG\r\n\x1a\n")) return { _tag: "Image", mediaType: "image/png" }
  if (startsWith(head, "\xff\xd8\xff")) return { _tag: "Image", mediaType: "image/jpeg" }
  if (startsWith(head, "GIF87a") || startsWith(head, "GIF89a")) return { _tag: "Image", mediaType: "image/gif" }
  if (startsWith(head, "RIFF") && startsWith(head, "WEBP", 8)) return { _tag: "Image", mediaType: "image/webp" }
  if (startsWith(head, "%PDF-")) return { _tag: "Pdf" }
  if (startsWith(head, "\xff\xfe") && !startsWith(head, "\xff\xfe\0\0")) return { _tag: "Text", encoding: "utf-16le" }
  if (startsWith(head, "\xfe\xff")) return { _tag: "Text", encoding: "utf-16be" }
  return head.includes(0) ? { _tag: "Refused", what: "a binary file" } : { _tag: "Text", encoding: "utf-8" }
}

export const lineEndingOf = (text: string): LineEnding => {
  const all = text.split("\n").length - 1
  if (all === 0) return "none"
  const crlf = text.split("\r\n").length - 1
  if (crlf === 0) return "lf"
  return crlf === all ? "crlf" : "mixed"
}

export const toLf = (text: string): string => text.replaceAll("\r\n", "\n")

export const toCrlf = (text: string): string => toLf(text).replaceAll("\n", "\r\n")

/** Each two bytes the other way round, in a copy. */
const swapped = (bytes: Uint8Array): Uint8Array => Buffer.from(bytes).swap16()

const strictly = (bytes: Uint8Array, encoding: "utf-8" | "utf-16le"): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const textOf = (bytes: Uint8Array, encoding: Encoding): string | undefined => {
  switch (encoding) {
    case "utf-8":
    case "utf-16le":
      return strictly(bytes, encoding)
    case "utf-16be":
      return bytes.length % 2 === 0 ? strictly(swapped(bytes), "utf-16le") : undefined
    case "windows-1252":
      return Windows1252.decode(bytes)
  }
}

const toBytes = (text: string, encoding: Encoding, bom: boolean): Uint8Array => {
  const whole = bom ? `\uFEFF${text}` : text
  if (encoding === "windows-1252") return Windows1252.encode(whole)
  if (encoding === "utf-8") return Buffer.from(whole, "utf8")
  const little = Buffer.from(whole, "utf16le")
  return encoding === "utf-16le" ? little : swapped(little)
}

const decodeAs = (bytes: Uint8Array, encoding: Encoding): TextFile | undefined => {
  const decoded = textOf(bytes, encoding)
  if (decoded === undefined) return undefined
  const bom = decoded.startsWith("\uFEFF")
  const text = bom ? decoded.slice(1) : decoded
  if (Buffer.compare(toBytes(text, encoding, bom), bytes) !== 0) return undefined
  return { text, encoding, bom, lineEnding: lineEndingOf(text) }
}

/** Bytes are no text. */
export class NotText extends Schema.TaggedError<NotText>()("NotText", {
  /** What they are instead, such as "an image (image/png)". */
  what: Schema.String
}) {
  override get message() {
    return `it is ${this.what} and no text`
  }
}

/** A text has no bytes in the encoding of its file; the message says which part, without a full stop. */
export class Unencodable extends Schema.TaggedError<Unencodable>()("Unencodable", { message: Schema.String }) {}

const notText = (what: string) => Result.fail(new NotText({ what }))

export const decode = (bytes: Uint8Array): Result.Result<TextFile, NotText> => {
  const kind = sniff(bytes.subarray(0, 8192))
  if (kind._tag === "Image") return notText(`an image (${kind.mediaType})`)
  if (kind._tag === "Pdf") return notText("a PDF")
  if (kind._tag === "Refused") return notText(kind.what)
  const { encoding } = kind
  const file = decodeAs(bytes, encoding) ?? (encoding === "utf-8" ? decodeAs(bytes, "windows-1252") : undefined)
  if (file !== undefined) return Result.succeed(file)
  return notText(encoding === "utf-8" ? "a binary file" : "not valid UTF-16")
}

const code = (char: string): string => `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`

/** `text` in the encoding of `file`, with its byte order mark. */
export const encode = (
  file: Pick<TextFile, "encoding" | "bom">,
  text: string
): Result.Result<Uint8Array, Unencodable> => {
  const no = (message: string) => Result.fail(new Unencodable({ message }))
  if (!text.isWellFormed()) return no("the text holds half of a surrogate pair")
  const foreign = file.encoding === "windows-1252" ? Windows1252.foreign(text) : undefined
  return foreign === undefined
    ? Result.succeed(toBytes(text, file.encoding, file.bom))
    : no(`The file is not UTF-8 but Windows-1252, which has no ${foreign} (${code(foreign)})`)
}

/** What a file with these bytes becomes when it is saved with another text; nothing when it cannot hold that text. */
export const resaved = (bytes: Uint8Array, text: string): Uint8Array | undefined =>
  decode(bytes).pipe(
    Result.flatMap((file) => encode(file, text)),
    Result.getOrElse(() => undefined)
  )

export const lineCount = (text: string): number =>
  text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0)

/** As many lines as are counted, without their line breaks. */
export const linesOf = (text: string): ReadonlyArray<string> => {
  const lines = toLf(text).split("\n")
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines
}

/** `1.2 MB` and the like, decimal units. */
export const sizeOf = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} bytes`
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
}
