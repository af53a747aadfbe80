/**
 * Writes to stdout and stderr: batched, in order, and without a trace when nobody reads any more.
 *
 * Whatever a text holds, it cannot steer the terminal and shows no secret of this process: everything that people read
 * passes here. Events of one tick become one write; a closed pipe (EPIPE) ends output and nothing else.
 */
import { Words } from "@belay/interaction"
import * as DetachedChannel from "./DetachedChannel.ts"
import { redaction } from "./Redaction.ts"
import * as Region from "./Region.ts"

export interface Sink {
  /** For people: what is no colour of ours and no line break or TAB becomes visible. */
  readonly out: (text: string) => void
  /** JSON for programs: the same values, one object a line. */
  readonly data: (text: string) => void
  readonly err: (text: string) => void
  /** The last lines on stderr, which is a terminal: replaced in place, below all that is written to it. */
  readonly live: (lines: ReadonlyArray<string>) => void
  /** Everything written so far has left this process. */
  readonly flush: () => Promise<void>
}

/** `framed` makes what is sent of what was written since the last time. */
const buffered = (stream: DetachedChannel.Stream, framed = (text: string): string => text) => {
  let pending = ""
  let scheduled = false
  let closed = false
  let last: Promise<void> = Promise.resolve()
  stream.on("error", () => {
    closed = true
  })
  const send = (): void => {
    scheduled = false
    const text = framed(pending)
    pending = ""
    if (text === "" || closed) return
    last = new Promise((resolve) => {
      stream.write(text, () => resolve())
    })
  }
  return {
    write: (text: string): void => {
      pending += text
      if (scheduled) return
      scheduled = true
      setImmediate(send)
    },
    flush: (): Promise<void> => {
      send()
      return last
    }
  }
}

const escape = "\u001B"

/** The only control sequences of a text, see `Appearance`: bold, italic, the colours of states and of code, links to pages. */
const styles = new RegExp(
  `(${escape}\\[(?:1|22|3|23|3[1-46]|39)m|${escape}\\]8;;(?:https?://[!-~]{1,300})?\u0007)`,
  "u"
)

/** A text for people as it may be written. */
export const readable = (text: string): string =>
  redaction
    .text(text)
    .split(styles)
    .map((part, index) => (index % 2 === 1 ? part : Words.printableLines(part)))
    .join("")

export const make = (): Sink => {
  const region = Region.make()
  let lines: ReadonlyArray<string> = []
  const out = buffered(DetachedChannel.streams?.out ?? process.stdout)
  const err = buffered(DetachedChannel.streams?.err ?? process.stderr, (text) =>
    region.frame(text, lines, process.stderr.columns || 80)
  )
  return {
    out: (text) => out.write(readable(text)),
    data: (text) => out.write(Words.printableJson(redaction.text(text))),
    err: (text) => err.write(readable(text)),
    live: (next) => {
      lines = next.map(readable)
      // What comes on stdout, which may be the same terminal, comes after them.
      if (lines.length === 0) void err.flush()
      else err.write("")
    },
    flush: async () => {
      await Promise.all([out.flush(), err.flush()])
    }
  }
}
