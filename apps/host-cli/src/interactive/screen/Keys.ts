/**
 * What is typed, key by key: each with its name, its own bytes, and the number of the last frame that its person can have
 * seen when it was read.
 *
 * A burst that is read at once is as many keys as it has. What is pasted is one thing, also where a terminal does not say
 * so: lines that come within one read.
 */
import { parseKey } from "@earendil-works/pi-tui/dist/keys.js"
import { StdinBuffer } from "@earendil-works/pi-tui/dist/stdin-buffer.js"
import type { Size } from "./Frame.ts"

export interface Key {
  /** Such as `enter`, `ctrl+c` or `a`; empty for what has none. */
  readonly name: string
  readonly bytes: string
  /** The last frame that had left this process. */
  readonly seen: number
}

export interface Listener {
  readonly pressed: (key: Key) => void
  readonly pasted: (text: string) => void
  /** The person looks at the terminal, or elsewhere. */
  readonly focused: (isFocused: boolean) => void
  /** The terminal has this size now. */
  readonly sized: (size: Size) => void
  /** What was read at once is over. */
  readonly read: () => void
}

export interface Keys {
  /** What was read at once; `seen` is the number of the last frame. */
  readonly take: (bytes: string, seen: number) => void
  /** So long an Escape may be the beginning of a key from now on, in ms. */
  readonly waits: (escapeMs: number) => void
  readonly end: () => void
}

/** As a terminal tells it: https://invisible-island.net/xterm/ctlseqs/ctlseqs.html */
const focus = { gained: "\u001B[I", lost: "\u001B[O" }

/** What the library takes for an arrow, as one terminal sends it. */
const nameOf = (bytes: string): string => (bytes === "\u001Bp" ? "alt+p" : (parseKey(bytes) ?? ""))

const sizeOf = (bytes: string): Size | undefined => {
  // oxlint-disable-next-line no-control-regex
  const [, rows, columns] = /^\u001B\[48;(\d+);(\d+)(?:;\d+)*t$/u.exec(bytes) ?? []
  return Number(rows) > 0 && Number(columns) > 0 ? { rows: Number(rows), columns: Number(columns) } : undefined
}

/** Nobody types two lines within a read. */
const isPaste = (bytes: string): boolean => !bytes.includes("\u001B") && bytes.split(/\r\n|[\r\n]/u).length > 3

/** `escapeMs`: how long an Escape may be the beginning of a key. */
export const make = (escapeMs: number, { focused, pasted, pressed, read, sized }: Listener): Keys => {
  let buffer: StdinBuffer
  let seen = 0
  let isTaking = false
  const done = (): void => {
    // What was completed by time alone is read now.
    if (!isTaking) read()
  }
  const heard = (bytes: string): void => {
    if (bytes === focus.gained || bytes === focus.lost) return focused(bytes === focus.gained)
    const size = sizeOf(bytes)
    if (size !== undefined) return sized(size)
    pressed({ name: nameOf(bytes), bytes, seen })
    done()
  }
  const waits = (ms: number): void => {
    buffer = new StdinBuffer({ timeout: ms, escapeTimeout: ms })
    buffer.on("data", heard)
    buffer.on("paste", (text) => {
      pasted(text)
      done()
    })
  }
  waits(escapeMs)
  return {
    waits: (ms) => {
      // What was begun is over then.
      for (const bytes of buffer.flush()) heard(bytes)
      buffer.destroy()
      waits(ms)
    },
    take: (bytes, frame) => {
      seen = frame
      isTaking = true
      if (buffer.getBuffer() === "" && isPaste(bytes)) pasted(bytes)
      else buffer.process(bytes)
      isTaking = false
      read()
    },
    end: () => buffer.destroy()
  }
}
