/** Something long to look at, on a screen of its own: keys as in pagers, and all of it can go to the scrollback. */
import { truncate } from "../../output/DisplayWidth.ts"
import { plainOf, type Size } from "./Frame.ts"
import type { Key } from "./Keys.ts"

/** What is looked at. */
export interface Viewed {
  readonly title: string
  /** In so many columns; asked for whenever it is painted. */
  readonly lines: (columns: number) => ReadonlyArray<string>
  /** The end is shown first. */
  readonly atEnd?: boolean
  /** The top was reached, and there may be more above. */
  readonly earlier?: () => void
  /** As it is copied and edited; else its lines, without their styles. */
  readonly text?: () => string
  /** What this line is of, to be looked at alone. */
  readonly entry?: (line: number, columns: number) => Viewed | undefined
}

const hint = "q leaves · / find · y copy · e edit · [ print"
const ofEntries = "Enter: one entry"
const widestTitle = 18

/** What a key did. */
export type Done = "open" | "closed" | "printed" | "copied" | "edited"

/** The viewer of one interface. */
export class Viewer {
  #viewed: Viewed | undefined
  /** Lines below the screen: those above may become more. */
  #below = 0
  #size: Size = { columns: 80, rows: 24 }
  /** What is looked for; while it is typed the keys are its. */
  #search = ""
  #isTyping = false
  /** Said in the place of the keys, until the next one. */
  #said = ""
  /** What is shown again when this is left. */
  #above: Array<{ readonly viewed: Viewed; readonly below: number }> = []

  get isOpen(): boolean {
    return this.#viewed !== undefined
  }

  readonly open = (viewed: Viewed, size: Size): void => {
    this.#size = size
    this.#above = []
    this.#show(viewed)
  }

  readonly #show = (viewed: Viewed): void => {
    this.#viewed = viewed
    this.#search = ""
    this.#isTyping = false
    this.#said = ""
    this.#below = viewed.atEnd === true ? 0 : Infinity
  }

  readonly close = (): void => {
    this.#viewed = undefined
    this.#above = []
  }

  /** One line, until the next key. */
  readonly say = (text: string): void => void (this.#said = text)

  /** As it is copied and edited. */
  readonly text = (): string => this.#viewed?.text?.() ?? this.all().map(plainOf).join("\n")

  /** All of it. */
  readonly all = (): ReadonlyArray<string> => this.#viewed?.lines(this.#columns) ?? []

  readonly draw = (size: Size): ReadonlyArray<string> => {
    this.#size = size
    const lines = this.all()
    const page = this.#page
    this.#below = Math.max(0, Math.min(this.#below, lines.length - page))
    const from = Math.max(0, lines.length - page - this.#below)
    const shown = lines.slice(from, from + page)
    const place = `${Math.min(lines.length, from + page)} of ${lines.length}`
    const { entry, title = "" } = this.#viewed ?? {}
    const keys = (entry === undefined ? [place, truncate(title, widestTitle), hint] : [place, hint, ofEntries]).join(
      " · "
    )
    const said = this.#isTyping ? `/${this.#search}` : this.#said || keys
    return [...Array.from({ length: page }, (_, row) => shown[row] ?? ""), truncate(said, this.#columns)]
  }

  /** Takes every key while it is open. */
  readonly press = (key: Key): Done => {
    this.#said = ""
    if (this.#isTyping) return this.#typed(key)
    const page = this.#page
    switch (key.bytes === "G" ? "G" : key.bytes === "N" ? "N" : key.name) {
      case "q":
      case "escape":
        return this.#leave()
      case "y":
        return "copied"
      case "e":
        return "edited"
      case "ctrl+c":
      case "ctrl+o":
        this.close()
        return "closed"
      case "[":
        return "printed"
      case "enter":
        return this.#enter()
      case "j":
      case "down":
        return this.#move(1)
      case "k":
      case "up":
        return this.#move(-1)
      case "d":
        return this.#move(Math.floor(page / 2))
      case "u":
        return this.#move(-Math.floor(page / 2))
      case "space":
      case "pageDown":
        return this.#move(page)
      case "b":
      case "pageUp":
        return this.#move(-page)
      case "g":
      case "home":
        return this.#move(-Infinity)
      case "G":
      case "end":
        return this.#move(Infinity)
      case "/":
        this.#isTyping = true
        this.#search = ""
        return "open"
      case "n":
        return this.#find(1)
      case "N":
        return this.#find(-1)
      default:
        return "open"
    }
  }

  get #columns(): number {
    return Math.max(4, this.#size.columns - 1)
  }

  get #page(): number {
    return Math.max(1, this.#size.rows - 1)
  }

  readonly #leave = (): Done => {
    const above = this.#above.pop()
    if (above === undefined) {
      this.close()
      return "closed"
    }
    this.#show(above.viewed)
    this.#below = above.below
    return "open"
  }

  readonly #enter = (): Done => {
    const viewed = this.#viewed
    const top = Math.max(0, this.all().length - this.#page - this.#below)
    const entry = viewed?.entry?.(top, this.#columns)
    if (viewed === undefined || entry === undefined) return this.#move(1)
    this.#above.push({ viewed, below: this.#below })
    this.#show(entry)
    return "open"
  }

  readonly #move = (by: number): Done => {
    const most = Math.max(0, this.all().length - this.#page)
    this.#below = Math.max(0, Math.min(most, this.#below - by))
    if (this.#below === most && by < 0) this.#viewed?.earlier?.()
    return "open"
  }

  readonly #typed = (key: Key): Done => {
    if (key.name === "enter") {
      this.#isTyping = false
      return this.#find(1)
    }
    if (key.name === "escape" || key.name === "ctrl+c") this.#isTyping = false
    else if (key.name === "backspace") this.#search = this.#search.slice(0, -1)
    else if (/^\P{C}+$/u.test(key.bytes)) this.#search += key.bytes
    return "open"
  }

  /** The next line that has it becomes the first on the screen. */
  readonly #find = (by: 1 | -1): Done => {
    const lines = this.all()
    const wanted = this.#search.toLowerCase()
    const first = Math.max(0, lines.length - this.#page - this.#below)
    const has = (line: string) => plainOf(line).toLowerCase().includes(wanted)
    const at =
      by === 1 ? lines.findIndex((line, n) => n > first && has(line)) : lines.slice(0, first).findLastIndex(has)
    if (wanted !== "" && at >= 0) this.#below = Math.max(0, lines.length - this.#page - at)
    return "open"
  }
}
