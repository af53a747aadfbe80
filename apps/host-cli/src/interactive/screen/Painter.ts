/**
 * When the screen is painted: at once for what the person does, twenty times a second at most for what arrives, and never
 * while nothing changes.
 *
 * What is painted cannot steer the terminal and shows no secret. A terminal that is slow gets the newest frame once it takes
 * more, and every line that stays.
 */
import * as Sink from "../../output/Sink.ts"
import * as Frame from "./Frame.ts"
import * as FullScreen from "./FullScreen.ts"
import type { Tty } from "./Tty.ts"

export interface Live {
  readonly lines: ReadonlyArray<string>
  readonly caret: Frame.Caret
}

/** What begins with a line. */
export type Mark = keyof typeof Frame.marks

export interface Painter {
  /** Lines that stay, with the next frame; `mark`: what begins with them, for a terminal that jumps there. */
  readonly commit: (lines: ReadonlyArray<string>, mark?: Mark) => void
  /** Calls somebody who looks elsewhere. */
  readonly ring: () => void
  /** Lets the desktop tell them a line, where the terminal can. */
  readonly notify: (text: string) => void
  /** Names the terminal; as before when all is over. */
  readonly title: (text: string) => void
  /** Into the clipboard of the terminal; false where it has none that is known, or the text is too long for it. */
  readonly clip: (text: string) => boolean
  readonly now: () => void
  readonly soon: () => void
  /** The number of the last frame. */
  readonly frames: () => number
  /** Everything live, painted again. */
  readonly again: () => void
  /** These lines stay in the place of all that is live, for as long as others have the terminal. */
  readonly leave: (lines: ReadonlyArray<string>) => void
  /** Others had the terminal: all that is live is painted where the cursor is now. */
  readonly back: () => void
  /** This has the whole screen until it is closed by nothing; what stays meanwhile is painted then. */
  readonly page: (draw: ((size: Frame.Size) => ReadonlyArray<string>) | undefined) => void
  /** The terminal has another size. */
  readonly resized: () => void
  /** In the place of all that is live these lines stay, and nothing is painted any more. */
  readonly end: (lines: ReadonlyArray<string>) => void
}

/** In ms. */
const between = 50
const settling = 50

/** Characters of what a desktop tells. */
const mostTold = 120

const none: Live = { lines: [], caret: { row: 0, column: 0 } }

/** `draw` gives what is live, no wider and no higher than fits. */
export const make = (
  tty: Pick<Tty, "size" | "write" | "isBusy" | "page" | "hasMarks" | "hasClipboard" | "notice">,
  draw: (size: Frame.Size) => Live
): Painter => {
  let shown = Frame.nothing(tty.size())
  let pending: Array<string> = []
  let frames = 0
  let last = -Infinity
  let waiting: NodeJS.Timeout | undefined
  let resizing: NodeJS.Timeout | undefined
  let isOver = false
  let paged: ((size: Frame.Size) => ReadonlyArray<string>) | undefined
  let page = ""
  let named: string | undefined

  const paint = (live: Live): void => {
    const size = tty.size()
    const made = Frame.frame(shown, { ...live, size, commit: pending })
    pending = []
    shown = made.shown
    if (made.bytes === "") return
    frames += 1
    tty.write(made.bytes)
  }

  const paintPage = (bytes: string): void => {
    if (bytes === page) return
    page = bytes
    frames += 1
    tty.write(bytes)
  }

  const show = (next: typeof paged): void => {
    if (next === undefined ? paged !== undefined : paged === undefined) tty.page(next !== undefined)
    paged = next
    page = ""
  }

  const now = (): void => {
    clearTimeout(waiting)
    waiting = undefined
    if (isOver || tty.isBusy()) return
    last = performance.now()
    if (paged !== undefined) return paintPage(FullScreen.frame(paged(tty.size()).map(Sink.readable), tty.size()))
    const { caret, lines } = draw(tty.size())
    paint({ lines: lines.map(Sink.readable), caret })
  }

  return {
    commit: (lines, mark) => {
      if (isOver) return
      const at = mark === undefined || !tty.hasMarks ? -1 : lines.findIndex((line) => line !== "")
      const sign = mark === undefined ? "" : Frame.marks[mark]
      pending.push(...lines.map((line, index) => `${index === at ? sign : ""}${Sink.readable(line)}`))
    },
    ring: () => {
      if (!isOver && !tty.isBusy()) tty.write(Frame.bell)
    },
    notify: (text) => {
      const told = tty.notice?.(Sink.readable(text).replaceAll(/[;\n]/gu, " ").slice(0, mostTold))
      if (told !== undefined && !isOver && !tty.isBusy()) tty.write(Frame.beside(told))
    },
    title: (text) => {
      const title = Sink.readable(text).replaceAll(/\s+/gu, " ").slice(0, mostTold)
      if (title === named || isOver || tty.isBusy()) return
      if (named === undefined) tty.write(Frame.beside(Frame.title.keep))
      named = title
      tty.write(Frame.beside(Frame.title.set(title)))
    },
    clip: (text) => {
      const fits = Buffer.byteLength(text, "utf8") <= Frame.mostClipped
      const isTaken = fits && tty.hasClipboard && !isOver && !tty.isBusy()
      if (isTaken) tty.write(Frame.clip(text))
      return isTaken
    },
    now,
    soon: () => {
      if (isOver || waiting !== undefined) return
      waiting = setTimeout(now, Math.max(0, between - (performance.now() - last)))
    },
    frames: () => frames,
    again: () => {
      shown = { ...shown, size: { columns: shown.size.columns, rows: 0 } }
      now()
    },
    page: (next) => {
      show(next)
      now()
    },
    leave: (lines) => {
      show(undefined)
      pending.push(...lines.map(Sink.readable))
      paint(none)
    },
    back: () => {
      shown = Frame.nothing(tty.size())
      now()
    },
    resized: () => {
      clearTimeout(resizing)
      resizing = setTimeout(now, settling)
    },
    end: (lines) => {
      if (isOver) return
      clearTimeout(waiting)
      clearTimeout(resizing)
      isOver = true
      show(undefined)
      pending.push(...lines.map(Sink.readable))
      paint(none)
      if (named !== undefined) tty.write(Frame.beside(Frame.title.back))
    }
  }
}
