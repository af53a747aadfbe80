/**
 * replace_in_file: SEARCH/REPLACE blocks on one file.
 *
 * Guarantees: all blocks apply, each to the result of the one before, or the file stays as it is; line breaks, encoding
 * and byte order mark stay. Where a block matched loosely, the result shows what its lines are now. See `SearchReplace` for what matches.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Tool from "../Tool.ts"
import { output } from "../Tool.ts"
import type * as EditFile from "./EditFile.ts"
import * as PathTool from "./PathTool.ts"
import * as SearchReplace from "./SearchReplace.ts"
import * as TextFile from "./TextFile.ts"

export const Parameters = Schema.Struct({
  path: Schema.String.annotate({ description: "Relative to the workspace, or absolute" }),
  diff: Schema.String.annotate({
    description:
      "One or more blocks:\n------- SEARCH\ntext as it is in the file\n=======\nnew text, or nothing to delete it\n+++++++ REPLACE"
  })
})
export type Parameters = typeof Parameters.Type

const loosely = { lines: "ignoring leading and trailing blanks", anchors: "by its first and last line only" } as const

/** Lines of a loose match that are shown, at most. */
const shownLines = 10

const breaksIn = (text: string): number => text.split("\n").length - 1

/** The lines that a block has made, with their numbers once the later blocks are applied as well. */
const madeBy = (
  index: number,
  blocks: ReadonlyArray<SearchReplace.Block>,
  { matches, text }: SearchReplace.Applied
): ReadonlyArray<string> => {
  const { replace = "" } = blocks[index] ?? {}
  if (replace === "") return []
  let first = matches[index]?.line ?? 1
  for (const [later, { line }] of matches.entries()) {
    const block = blocks[later]
    if (later > index && line < first && block) first += breaksIn(block.replace) - breaksIn(block.search)
  }
  const count = breaksIn(replace) + 1
  const shown = TextFile.toLf(text)
    .split("\n")
    .slice(first - 1, first - 1 + Math.min(count, shownLines))
    .map((line, at) => `${first + at}\t${line.length > 200 ? `${line.slice(0, 200)}...` : line}`)
  return count > shownLines ? [...shown, `(${count - shownLines} more)`] : shown
}

const report = (path: string, blocks: ReadonlyArray<SearchReplace.Block>, applied: SearchReplace.Applied): string => {
  const { matches } = applied
  const loose = matches.flatMap(({ how, line }, index) => {
    if (how === "exact") return []
    const made = madeBy(index, blocks, applied)
    const end = made.length === 0 ? "." : ":"
    return [`Block ${index + 1} matched at line ${line} ${loosely[how]}; check the result${end}`, ...made]
  })
  const count = `${matches.length} ${matches.length === 1 ? "block" : "blocks"}`
  return [`Replaced ${count} in ${path}.`, ...loose].join("\n")
}

const change =
  (args: Parameters) =>
  (current: TextFile.TextFile | undefined): EditFile.Change => {
    if (current === undefined) return Result.fail(`${args.path} does not exist. Create it with write_to_file.`)
    return SearchReplace.parse(args.diff).pipe(
      Result.flatMap((blocks) =>
        Result.map(SearchReplace.apply(current.text, blocks), (applied) => ({
          text: applied.text,
          output: output(report(args.path, blocks, applied))
        }))
      ),
      Result.mapError((error) => error.message)
    )
  }

export const make = ({ home }: { readonly home: string }): Tool.Tool<Parameters> =>
  PathTool.editing({
    name: "replace_in_file",
    description:
      "Change parts of a file. Each SEARCH text must match exactly one place; add lines until it does. Blocks apply in order; if one fails, nothing is changed.",
    parameters: Parameters,
    home,
    creates: false,
    change
  })
