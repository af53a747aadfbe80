/**
 * What a search found: every matching line is counted, and of the lines is kept what there is room for.
 *
 * Guarantees: at most 200 matching lines are shown, 20 of a file, 400 characters of a line and about 40,000 in all, or
 * 500 files; a file of which lines are left out says how many it has; counting ends at 100,000.
 */
import { figure } from "../../internal/figure.ts"
import * as Excerpt from "./Excerpt.ts"
import * as PlainText from "../text/PlainText.ts"
import type * as Ripgrep from "./Ripgrep.ts"

const limits = {
  matches: 200,
  matchesPerFile: 20,
  characters: 40_000,
  files: 500,
  counted: 100_000
} as const

interface File {
  readonly name: string
  readonly lines: Array<string>
  matches: number
  shown: number
  /** The number of the last line that is shown. */
  lastLine: number
  /** Lines around the last match that is shown go on to this number. */
  around: number
}

export interface Options {
  /** What a file is called; undefined: it is left out, and not counted. */
  readonly display: (file: string) => string | undefined
  /** Lines around a match. */
  readonly context: number
  /** Files are named with how many of their lines match, and no line is shown. */
  readonly filesOnly: boolean
}

export interface FoundLines {
  /** Takes the lines of one file after those of another, in order; true: enough. */
  readonly onLine: (line: Ripgrep.Line) => boolean
  readonly matches: () => number
  /** One sentence; `complete`: the search went to its end. */
  readonly summary: (complete: boolean) => string
  /** In the form of grep: `12:` for a match, `12-` for a line around one. */
  readonly text: () => string
}

const count = (value: number, noun: string): string => `${figure(value)} ${noun}${value === 1 ? "" : "s"}`

const titleOf = ({ matches, name, shown }: File): string =>
  shown === matches ? name : `${name} (${figure(shown)} of ${figure(matches)})`

export const make = ({ context, display, filesOnly }: Options): FoundLines => {
  const files: Array<File> = []
  let characters = 0
  let matches = 0
  let shown = 0
  let full = filesOnly
  let at: string | undefined
  let current: File | undefined

  const fileOf = (file: string): File | undefined => {
    if (file === at) return current
    at = file
    const name = display(file)
    current = name === undefined ? undefined : { name, lines: [], matches: 0, shown: 0, lastLine: 0, around: 0 }
    if (current !== undefined) files.push(current)
    return current
  }

  const add = (file: File, line: Ripgrep.Line) => {
    if (file.lastLine > 0 && line.number > file.lastLine + 1) file.lines.push("--")
    file.lastLine = line.number
    const text = `${line.number}${line.isMatch ? ":" : "-"} ${PlainText.output(Excerpt.of(line)).replaceAll("\n", " ")}`
    file.lines.push(text)
    characters += text.length + 1
  }

  const onMatch = (file: File, line: Ripgrep.Line) => {
    matches++
    file.matches++
    if (full || file.shown >= limits.matchesPerFile) {
      file.around = 0
      return
    }
    shown++
    file.shown++
    file.around = line.number + context
    add(file, line)
    full = shown >= limits.matches || characters >= limits.characters
  }

  const onLine = (line: Ripgrep.Line): boolean => {
    const file = fileOf(line.file)
    if (file === undefined) return false
    const open = !full && file.shown < limits.matchesPerFile
    if (line.isMatch) onMatch(file, line)
    else if (open || line.number <= file.around) add(file, line)
    return matches >= limits.counted
  }

  const summary = (complete: boolean): string => {
    const found = `${complete ? "" : "At least "}${count(matches, "matching line")} in ${count(files.length, "file")}`
    if (filesOnly && files.length > limits.files) {
      return `${found}; ${limits.files} files are named. Narrow the search.`
    }
    if (filesOnly || shown === matches) return `${found}.`
    const perFile = files.some((file) => file.shown < file.matches && file.shown >= limits.matchesPerFile)
    const most = `at most ${limits.matchesPerFile} a file`
    if (!full) return `${found}; ${most} are shown.`
    return `${found}; ${figure(shown)} of them are shown${perFile ? `, ${most}` : ""}. Narrow the search.`
  }

  const text = () => {
    if (filesOnly) {
      const named = files.slice(0, limits.files)
      return named.map((file) => `${file.name} (${figure(file.matches)})`).join("\n")
    }
    return files
      .filter((file) => file.shown > 0)
      .map((file) => [titleOf(file), ...file.lines].join("\n"))
      .join("\n\n")
  }

  return { onLine, matches: () => matches, summary, text }
}
