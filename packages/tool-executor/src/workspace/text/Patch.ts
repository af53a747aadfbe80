/**
 * A patch of several files in the form that models write: sections of files, hunks of lines that stay, go and come. Pure.
 *
 * `@@` lines say after which line of the file a hunk is looked for; `PatchedText` does what they say.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as TextFile from "./TextFile.ts"

/** A line of a hunk: it stays, goes or comes. */
export interface Line {
  readonly op: " " | "-" | "+"
  readonly text: string
}

/** Lines of a file that change together, with some around them. */
export interface Hunk {
  /** Lines of the file to look after, each after the one before. */
  readonly anchors: ReadonlyArray<string>
  readonly lines: ReadonlyArray<Line>
  /** Its last old line is the last of the file. */
  readonly atEnd: boolean
}

/** Changes one file: adds, deletes or updates it. */
export type Section =
  | { readonly _tag: "Add"; readonly path: string; readonly text: string }
  | { readonly _tag: "Delete"; readonly path: string }
  | { readonly _tag: "Update"; readonly path: string; readonly to?: string; readonly hunks: ReadonlyArray<Hunk> }

/** Says what is wrong with a patch, and where. */
export class PatchError extends Schema.TaggedError<PatchError>()("PatchError", { message: Schema.String }) {}

const fail = (message: string) => Result.fail(new PatchError({ message }))

const mostFiles = 100

const begin = "*** Begin Patch"
const end = "*** End Patch"
/** Ends a hunk whose last old line is the last of the file. */
export const endOfFile = "*** End of File"
const headers = { Add: "*** Add File:", Update: "*** Update File:", Delete: "*** Delete File:" } as const
const moveTo = "*** Move to:"

/** The header of git's own diffs names lines that a model counts wrong. */
const isCounted = (line: string): boolean => /^@@ -\d/.test(line)

const headerOf = (line: string) => {
  for (const [tag, header] of Object.entries(headers)) {
    if (line.startsWith(header)) return { tag, path: line.slice(header.length).trim() }
  }
  return undefined
}

const isMarker = (line: string): boolean => line.startsWith("*** ") && line.trimEnd() !== endOfFile

/** Cuts the body of an update into hunks; gives the number of the line that belongs to none. */
const hunksOf = (body: ReadonlyArray<string>): ReadonlyArray<Hunk> | number => {
  const hunks: Array<{ anchors: Array<string>; lines: Array<Line>; atEnd: boolean }> = []
  const fresh = () => {
    const hunk = { anchors: [], lines: [], atEnd: false }
    hunks.push(hunk)
    return hunk
  }
  let current: (typeof hunks)[number] | undefined
  for (const [index, line] of body.entries()) {
    if (line.startsWith("@@")) {
      if (current === undefined || current.lines.length > 0) current = fresh()
      const anchor = isCounted(line) ? "" : line.slice(2).trim()
      if (anchor !== "") current.anchors.push(anchor)
      continue
    }
    current ??= fresh()
    if (line.trimEnd() === endOfFile) {
      current.atEnd = true
      current = undefined
      continue
    }
    const op = line === "" ? " " : line[0]
    if (op !== " " && op !== "+" && op !== "-") return index
    current.lines.push({ op, text: line.slice(1) })
  }
  return hunks
}

const sectionOf = (
  header: { readonly tag: string; readonly path: string },
  body: ReadonlyArray<string>,
  at: number
): Result.Result<Section, PatchError> => {
  const { path, tag } = header
  if (path === "") return fail(`Line ${at} names no file.`)
  if (tag === "Delete") {
    const extra = body.findIndex((line) => line.trim() !== "")
    return extra === -1
      ? Result.succeed({ _tag: "Delete", path })
      : fail(`Line ${at + 1 + extra}: nothing may follow ${headers.Delete}`)
  }
  if (tag === "Add") {
    const lines = body.at(-1) === "" ? body.slice(0, -1) : body
    const wrong = lines.findIndex((line) => !line.startsWith("+"))
    if (wrong !== -1) return fail(`Line ${at + 1 + wrong}: every line of a new file begins with +`)
    return Result.succeed({ _tag: "Add", path, text: lines.map((line) => `${line.slice(1)}\n`).join("") })
  }
  const moved = body[0]?.startsWith(moveTo) === true ? body[0].slice(moveTo.length).trim() : undefined
  const rest = moved === undefined ? body : body.slice(1)
  // A blank line before the next section is no line of the file.
  const hunks = hunksOf(rest.at(-1) === "" ? rest.slice(0, -1) : rest)
  if (typeof hunks === "number") {
    return fail(`Line ${at + 1 + hunks + body.length - rest.length}: a line of a hunk begins with a blank, + or -`)
  }
  const empty = hunks.findIndex(({ lines }) => !lines.some(({ op }) => op !== " "))
  if (empty !== -1) return fail(`Hunk ${empty + 1} of ${path} changes nothing.`)
  if (hunks.length === 0 && moved === undefined) return fail(`The section of ${path} has no hunk.`)
  return Result.succeed({ _tag: "Update", path, ...(moved === undefined ? {} : { to: moved }), hunks })
}

/** The file that a diff in the form of `diff -u` names first; nothing for another text. */
const unifiedOf = (lines: ReadonlyArray<string>): string | undefined => {
  const at = lines.findIndex((line, index) => line.startsWith("--- ") && lines[index + 1]?.startsWith("+++ ") === true)
  if (at === -1 || !lines.slice(at).some(isCounted)) return undefined
  const [before = "", after = ""] = lines.slice(at, at + 2).map((line) => line.slice(4).split("\t")[0]?.trim())
  return (after === "/dev/null" ? before : after).replace(/^[ab]\//, "")
}

/** Reads a patch. No file may be named twice. */
export const parse = (patch: string): Result.Result<ReadonlyArray<Section>, PatchError> => {
  const lines = TextFile.toLf(patch).split("\n")
  const sections: Array<Section> = []
  const named = new Set<string>()
  let index = 0
  while (index < lines.length) {
    const line = lines[index]?.trimEnd() ?? ""
    index++
    if (line === "" || line === begin || line.startsWith("```")) continue
    if (line === end) break
    const header = headerOf(line)
    if (header === undefined) {
      const unified = unifiedOf(lines.slice(index - 1))
      if (unified !== undefined) {
        return fail(
          `This is a unified diff. Begin each file with "${headers.Update} ${unified}" and each hunk with "@@", without ---, +++ and line numbers.`
        )
      }
      return fail(`Line ${index} is outside of a section; one begins with ${headers.Add} and the like.`)
    }
    const from = index
    // A move belongs to its section.
    while (index < lines.length && (!isMarker(lines[index] ?? "") || lines[index]?.startsWith(moveTo) === true)) index++
    const section = sectionOf(header, lines.slice(from, index), from)
    if (Result.isFailure(section)) return Result.fail(section.failure)
    for (const path of pathsOf(section.success)) {
      if (named.has(path)) return fail(`${path} is named twice; put all of its changes into one section.`)
      named.add(path)
    }
    sections.push(section.success)
  }
  if (named.size > mostFiles) return fail(`The patch names ${named.size} files; at most ${mostFiles} change together.`)
  return sections.length === 0
    ? fail(`The patch names no file. Begin a section with ${headers.Update} and the like.`)
    : Result.succeed(sections)
}

/** The files that a section changes, as it names them. */
export const pathsOf = (section: Section): ReadonlyArray<string> =>
  section._tag === "Update" && section.to !== undefined ? [section.path, section.to] : [section.path]
