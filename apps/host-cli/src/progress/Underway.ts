/**
 * What goes on at this moment, in the few rows that it may take: the line that the model is saying, the calls that run with
 * the last lines of what they print, or that the model is waited for. Times are counted from two seconds on.
 */
import { Words } from "@belay/interaction"
import { truncate } from "../output/DisplayWidth.ts"

interface Waiting {
  readonly head: string
  readonly since: number
}

export interface Underway {
  /** Rows of what is being said. */
  readonly open: ReadonlyArray<string>
  /** Calls, the newest last. */
  readonly running: ReadonlyArray<Waiting & { readonly output: ReadonlyArray<string> }>
  /** Tasks whose model is waited for, the newest last. */
  readonly waits: ReadonlyArray<Waiting>
  /** Before each of them. */
  readonly mark: string
  readonly now: number
}

/** Rows of what is being said, and rows in all. */
const mostOpen = 6
const most = 12

const counted = 2000

/** No wider than the columns and no more than the rows. */
export const lines = (
  { mark, now, open, running, waits }: Underway,
  { columns, rows }: { readonly columns: number; readonly rows: number }
): ReadonlyArray<string> => {
  const room = Math.max(1, Math.min(rows, most))
  const said = open.slice(-mostOpen).map((row) => `  ${row}`)
  const headOf = ({ head, since }: Waiting): string => {
    const time = now - since < counted ? "" : ` · ${Words.duration(now - since)}`
    return `${mark}${truncate(head, columns - 2 - time.length)}${time}`
  }
  // Of the newest calls all have their head, and the very newest most of its output.
  const shown = running.slice(-Math.max(1, room - said.length))
  let rest = room - said.length - shown.length
  const calls = shown.toReversed().map((call) => {
    const kept = rest > 0 ? call.output.slice(-rest) : []
    rest -= kept.length
    return [headOf(call), ...kept.map((line) => truncate(`    ${line}`, columns))]
  })
  const waiting = said.length + running.length > 0 ? [] : waits.slice(-1).map(headOf)
  return [...said, ...calls.toReversed().flat(), ...waiting].slice(-room)
}
