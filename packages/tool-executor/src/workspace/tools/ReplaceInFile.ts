/**
 * replace_in_file: SEARCH/REPLACE blocks on one file.
 *
 * Guarantees: all blocks apply, each to the result of the one before, or the file stays as it is; line breaks, encoding
 * and byte order mark stay. Where a block matched loosely, the result shows what its lines are now. See `SearchReplace` for what matches.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { figure } from "../../internal/figure.ts"
import type * as Tool from "../../tool/Tool.ts"
import * as EditFile from "../files/EditFile.ts"
import * as NumberedLines from "../text/NumberedLines.ts"
import * as PathTool from "../files/PathTool.ts"
import * as SearchReplace from "../text/SearchReplace.ts"
import * as TextFile from "../text/TextFile.ts"

export const Parameters = Schema.Struct({
  path: Schema.String.annotate({ description: "Relative to the workspace, or absolute" }),
  diff: Schema.String.annotate({
    description:
      "One or more blocks:\n------- SEARCH\ntext as it is in the file\n=======\nnew text, or nothing to delete it\n+++++++ REPLACE"
  }),
  replace_all: Schema.optionalKey(Schema.Boolean.annotate({ description: "Each block replaces every match" }))
})
export type Parameters = typeof Parameters.Type

const loosely = { lines: "ignoring leading and trailing blanks", anchors: "by its first and last line only" } as const

/** How a match that was not exact was found. */
const howOf = ({ how, numbered }: SearchReplace.Matched): string => {
  const ways = [
    ...(numbered ? ["without the line numbers of its lines"] : []),
    ...(how === "exact" ? [] : [loosely[how]])
  ]
  return ways.join(", ")
}

const breaksIn = (text: string): number => text.split("\n").length - 1

/** The lines that a match has become, with their numbers once the later ones are replaced as well. */
const madeBy = (at: number, { blocks, matches, text }: SearchReplace.Applied): ReadonlyArray<string> => {
  const own = matches[at]
  const replace = blocks[own?.block ?? 0]?.replace ?? ""
  if (own === undefined || replace === "") return []
  const grows = (one: SearchReplace.Matched) => {
    const block = blocks[one.block]
    return block === undefined ? 0 : breaksIn(block.replace) - breaksIn(block.search)
  }
  let first = own.line
  for (const before of matches.slice(0, at)) if (before.block === own.block) first += grows(before)
  // Those of one block were found in one text.
  for (let next = at + 1; next < matches.length;) {
    const block = matches[next]?.block
    const met = first
    for (let one = matches[next]; one !== undefined && one.block === block; one = matches[++next]) {
      if (one.block !== own.block && one.line < met) first += grows(one)
    }
  }
  return NumberedLines.some(TextFile.linesOf(text), first, breaksIn(replace) + 1)
}

const counted = (count: number, one: string, many = `${one}s`): string => `${figure(count)} ${count === 1 ? one : many}`

const said = ({ path, replace_all }: Parameters, { blocks, matches }: SearchReplace.Applied): string => {
  const count = counted(blocks.length, "block")
  return replace_all === true
    ? `Replaced ${counted(matches.length, "match", "matches")} of ${count} in ${path}.`
    : `Replaced ${count} in ${path}.`
}

/** Of each block the first match that was not exact. */
const loose = (applied: SearchReplace.Applied): ReadonlyArray<string> => {
  const told = new Set<number>()
  return applied.matches.flatMap((match, at) => {
    const how = howOf(match)
    if (how === "" || told.has(match.block)) return []
    told.add(match.block)
    const others = applied.matches.filter(({ block }) => block === match.block).length - 1
    const where = others === 0 ? `at line ${match.line}` : `at line ${match.line} and ${counted(others, "other place")}`
    const made = madeBy(at, applied)
    return [
      `Block ${match.block + 1} matched ${where} ${how}; check the result${made.length === 0 ? "." : ":"}`,
      ...made
    ]
  })
}

const change =
  (args: Parameters) =>
  (current: TextFile.TextFile | undefined, strict: boolean): EditFile.Change => {
    if (current === undefined) return EditFile.refused(`${args.path} does not exist. Create it with write_to_file.`)
    return SearchReplace.parse(args.diff).pipe(
      Result.flatMap((blocks) => {
        const all = args.replace_all === true
        return Result.map(SearchReplace.apply(current.text, blocks, { all, strict }), (applied) => ({
          text: applied.text,
          said: said(args, applied),
          lines: loose(applied)
        }))
      }),
      Result.mapError(({ message }) => new EditFile.EditRefused({ message }))
    )
  }

export const make = ({ home }: { readonly home: string }): Tool.Tool<Parameters> =>
  PathTool.editing({
    name: "replace_in_file",
    description:
      "Change parts of a file. Each SEARCH text must match exactly one place; add lines until it does. Blocks apply in order; if one fails, nothing is changed.",
    parameters: Parameters,
    home,
    whole: false,
    change
  })
