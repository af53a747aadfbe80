/**
 * Writes to stdout and stderr: batched, in order, and without a trace when nobody reads any more.
 *
 * Whatever a text holds, it cannot steer the terminal and shows no secret of this process: everything that people read
 * passes here. Events of one tick become one write; a closed pipe (EPIPE) ends output and nothing else.
 */
import { Words } from "@belay/task-engine/protocol"
import { redaction } from "../Redaction.ts"

export interface Sink {
  /** For people: what is no colour of ours and no line break or TAB becomes visible. */
  readonly out: (text: string) => void
  /** JSON for programs: the same values, one object a line. */
  readonly data: (text: string) => void
  readonly err: (text: string) => void
  /** Everything written so far has left this process. */
  readonly flush: () => Promise<void>
}

const buffered = (stream: NodeJS.WriteStream) => {
  let pending = ""
  let scheduled = false
  let closed = false
  let last: Promise<void> = Promise.resolve()
  stream.on("error", () => {
    closed = true
  })
  const send = (): void => {
    scheduled = false
    const text = pending
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

/** The only control sequences that we write, see `Appearance.tinted`: bold and the colours of states. */
const styles = new RegExp(`(${escape}\\[(?:1|22|3[1-4]|39)m)`)

/** A text for people as it may be written. */
export const readable = (text: string): string =>
  redaction
    .text(text)
    .split(styles)
    .map((part, index) => (index % 2 === 1 ? part : Words.printableLines(part)))
    .join("")

export const make = (): Sink => {
  const out = buffered(process.stdout)
  const err = buffered(process.stderr)
  return {
    out: (text) => out.write(readable(text)),
    data: (text) => out.write(Words.printableJson(redaction.text(text))),
    err: (text) => err.write(readable(text)),
    flush: async () => {
      await Promise.all([out.flush(), err.flush()])
    }
  }
}
