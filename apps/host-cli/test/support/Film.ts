/**
 * A record of a terminal as a moving picture: a drawing whose frames stand beside each other and are shown one after
 * another, for ever. A row that stands in several frames is drawn once. Who wants no motion sees the last frame.
 */
import * as Picture from "./Picture.ts"
import * as Screen from "./Screen.ts"

interface Frame {
  /** Ms since the beginning. */
  readonly at: number
  readonly rows: ReadonlyArray<ReadonlyArray<Screen.Cell>>
  readonly caret: { readonly row: number; readonly column: number }
}

/** Frames that follow each other sooner than anybody sees are one, in ms. */
const shortest = 50
/** Nothing is looked at for longer than so many ms. */
const longest = 1600
/** The last one is, before all begins again. */
const atEnd = 3500

/** The screen after each frame that was written. */
const framesOf = async (record: Screen.Screen["record"], size: Screen.Size): Promise<ReadonlyArray<Frame>> => {
  const terminal = Screen.emulator(size)
  const frames: Array<Frame> = []
  let last = 0
  let at = 0
  for (const [time, bytes] of record()) {
    await new Promise<void>((resolve) => terminal.write(bytes, resolve))
    if (!bytes.endsWith(Screen.endsFrame)) continue
    at += Math.min(longest, time - last)
    last = time
    const { cursorX, cursorY } = terminal.buffer.active
    const frame = { at, rows: Screen.cellsOf(terminal), caret: { row: cursorY, column: cursorX } }
    const before = frames.at(-1)
    if (before !== undefined && at - before.at < shortest) frames[frames.length - 1] = { ...frame, at: before.at }
    else frames.push(frame)
  }
  return frames
}

const percent = (part: number): string => `${Number((100 * part).toFixed(3))}%`

export const svg = async (
  record: Screen.Screen["record"],
  size: Screen.Size,
  theme: Picture.Theme
): Promise<string> => {
  const frames = await framesOf(record, size)
  const [width, height] = Picture.sizeOf(size.columns, size.rows)
  const known = new Map<string, string>()
  const drawn = frames.map(({ caret, rows }, index) => {
    const lines = rows.flatMap((row, y) => {
      const text = Picture.texts(row, y, theme).join("")
      if (text === "") return []
      const id = known.get(text) ?? `r${known.size.toString(36)}`
      known.set(text, id)
      return [`<use href="#${id}"/>`]
    })
    return `<g transform="translate(${Math.round(index * width)})">${lines.join("")}${Picture.caret(caret, theme)}</g>`
  })
  const [first, last] = [frames[0]?.at ?? 0, frames.at(-1)?.at ?? 0]
  const whole = last - first + atEnd
  const steps = frames.map(
    ({ at }, index) => `${percent((at - first) / whole)}{transform:translateX(${-Math.round(index * width)}px)}`
  )
  const still = `transform:translateX(${-Math.round((frames.length - 1) * width)}px)`
  const style = [
    `.film{animation:film ${Math.round(whole)}ms steps(1,end) infinite}`,
    `@keyframes film{${steps.join("")}}`,
    `@media (prefers-reduced-motion:reduce){.film{animation:none;${still}}}`
  ]
  const symbols = [...known].map(([text, id]) => `<g id="${id}">${text}</g>`)
  const parts = [
    `<style>${style.join("")}</style>`,
    `<defs>${symbols.join("\n")}</defs>`,
    `<g class="film">`,
    ...drawn,
    "</g>"
  ]
  return Picture.framed([width, height], theme, parts.join("\n"))
}
