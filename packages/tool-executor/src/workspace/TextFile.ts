/**
 * What a file's bytes are, and text that can be written back as it was.
 *
 * Guarantees: `encode(decode(bytes), text)` gives the same bytes again for every text that `decode` accepts; bytes that
 * are not UTF-8, or UTF-16 with a byte order mark, are not text here. Formats are told by their magic numbers only.
 */
import * as Result from "effect/Result"

export type Encoding = "utf-8" | "utf-16le"

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
  | { readonly _tag: "Text"; readonly encoding: Encoding }
  | { readonly _tag: "Image"; readonly mediaType: string }
  | { readonly _tag: "Refused"; readonly what: string }

const startsWith = (bytes: Uint8Array, text: string, at = 0) =>
  bytes.length >= at + text.length && Buffer.from(bytes.subarray(at, at + text.length)).toString("latin1") === text

/** Tells the kind from the first bytes; 8 KiB are enough. */
export const sniff = (head: Uint8Array): Kind => {
  if (startsWith(head, "\x89PNG\r\n\x1a\n")) return { _tag: "Image", mediaType: "image/png" }
  if (startsWith(head, "\xff\xd8\xff")) return { _tag: "Image", mediaType: "image/jpeg" }
  if (startsWith(head, "GIF87a") || startsWith(head, "GIF89a")) return { _tag: "Image", mediaType: "image/gif" }
  if (startsWith(head, "RIFF") && startsWith(head, "WEBP", 8)) return { _tag: "Image", mediaType: "image/webp" }
  if (startsWith(head, "%PDF-")) return { _tag: "Refused", what: "a PDF" }
  if (startsWith(head, "\xff\xfe") && !startsWith(head, "\xff\xfe\0\0")) return { _tag: "Text", encoding: "utf-16le" }
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

const toBytes = (text: string, encoding: Encoding, bom: boolean): Uint8Array =>
  Buffer.from((bom ? "\uFEFF" : "") + text, encoding === "utf-8" ? "utf8" : "utf16le")

/** Fails with what the bytes are instead. */
export const decode = (bytes: Uint8Array): Result.Result<TextFile, string> => {
  const kind = sniff(bytes.subarray(0, 8192))
  if (kind._tag === "Image") return Result.fail(`an image (${kind.mediaType})`)
  if (kind._tag === "Refused") return Result.fail(kind.what)
  let decoded: string
  try {
    decoded = new TextDecoder(kind.encoding, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return Result.fail("not valid UTF-8")
  }
  const bom = decoded.startsWith("\uFEFF")
  const text = bom ? decoded.slice(1) : decoded
  if (Buffer.compare(toBytes(text, kind.encoding, bom), bytes) !== 0) return Result.fail(`not valid ${kind.encoding}`)
  return Result.succeed({ text, encoding: kind.encoding, bom, lineEnding: lineEndingOf(text) })
}

/** `text` in the encoding of `file`, with its byte order mark; fails for half of a surrogate pair, which has no bytes. */
export const encode = (file: Pick<TextFile, "encoding" | "bom">, text: string): Result.Result<Uint8Array, string> =>
  text.isWellFormed()
    ? Result.succeed(toBytes(text, file.encoding, file.bom))
    : Result.fail("the text holds half of a surrogate pair")

export const lineCount = (text: string): number =>
  text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0)

/** `1.2 MB` and the like, decimal units. */
export const sizeOf = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} bytes`
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
}
