/**
 * A window of whole lines over a stream of bytes in constant memory.
 *
 * Guarantees: at most 2,000 lines, 2,000 characters of each and 48,000 characters in all, as they are shown; `push` says when no more bytes
 * are needed; what was left out is counted. Lines end at LF, a CR before it is dropped. Characters are UTF-16 code units.
 */
import * as NumberedLines from "./NumberedLines.ts"

export const limits = { lines: 2000, lineCharacters: 2000, characters: 48_000 } as const

export interface Window {
  readonly text: string
  readonly first: number
  /** `first - 1` when no line was in the range. */
  readonly last: number
  readonly cut: ReadonlyArray<{ readonly line: number; readonly bytes: number }>
  /** Lines of the range are missing because a limit was reached. */
  readonly limited: boolean
  /** Lines passed so far; all of the file's if it was pushed to its end. */
  readonly seen: number
  /** Some line was not UTF-8 and is shown as Latin-1. */
  readonly latin1: boolean
}

export interface LineWindow {
  /** True when the window is full; more bytes only count lines. */
  readonly push: (bytes: Uint8Array) => boolean
  readonly finish: () => Window
}

const keptBytes = limits.lineCharacters * 4

/** `show`: a line with its number, unless told. */
export const make = (first: number, last: number, show = NumberedLines.line): LineWindow => {
  const lines: Array<string> = []
  const cut: Array<{ line: number; bytes: number }> = []
  let pending: Array<Uint8Array> = []
  let pendingBytes = 0
  let line = 1
  let characters = 0
  let limited = false
  let latin1 = false
  let endsWithBreak = false

  const isDone = () => limited || line > last
  const decode = (bytes: Uint8Array, partial: boolean): string => {
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: line > 1 }).decode(bytes, { stream: partial })
    } catch {
      latin1 = true
      return Buffer.from(bytes).toString("latin1")
    }
  }
  const keep = (bytes: Uint8Array) => {
    const room = keptBytes - pending.reduce((sum, part) => sum + part.length, 0)
    // A copy, because the caller may use its buffer again.
    if (room > 0) pending.push(Uint8Array.prototype.slice.call(bytes, 0, room))
    pendingBytes += bytes.length
  }
  const endLine = (hasBreak: boolean) => {
    if (line >= first && !isDone()) {
      const bytes = Buffer.concat(pending)
      const full = decode(bytes, bytes.length < pendingBytes).replace(/\r$/, "")
      const isCut = full.length > limits.lineCharacters || bytes.length < pendingBytes
      const text = isCut ? full.slice(0, limits.lineCharacters).replace(/[\uD800-\uDBFF]$/, "") : full
      const shown = show(line, text)
      if (lines.length >= limits.lines || characters + shown.length + 1 > limits.characters) {
        limited = true
      } else {
        if (isCut) cut.push({ line, bytes: pendingBytes })
        characters += shown.length + 1
        lines.push(shown)
        endsWithBreak = hasBreak
      }
    }
    pending = []
    pendingBytes = 0
    line++
  }
  return {
    push: (bytes) => {
      let from = 0
      while (from < bytes.length) {
        const at = bytes.indexOf(10, from)
        const until = at === -1 ? bytes.length : at
        if (line >= first && !isDone()) keep(bytes.subarray(from, until))
        else pendingBytes += until - from
        if (at === -1) break
        endLine(true)
        from = at + 1
      }
      return isDone()
    },
    finish: () => {
      if (pendingBytes > 0) endLine(false)
      return {
        text: lines.join("\n") + (endsWithBreak ? "\n" : ""),
        first,
        last: first + lines.length - 1,
        cut,
        limited,
        seen: line - 1,
        latin1
      }
    }
  }
}
