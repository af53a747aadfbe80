/**
 * What an edit changes, from the arguments of its call: the lines that go and come, file by file.
 *
 * Lines are printable. A call that cannot be read as an edit changes nothing here, whatever it does.
 */
import { LineDiff, Patch, SearchReplace } from "@belay/tool-executor/unstable/edit-text"
import * as Result from "effect/Result"
import * as Words from "../text/Words.ts"

/** A line: it goes, comes, or stands there. */
interface Line {
  readonly op: " " | "-" | "+"
  readonly text: string
}

/** The change of one file. */
export interface Change {
  /** As the model wrote it. */
  readonly path: string
  /** Lines; nothing is known of what a file held that is written whole. */
  readonly added: number
  readonly removed: number
  /** The first ones. */
  readonly lines: ReadonlyArray<Line>
  /** How many follow them. */
  readonly left: number
}

/** What is shown of one file, of one call, and of one line. */
const most = 12
const mostFiles = 20
const mostShown = 3
const longest = 240

/** Lines of an edit around those that differ. */
const around = 2

interface Whole {
  readonly path: string
  readonly lines: ReadonlyArray<Line>
}

const lines = (op: Line["op"], all: ReadonlyArray<string>): ReadonlyArray<Line> => all.map((text) => ({ op, text }))

const linesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.replace(/\n$/u, "").split("\n"))

/** Two texts as one list of lines, without those far from any that differ. */
const between = (before: string, after: string): ReadonlyArray<Line> => {
  const [old, made] = [linesOf(before), linesOf(after)]
  const out: Array<Line> = []
  const hunks = LineDiff.hunks(old, made)
  for (const [index, { from, fromEnd, to, toEnd }] of hunks.entries()) {
    const last = hunks[index - 1]?.fromEnd ?? 0
    out.push(...lines(" ", old.slice(Math.max(last, from - around), from)))
    out.push(...lines("-", old.slice(from, fromEnd)), ...lines("+", made.slice(to, toEnd)))
    const next = hunks[index + 1]?.from
    const end = next === undefined ? old.length : Math.max(fromEnd, next - around)
    // What stands before the next one is its own.
    out.push(...lines(" ", old.slice(fromEnd, Math.min(fromEnd + around, end))))
  }
  return out
}

const field = (args: unknown, ...names: ReadonlyArray<string>): string | undefined => {
  const fields = typeof args === "object" && args !== null ? (args as Record<string, unknown>) : {}
  return names.map((name) => fields[name]).find((value): value is string => typeof value === "string")
}

const pathOf = (args: unknown): string | undefined => field(args, "path", "file_path", "filePath", "target_file")

const replaced = (args: unknown): ReadonlyArray<Whole> => {
  const path = pathOf(args)
  const diff = field(args, "diff")
  if (path === undefined || diff === undefined) return []
  const blocks = Result.getOrElse(SearchReplace.parse(diff), () => [])
  return blocks.length === 0 ? [] : [{ path, lines: blocks.flatMap((one) => between(one.search, one.replace)) }]
}

const written = (args: unknown): ReadonlyArray<Whole> => {
  const path = pathOf(args)
  const content = field(args, "content")
  return path === undefined || content === undefined ? [] : [{ path, lines: lines(" ", linesOf(content)) }]
}

const sectionOf = (section: Patch.Section): Whole => {
  if (section._tag === "Delete") return { path: section.path, lines: [] }
  if (section._tag === "Add") return { path: section.path, lines: lines("+", linesOf(section.text)) }
  return { path: section.to ?? section.path, lines: section.hunks.flatMap((hunk) => hunk.lines) }
}

const patched = (args: unknown): ReadonlyArray<Whole> =>
  Result.getOrElse(Patch.parse(field(args, "patch") ?? ""), () => []).map(sectionOf)

const tools: Readonly<Record<string, (args: unknown) => ReadonlyArray<Whole>>> = {
  replace_in_file: replaced,
  write_to_file: written,
  apply_patch: patched
}

const wholesOf = (name: string, args: unknown): ReadonlyArray<Whole> => tools[name]?.(args) ?? []

const printable = ({ op, text }: Line): Line => {
  const shown = Words.printable(text.replaceAll("\t", "    "))
  return { op, text: shown.length > longest ? `${shown.slice(0, longest)} …` : shown }
}

const shownOf = ({ lines: all, path }: Whole, at: number): Change => {
  const shown = at < mostShown ? all.slice(0, most) : []
  return {
    path: Words.printable(path),
    added: all.filter(({ op }) => op === "+").length,
    removed: all.filter(({ op }) => op === "-").length,
    lines: shown.map(printable),
    left: all.length - shown.length
  }
}

/** What a call changes, as far as it is shown. */
export const of = (name: string, args: unknown): ReadonlyArray<Change> =>
  wholesOf(name, args).slice(0, mostFiles).map(shownOf)

/** The files are new: what stands in them has come. */
export const created = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> =>
  changes.map((change) => {
    if (change.added + change.removed > 0) return change
    const all = change.lines.map(({ text }) => ({ op: "+" as const, text }))
    return { ...change, lines: all, added: all.length + change.left }
  })

/** All that a call changes, as a text: what is known of it before it is done. */
export const text = (name: string, args: unknown): string =>
  wholesOf(name, args)
    .map((one) => [one.path, ...one.lines.map(({ op, text }) => `${op}${text}`), ""].map(Words.printable).join("\n"))
    .join("\n")
