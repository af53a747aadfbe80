/**
 * A list of which one is chosen: what is typed filters it, the arrows choose, Enter takes. It has the place of the composer
 * and of its keys until then; what was written stays there.
 */
import { displayWidth, graphemes, truncate } from "../../output/DisplayWidth.ts"
import type { Drawn } from "./Composer.ts"
import type { Key } from "./Keys.ts"

export interface Item {
  readonly id: string
  /** One line. */
  readonly text: string
}

/** What there is to choose from, and what is done with it. */
export interface Choosing {
  /** Stands before what is typed. */
  readonly label: string
  /** Those that fit to what is typed, looked up whenever the list is painted. */
  readonly items: (words: string) => ReadonlyArray<Item>
  readonly chosen: (id: string) => void
  /** What is typed has changed. */
  readonly typed?: (words: string) => void
  /** Typed already when it opens. */
  readonly begins?: string
  /** What is typed is taken itself where nothing fits. */
  readonly other?: (words: string) => void
  /** Said where nothing fits. */
  readonly none: string
  /** Further keys, which count once Tab has turned to the list: what each does, in a word, and with which item. */
  readonly keys?: Readonly<Record<string, readonly [title: string, deed: (id: string) => void]>>
}

/** Rows of the list. */
const most = 8

/** The list that is open at one interface. */
export class Chooser {
  #open: Choosing | undefined
  #words = ""
  #at = 0
  #isInList = false

  get isOpen(): boolean {
    return this.#open !== undefined
  }

  get label(): string | undefined {
    return this.#open?.label
  }

  readonly open = (choosing: Choosing): void => {
    this.#open = choosing
    this.#isInList = false
    this.#type(choosing.begins ?? "")
  }

  readonly close = (): void => {
    this.#open = undefined
  }

  readonly paste = (text: string): void => this.#type(`${this.#words}${text.replaceAll(/\s+/gu, " ")}`)

  /** Takes every key while it is open. */
  readonly press = (key: Key): void => {
    const open = this.#open
    const items = this.#items()
    const item = items[this.#at]
    if (open === undefined) return
    const deed = this.#isInList ? open.keys?.[key.name] : undefined
    if (deed !== undefined) {
      if (item !== undefined) deed[1](item.id)
      return
    }
    switch (key.name) {
      case "escape":
      case "ctrl+c":
      case "ctrl+d":
        return this.close()
      case "enter":
        this.close()
        if (item !== undefined) return open.chosen(item.id)
        return this.#words.trim() === "" ? undefined : open.other?.(this.#words.trim())
      case "up":
      case "down":
      case "ctrl+r":
      case "pageUp":
      case "pageDown": {
        const by = { up: -1, down: 1, "ctrl+r": 1, pageUp: -most, pageDown: most }[key.name]
        this.#at = Math.max(0, Math.min(items.length - 1, this.#at + by))
        return
      }
      case "tab":
        this.#isInList = open.keys !== undefined && !this.#isInList
        return
      case "backspace":
        return this.#type([...graphemes(this.#words)].slice(0, -1).join(""))
      case "ctrl+u":
        return this.#type("")
      default:
        if (/^\P{C}+$/u.test(key.bytes)) this.#type(`${this.#words}${key.bytes}`)
    }
  }

  /** The part of the list around the one that is chosen. */
  readonly rows = (columns: number): ReadonlyArray<string> => {
    if (this.#open === undefined) return []
    const items = this.#items()
    this.#at = Math.max(0, Math.min(items.length - 1, this.#at))
    if (items.length === 0) return [truncate(`  ${this.#open.none}`, columns)]
    const from = Math.max(0, Math.min(this.#at - most + 2, items.length - most))
    const shown = items
      .slice(from, from + most)
      .map(({ text }, index) => truncate(`${from + index === this.#at ? ">" : " "} ${text}`, columns))
    const rest = items.length - from - shown.length
    return [...shown, truncate(`  ${this.#told(rest)}`, columns)]
  }

  /** What is typed, in the place of the composer. */
  readonly drawn = (columns: number): Drawn => {
    const shown = this.#isInList ? "" : this.#words
    let text = shown
    while (displayWidth(text) >= columns && text !== "") text = [...graphemes(text)].slice(1).join("")
    return { rows: [text], caret: { row: 0, column: displayWidth(text) } }
  }

  readonly #items = (): ReadonlyArray<Item> => this.#open?.items(this.#words) ?? []

  readonly #told = (rest: number): string => {
    const more = rest === 0 ? "" : `${rest} more below · `
    const keys = Object.entries(this.#open?.keys ?? {})
    if (this.#isInList) return `${more}${keys.map(([name, [title]]) => `${name} ${title}`).join(" · ")} · Tab: type`
    return `${more}type to filter · Enter takes it${keys.length === 0 ? "" : " · Tab: more"} · Esc closes`
  }

  readonly #type = (words: string): void => {
    this.#words = words
    this.#at = 0
    this.#open?.typed?.(words)
  }
}
