/**
 * Bytes that come from no file, as read_file would show one: text with its limits, whose lines have no numbers, an image as an image, and of anything
 * else what it is. A bracketed first line says what was left out, and is absent when nothing was.
 */
import * as Result from "effect/Result"
import type * as Tool from "../../tool/Tool.ts"
import * as LineWindow from "../text/LineWindow.ts"
import * as TextFile from "../text/TextFile.ts"

const imageBytes = 5_000_000

/** Holds bytes that somebody gives the model, such as stdin. */
export interface Given {
  readonly bytes: Uint8Array
  /** In words, such as "stdin". */
  readonly name: string
  /** Why not all of it came, as a sentence; nothing when all did. */
  readonly cut?: string | undefined
}

/** What the model has to know besides the text. */
const notes = ({ cut, last, limited, seen }: LineWindow.Window, given: Given): ReadonlyArray<string> => {
  const [long] = cut
  const more = cut.length > 1 ? ` and ${cut.length - 1} more` : ""
  return [
    ...(limited ? [`Lines 1-${last} of ${seen}. To have all of it read, it has to be in a file.`] : []),
    ...(long === undefined
      ? []
      : [`Only the first ${LineWindow.limits.lineCharacters} characters are shown of line ${long.line}${more}.`]),
    ...(given.cut === undefined ? [] : [given.cut])
  ]
}

const block = (text: string) => ({ type: "text", text }) as const

/** The whole text. */
export const textOf = (bytes: Uint8Array): Result.Result<string, TextFile.NotText> =>
  TextFile.decode(bytes).pipe(
    Result.map(({ text }) => text),
    Result.mapError(({ what }) => new TextFile.NotText({ what: what.replace(/^a binary file$/u, "binary data") }))
  )

/** No block for nothing. */
export const shown = (given: Given): Tool.ToolOutput["content"] => {
  const { bytes, name } = given
  if (bytes.length === 0) return []
  const kind = TextFile.sniff(bytes.subarray(0, 8192))
  if (kind._tag === "Image" && bytes.length <= imageBytes && given.cut === undefined) {
    const data = Buffer.from(bytes).toString("base64")
    return [{ type: "image", source: { type: "base64", media_type: kind.mediaType, data } }]
  }
  const text = textOf(bytes)
  if (Result.isFailure(text)) {
    return [block(`[${name} is ${text.failure.what} of ${TextFile.sizeOf(bytes.length)}; it cannot be shown as text.]`)]
  }
  const window = LineWindow.make(1, Number.POSITIVE_INFINITY, (_, line) => line)
  window.push(Buffer.from(text.success, "utf8"))
  const found = window.finish()
  const said = notes(found, given)
  return [block(said.length === 0 ? found.text : `[${said.join(" ")}]\n${found.text}`)]
}
