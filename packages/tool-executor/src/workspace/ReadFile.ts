/**
 * read_file: the text of a file without line numbers, so that it can be copied into a SEARCH part; images as images.
 *
 * Guarantees: reads no more of the file than it shows, but for the count of lines of files up to 16 MB and the lines
 * before `start_line`; a bracketed first line says what was left out and how to read on, and is absent when nothing was.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Tool from "../Tool.ts"
import { failure, output } from "../Tool.ts"
import * as Identity from "./Identity.ts"
import * as Judged from "./Judged.ts"
import * as LineWindow from "./LineWindow.ts"
import * as PathResolver from "./PathResolver.ts"
import * as SafeFile from "./SafeFile.ts"
import * as TextFile from "./TextFile.ts"

const Line = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

export const Parameters = Schema.Struct({
  path: Schema.String.annotate({ description: "Relative to the workspace, or absolute" }),
  start_line: Schema.optionalKey(Line.annotate({ description: "First line, from 1" })),
  end_line: Schema.optionalKey(Line.annotate({ description: "Last line, inclusive" }))
})
export type Parameters = typeof Parameters.Type

const chunkBytes = 256 * 1024
const countedBytes = 16_000_000
const scannedBytes = 512_000_000
const imageBytes = 5_000_000

type Fact = ReturnType<typeof PathResolver.resolve>

interface Scan {
  readonly window: LineWindow.Window
  readonly atEnd: boolean
}

const scan = Effect.fnUntraced(function* (fact: Fact, file: SafeFile.OpenFile, first: number, last: number) {
  const window = LineWindow.make(first, last)
  let position = 0
  let done = false
  while (position < scannedBytes && !(done && file.size > countedBytes)) {
    const bytes = yield* SafeFile.readAt(fact, file, position, chunkBytes)
    done = window.push(bytes)
    position += bytes.length
    if (bytes.length < chunkBytes) return { window: window.finish(), atEnd: true } satisfies Scan
    yield* Effect.yieldNow
  }
  return { window: window.finish(), atEnd: false } satisfies Scan
})

const scanUtf16 = Effect.fnUntraced(function* (fact: Fact, first: number, last: number) {
  const text = new TextDecoder("utf-16le").decode(yield* SafeFile.readAll(fact, countedBytes))
  const window = LineWindow.make(first, last)
  window.push(Buffer.from(text, "utf8"))
  return { window: window.finish(), atEnd: true } satisfies Scan
})

/** What the model has to know besides the text; empty when it has everything that it asked for. */
const notes = ({ atEnd, window }: Scan, size: number, last: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const whole = atEnd ? `of ${window.seen}` : `of a file of ${TextFile.sizeOf(size)}`
  if (window.limited || (!atEnd && window.seen < last)) {
    lines.push(`Lines ${window.first}-${window.last} ${whole}. Read on with start_line ${window.last + 1}.`)
  }
  const [cut] = window.cut
  if (cut !== undefined) {
    const which = window.cut.slice(0, 10).map(({ bytes, line }) => `${line} (${bytes} bytes)`)
    const more = window.cut.length > 10 ? ` and ${window.cut.length - 10} more` : ""
    lines.push(
      `Only the first ${LineWindow.limits.lineCharacters} characters are shown of line ${which.join(", ")}${more}.`
    )
  }
  if (window.latin1) lines.push("The file is not valid UTF-8: shown as Latin-1, it cannot be edited as text.")
  return lines
}

const readText = Effect.fnUntraced(function* (
  args: Parameters,
  fact: Fact,
  file: SafeFile.OpenFile,
  encoding: TextFile.Encoding
) {
  const first = args.start_line ?? 1
  const last = args.end_line ?? Number.POSITIVE_INFINITY
  if (last < first) return failure(`end_line ${last} comes before start_line ${first}.`)
  const scanned = yield* encoding === "utf-8" ? scan(fact, file, first, last) : scanUtf16(fact, first, last)
  const { window } = scanned
  if (window.last < first) {
    if (!scanned.atEnd)
      return failure(`Line ${first} lies beyond the first ${TextFile.sizeOf(scannedBytes)} of the file.`)
    return window.seen === 0 && first === 1
      ? output("[The file is empty.]")
      : failure(`${args.path} has ${window.seen} lines; line ${first} does not exist.`)
  }
  const said = notes(scanned, file.size, last)
  const text = window.text === "" ? "\n" : window.text
  return output(said.length === 0 ? text : `[${said.join(" ")}]\n${text}`)
})

const readImage = Effect.fnUntraced(function* (args: Parameters, fact: Fact, size: number, mediaType: string) {
  if (size > imageBytes) {
    return failure(`${args.path} is an image of ${TextFile.sizeOf(size)}; the limit is ${TextFile.sizeOf(imageBytes)}.`)
  }
  const data = Buffer.from(yield* SafeFile.readAll(fact, imageBytes)).toString("base64")
  const image = { type: "image", source: { type: "base64", media_type: mediaType, data } } as const
  return { content: [image], isError: false }
})

const read = (args: Parameters, fact: Fact) =>
  SafeFile.withFile(
    fact,
    Effect.fnUntraced(function* (file) {
      const kind = TextFile.sniff(yield* SafeFile.readAt(fact, file, 0, 8192))
      if (kind._tag === "Text") return yield* readText(args, fact, file, kind.encoding)
      if (kind._tag === "Image") return yield* readImage(args, fact, file.size, kind.mediaType)
      return failure(`${args.path} is ${kind.what} of ${TextFile.sizeOf(file.size)}; it cannot be shown as text.`)
    })
  )

export const make = (options: { readonly home: string }): Tool.Tool<Parameters> => {
  const resolve = (args: Parameters, context: Tool.ToolContext) =>
    PathResolver.resolve(args.path, { workspace: context.workspace, home: options.home, access: "read" })
  return {
    name: "read_file",
    description:
      "Read a text file (at most 2,000 lines a call; use start_line and end_line for more) or look at an image. The text has no line numbers.",
    category: "read",
    flow: "run",
    readOnly: true,
    parameters: Parameters,
    facts: (args, context) => Effect.sync(() => ({ paths: [Judged.remember(args, resolve(args, context))] })),
    identity: (args, context) => Effect.suspend(() => Identity.place(resolve(args, context))),
    execute: (args, context) =>
      Effect.suspend(() => Judged.confirm(args, resolve(args, context))).pipe(
        Effect.flatMap((fact) => read(args, fact)),
        Effect.catchTag("SafeFileError", (error) => Effect.succeed(failure(error.message)))
      )
  }
}
