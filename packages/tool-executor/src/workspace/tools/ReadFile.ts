/**
 * read_file: the lines of a text file with their numbers; images as images.
 *
 * Guarantees: of a file up to 16 MB the content is known by its hash from then on, and which lines of it were shown; of a
 * larger one no more is read than is shown, but for the lines before `start_line`; a bracketed first line says which lines
 * these are and how to read on, and is absent when it is the whole file.
 */
import type { PathFact } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import * as Thread from "../../internal/thread.ts"
import * as KnownLines from "../../tool/KnownLines.ts"
import * as SeenFile from "../../tool/SeenFile.ts"
import type * as Tool from "../../tool/Tool.ts"
import { failure, output } from "../../tool/Tool.ts"
import * as LineWindow from "../text/LineWindow.ts"
import * as OpenFile from "../files/OpenFile.ts"
import * as PathTool from "../files/PathTool.ts"
import * as SafeFile from "../paths/SafeFile.ts"
import * as TextFile from "../text/TextFile.ts"

const Line = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

export const Parameters = Schema.Struct({
  path: Schema.String.annotate({ description: "Relative to the workspace, or absolute" }),
  start_line: Schema.optionalKey(Line.annotate({ description: "First line, from 1" })),
  end_line: Schema.optionalKey(Line.annotate({ description: "Last line, inclusive" }))
})
export type Parameters = typeof Parameters.Type

const chunkBytes = 256 * 1024
const countedBytes = SeenFile.largest
const scannedBytes = 512_000_000
const imageBytes = 5_000_000
const pdfBytes = 32_000_000
const pdfLimits: Thread.Limits = { heap: 512, seconds: 20 }

type Fact = PathFact.PathFact

interface Scan {
  readonly window: LineWindow.Window
  readonly atEnd: boolean
  /** Of the whole content, if it was read. */
  readonly hash?: string
  readonly text?: string
  readonly encoding?: TextFile.Encoding
  /** The text of an editor. */
  readonly unsaved?: boolean
}

/** Says whether what comes in pieces is UTF-8. */
const validator = () => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let valid = true
  return (bytes: Uint8Array | undefined): boolean => {
    try {
      if (valid) decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      valid = false
    }
    return valid
  }
}

const textOf = (pieces: ReadonlyArray<Uint8Array>): string =>
  Buffer.concat(pieces)
    .toString()
    .replace(/^\uFEFF/, "")

/** From the first byte to the end, in pieces; of a large file until the window is full. Nothing if it is not UTF-8. */
const scan = Effect.fnUntraced(function* (fact: Fact, file: SafeFile.OpenFile, first: number, last: number) {
  const window = LineWindow.make(first, last)
  const whole = file.size <= countedBytes
  const hash = createHash("sha256")
  const isValid = validator()
  const pieces: Array<Uint8Array> = []
  let position = 0
  while (position < scannedBytes) {
    // One byte more than there was: that it is not there is the end.
    const wanted = Math.min(chunkBytes, Math.max(file.size - position, 0) + 1)
    const bytes = yield* SafeFile.readAt(fact, file, position, wanted)
    const done = window.push(bytes)
    position += bytes.length
    if (whole) {
      hash.update(bytes)
      pieces.push(bytes)
      if (!isValid(bytes)) return undefined
    }
    if (done && !whole) break
    if (bytes.length < wanted) {
      if (whole && !isValid(undefined)) return undefined
      const scanned: Scan = { window: window.finish(), atEnd: true }
      return whole ? { ...scanned, hash: hash.digest("hex"), text: textOf(pieces) } : scanned
    }
    yield* Effect.yieldNow
  }
  return { window: window.finish(), atEnd: false } satisfies Scan
})

/** A file in another encoding, or with a text that is not saved, whole; fails with what it is when that is no text. */
const scanDecoded = Effect.fnUntraced(function* (fact: Fact, first: number, last: number, unsaved?: Uint8Array) {
  const bytes = unsaved ?? (yield* SafeFile.readAll(fact, countedBytes))
  return Result.map(TextFile.decode(bytes), ({ encoding, text }): Scan => {
    const window = LineWindow.make(first, last)
    window.push(Buffer.from(text, "utf8"))
    const scanned = { window: window.finish(), atEnd: true, hash: SafeFile.hash(bytes), text, encoding }
    return unsaved === undefined ? scanned : { ...scanned, unsaved: true }
  })
})

/** What the model has to know besides the text, as a line of its own; empty when it is the whole file. */
const header = ({ atEnd, encoding, unsaved, window }: Scan, size: number, last: number): string => {
  const lines: Array<string> = []
  const whole = atEnd ? `of ${window.seen}` : `of a file of ${TextFile.sizeOf(size)}`
  const isPart = !atEnd || window.first > 1 || window.last < window.seen
  if (window.limited || (!atEnd && window.seen < last)) lines.push(`Read on with start_line ${window.last + 1}.`)
  const [cut] = window.cut
  if (cut !== undefined) {
    const which = window.cut.slice(0, 10).map(({ bytes, line }) => `${line} (${bytes} bytes)`)
    const more = window.cut.length > 10 ? ` and ${window.cut.length - 10} more` : ""
    lines.push(
      `Only the first ${LineWindow.limits.lineCharacters} characters are shown of line ${which.join(", ")}${more}.`
    )
  }
  if (unsaved === true) lines.push("The user has not saved all of this yet; commands see the file without it.")
  if (encoding === "windows-1252")
    lines.push("The file is not UTF-8; it is shown as Windows-1252, and edits keep that.")
  if (window.latin1) lines.push("Lines that are not UTF-8 are shown as Latin-1.")
  const range = `Lines ${window.first}-${window.last} ${whole}`
  const said = isPart ? [lines.length === 0 ? range : `${range}.`, ...lines] : lines
  return said.length === 0 ? "" : `[${said.join(" ")}]\n`
}

