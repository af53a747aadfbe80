/** A change of a text as people read it: what goes is red and begins with `-`, what comes is green and begins with `+`. */
import { Words } from "@belay/interaction"
import { type Appearance, bold, tinted } from "./Appearance.ts"

export interface Line {
  /** Printable. */
  readonly text: string
  readonly look?: "head" | "place" | "gone" | "come"
}

const lookOf = (line: string): Pick<Line, "look"> => {
  if (/^(?:---|\+\+\+|diff |index )/u.test(line)) return { look: "head" }
  if (line.startsWith("@@")) return { look: "place" }
  return line.startsWith("+") ? { look: "come" } : line.startsWith("-") ? { look: "gone" } : {}
}

/** A text in lines; a TAB takes four columns. */
export const plain = (text: string): ReadonlyArray<Line> =>
  Words.printableLines(text.replace(/\n$/u, ""))
    .replaceAll("\t", "    ")
    .split("\n")
    .map((line) => ({ text: line }))

/** The lines of a unified diff. */
export const lines = (patch: string): ReadonlyArray<Line> => plain(patch).map(({ text }) => ({ text, ...lookOf(text) }))

const tones = { place: "blue", gone: "red", come: "green" } as const

export const coloured = (look: Appearance, line: Line): string => {
  if (line.look === undefined) return line.text
  return line.look === "head" ? bold(look, line.text) : tinted(look, tones[line.look], line.text)
}
