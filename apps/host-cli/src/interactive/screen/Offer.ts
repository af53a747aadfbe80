/** What may be meant by what is being written: a short list, of which one is chosen. */
import type { View } from "@belay/interaction"
import { truncate } from "../../output/DisplayWidth.ts"
import type { Key } from "./Keys.ts"

/** Something to choose, for a line before the caret. */
interface Offered {
  readonly line: string
  readonly from: number
  readonly items: ReadonlyArray<View.Completion>
}

/** A command or a mention is being written in this line. */
export const mayMean = (line: string): boolean => /^\/[\w-]*$|(?:^|\s)@\S*$/u.test(line)

const nothing: Offered = { line: "", from: 0, items: [] }

/** What is taken into the composer. */
export interface Taken {
  readonly from: number
  readonly text: string
}

/** What is offered at one composer. */
export class Offer {
  #offered = nothing
  #chosen = 0

  readonly set = (line: string, from: number, items: ReadonlyArray<View.Completion>): void => {
    this.#offered = { line, from, items }
    this.#chosen = 0
  }

  readonly clear = (): void => {
    this.#offered = nothing
  }

  /** What stands before the caret is another line: nothing is offered for it yet. */
  readonly follow = (line: string): void => {
    if (line !== this.#offered.line) this.clear()
  }

  /** Up and Down choose, Tab takes, Escape closes; false for a key that is for the composer. */
  readonly press = ({ name }: Key): Taken | boolean => {
    const { from, items } = this.#offered
    if (items.length === 0) return false
    if (name === "up" || name === "down") {
      this.#chosen = (this.#chosen + (name === "up" ? items.length - 1 : 1)) % items.length
      return true
    }
    if (name === "escape") {
      this.clear()
      return true
    }
    if (name !== "tab") return false
    const text = items[this.#chosen]?.insert ?? ""
    this.clear()
    return { from, text: text.endsWith("/") ? text : `${text} ` }
  }

  readonly rows = (columns: number): ReadonlyArray<string> =>
    this.#offered.items.map(({ detail, label }, index) =>
      truncate(`${index === this.#chosen ? ">" : " "} ${label}${detail === "" ? "" : `  ${detail}`}`, columns)
    )
}