const notShown = (args: Parameters, what: string, size: number) =>
  failure(
    `${args.path} is ${what} of ${TextFile.sizeOf(size)}; it cannot be shown as text. Look at it with a command, where one can.`
  )

const readText = Effect.fnUntraced(function* (
  args: Parameters,
  fact: Fact,
  file: SafeFile.OpenFile,
  encoding: TextFile.Encoding
) {
  const first = args.start_line ?? 1
  const last = args.end_line ?? Number.POSITIVE_INFINITY
  if (last < first) return failure(`end_line ${last} comes before start_line ${first}. Swap them.`)
  const unsaved = yield* OpenFile.unsavedBytes(fact, countedBytes)
  const isPlain = encoding === "utf-8" && unsaved === undefined
  const plain = isPlain ? yield* scan(fact, file, first, last) : undefined
  const scanned = plain === undefined ? yield* scanDecoded(fact, first, last, unsaved) : Result.succeed(plain)
  if (Result.isFailure(scanned)) return notShown(args, scanned.failure.what, file.size)
  const { atEnd, hash, text = "", window } = scanned.success
  const shown = [[window.first, window.last] as const]
  const stamp = isPlain ? SeenFile.proof(file.opened, SafeFile.stats(file)) : undefined
  const proven = stamp === undefined ? {} : { stamp }
  const files =
    hash === undefined ? {} : { files: [{ path: fact.resolved, hash, lines: KnownLines.of(text, shown), ...proven }] }
  if (window.last < first) {
    if (!atEnd) return failure(`Line ${first} lies beyond the first ${TextFile.sizeOf(scannedBytes)} of the file.`)
    return window.seen === 0 && first === 1
      ? { ...output("[The file is empty.]"), ...files }
      : failure(`${args.path} has ${window.seen} lines; line ${first} does not exist.`)
  }
  return { ...output(`${header(scanned.success, file.size, last)}${window.text}`), ...files }
})

const readImage = Effect.fnUntraced(function* (args: Parameters, fact: Fact, size: number, mediaType: string) {
  if (size > imageBytes) {
    return failure(`${args.path} is an image of ${TextFile.sizeOf(size)}; the limit is ${TextFile.sizeOf(imageBytes)}.`)
  }
  const data = Buffer.from(yield* SafeFile.readAll(fact, imageBytes)).toString("base64")
  const image = { type: "image", source: { type: "base64", media_type: mediaType, data } } as const
  return { content: [image], isError: false }
})

const isPages = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((page) => typeof page === "string")

/** Its text page by page; in a thread, because it may be made to be slow. */
const readPdf = Effect.fnUntraced(function* (args: Parameters, fact: Fact, size: number, workerUrl?: URL) {
  const first = args.start_line ?? 1
  if (size > pdfBytes) return notShown(args, `a PDF that is larger than ${TextFile.sizeOf(pdfBytes)}, one`, size)
  const belayPdf = yield* SafeFile.readAll(fact, pdfBytes)
  const pages = yield* Thread.run({ belayPdf: Uint8Array.from(belayPdf) }, pdfLimits, workerUrl)
  if (!isPages(pages)) {
    const missing = Thread.missing(pages)
    return failure(
      missing === undefined
        ? `${args.path} is a PDF whose text cannot be read: it is damaged, needs a password or takes too long.`
        : `${args.path} is a PDF. ${missing}`
    )
  }
  const text = pages.map((page, index) => `[Page ${index + 1} of ${pages.length}]\n${page.trim()}\n`).join("\n")
  if (pages.every((page) => page.trim() === "")) {
    return failure(`${args.path} is a PDF of ${pages.length} pages without text; they may be pictures.`)
  }
  const window = LineWindow.make(first, args.end_line ?? Number.POSITIVE_INFINITY)
  window.push(Buffer.from(text, "utf8"))
  const scanned = { window: window.finish(), atEnd: true }
  if (scanned.window.last < first) return failure(`${args.path} has ${scanned.window.seen} lines of text.`)
  return output(`${header(scanned, size, args.end_line ?? Number.POSITIVE_INFINITY)}${scanned.window.text}`)
})

const read = (args: Parameters, fact: Fact, workerUrl?: URL) =>
  SafeFile.withFile(
    fact,
    Effect.fnUntraced(function* (file) {
      const kind = TextFile.sniff(yield* SafeFile.readAt(fact, file, 0, 8192))
      if (kind._tag === "Text") return yield* readText(args, fact, file, kind.encoding)
      if (kind._tag === "Image") return yield* readImage(args, fact, file.size, kind.mediaType)
      if (kind._tag === "Pdf") return yield* readPdf(args, fact, file.size, workerUrl)
      return notShown(args, kind.what, file.size)
    })
  )

export const make = (options: {
  readonly home: string
  /** Where a bundled host has the entry `readable-worker`. */
  readonly workerUrl?: URL | undefined
}): Tool.Tool<Parameters> =>
  PathTool.reading({
    name: "read_file",
    description:
      "Read a text file or a PDF (at most 2,000 lines and 48 kB a call; use start_line and end_line for more), or look at an image. A line begins with its number and a tab, which are no part of it.",
    parameters: Parameters,
    home: options.home,
    kind: "file",
    run: (args, fact) => read(args, fact, options.workerUrl)
  })
