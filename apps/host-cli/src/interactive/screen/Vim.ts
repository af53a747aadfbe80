/**
 * The keys of vim in the composer: Escape leaves typing for commands, `i` and its like go back to it. What it does not know
 * does nothing while commands are typed; keys that are no text mean what they mean anyway.
 */
import type { Composer } from "./Composer.ts"
import type { Key } from "./Keys.ts"

/** As the editor takes them. */
const keys = {
  left: "\u001B[D",
  right: "\u001B[C",
  up: "\u001B[A",
  down: "\u001B[B",
  home: "\u0001",
  end: "\u0005",
  back: "\u001Bb",
  forward: "\u001Bf",
  delete: "\u001B[3~",
  killLine: "\u000B",
  killWord: "\u001Bd",
  yank: "\u0019",
  undo: "\u001F",
  line: "\n"
} as const

type Step = keyof typeof keys

/** What a command does, and whether text is typed after it. */
type Command = readonly [steps: ReadonlyArray<Step>, types?: true]

const commands: Readonly<Record<string, Command>> = {
  h: [["left"]],
  l: [["right"]],
  b: [["back"]],
  w: [["forward", "right"]],
  e: [["right", "forward", "left"]],
  "0": [["home"]],
  $: [["end"]],
  x: [["delete"]],
  dd: [["home", "killLine", "delete"]],
  D: [["killLine"]],
  cc: [["home", "killLine"], true],
  C: [["killLine"], true],
  cw: [["killWord"], true],
  p: [["yank"]],
  u: [["undo"]],
  i: [[], true],
  a: [["right"], true],
  I: [["home"], true],
  A: [["end"], true],
  o: [["end", "line"], true],
  O: [["home", "line", "up"], true]
}

/** Those of several keys begin so. */
const begins = new Set(["d", "c", "g"])

/** The commands of one composer. */
export class Vim {
  readonly #composer: Composer
  #isCommanding = false
  #pending = ""

  constructor(composer: Composer) {
    this.#composer = composer
  }

  get isCommanding(): boolean {
    return this.#isCommanding
  }

  /** Whether the key was one of these. */
  readonly press = (key: Key): boolean => {
    if (!this.#isCommanding) {
      if (key.name !== "escape") return false
      this.#isCommanding = true
      this.#pending = ""
      return true
    }
    if (!/^\P{C}$/u.test(key.bytes)) {
      this.#pending = ""
      return false
    }
    const name = `${this.#pending}${key.bytes}`
    this.#pending = ""
    if (begins.has(name)) this.#pending = name
    else this.#command(name)
    return true
  }

  readonly #command = (name: string): void => {
    const { isFirst, isLast, rest } = this.#composer.around()
    if (name === "k") return isFirst ? undefined : this.#step("up")
    if (name === "j") return isLast ? undefined : this.#step("down")
    if (name === "gg" || name === "G") return this.#goTo(name === "gg" ? "up" : "down")
    if (name === "dw") {
      this.#step("killWord")
      // With what parts it from the next one.
      if (/^\s*\S+\s/u.test(rest)) this.#step("delete")
      return
    }
    const [steps, types] = commands[name] ?? [[]]
    for (const step of steps) this.#step(step)
    if (types === true) this.#isCommanding = false
  }

  readonly #goTo = (way: "up" | "down"): void => {
    const isThere = () => (way === "up" ? this.#composer.around().isFirst : this.#composer.around().isLast)
    for (let n = this.#composer.text().split("\n").length; n > 0 && !isThere(); n -= 1) this.#step(way)
    this.#step(way === "up" ? "home" : "end")
  }

  readonly #step = (step: Step): void => this.#composer.press({ name: "", bytes: keys[step], seen: 0 })
}
