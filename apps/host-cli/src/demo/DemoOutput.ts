/**
 * Where the demo writes: plain lines, appended and never repainted, with signs and few colours where they are welcome.
 *
 * Nothing is told by colour alone; without colours no control byte is written.
 */
import { Words } from "@belay/interaction"
import * as Appearance from "../output/Appearance.ts"

export interface DemoOutput {
  /** One line; no argument is an empty one. */
  readonly say: (line?: string) => void
  /** A line that stands out where there are colours. */
  readonly stress: (line: string) => void
  /** Begins a step. */
  readonly heading: (line: string) => void
  /** The sign of a state, with its colour. */
  readonly sign: (state: Words.State) => string
  /** What stands before a subtask in a tree. */
  readonly branch: (isLast: boolean) => string
}

export const make = (write: (text: string) => void, look: Appearance.Appearance): DemoOutput => {
  const say = (line = ""): void => write(`${line}\n`)
  const stress = (line: string): void => say(Appearance.bold(look, line))
  return {
    say,
    stress,
    heading: (line) => {
      say()
      stress(line)
    },
    sign: (state) => Appearance.tinted(look, Words.signs[state].tone, Appearance.glyph(look, Words.signs[state])),
    branch: (isLast) => (look.ascii ? (isLast ? "`-" : "|-") : isLast ? "└ " : "├ ")
  }
}
