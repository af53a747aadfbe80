/**
 * replace_in_file: SEARCH/REPLACE blocks on one file.
 *
 * Guarantees: all blocks apply, each to the result of the one before, or the file stays as it is; line breaks, encoding
 * and byte order mark stay. See `SearchReplace` for what matches.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Tool from "../Tool.ts"
import { output } from "../Tool.ts"
import type * as EditFile from "./EditFile.ts"
import * as PathTool from "./PathTool.ts"
import * as SearchReplace from "./SearchReplace.ts"
import type * as TextFile from "./TextFile.ts"

export const Parameters = Schema.Struct({
  path: Schema.String.annotate({ description: "Relative to the workspace, or absolute" }),
  diff: Schema.String.annotate({
    description:
      "One or more blocks:\n------- SEARCH\ntext as it is in the file\n=======\nnew text, or nothing to delete it\n+++++++ REPLACE"
  })
})
export type Parameters = typeof Parameters.Type

const loosely = { lines: "ignoring leading and trailing blanks", anchors: "by its first and last line only" } as const

const report = (path: string, { matches }: SearchReplace.Applied): string => {
  const loose = matches.flatMap(({ how, line }, index) =>
    how === "exact" ? [] : [`Block ${index + 1} matched at line ${line} ${loosely[how]}; check the result.`]
  )
  const count = `${matches.length} ${matches.length === 1 ? "block" : "blocks"}`
  return [`Replaced ${count} in ${path}.`, ...loose].join("\n")
}

const change =
  (args: Parameters) =>
  (current: TextFile.TextFile | undefined): EditFile.Change => {
    if (current === undefined) return Result.fail(`${args.path} does not exist. Create it with write_to_file.`)
    return SearchReplace.parse(args.diff).pipe(
      Result.flatMap((blocks) => SearchReplace.apply(current.text, blocks)),
      Result.map((applied) => ({ text: applied.text, output: output(report(args.path, applied)) })),
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
