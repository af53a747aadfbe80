/**
 * write_to_file: the whole content of a file, new or not.
 *
 * Guarantees: a file that has CRLF line breaks only, or a byte order mark, keeps them; missing folders are made; nothing
 * is written when the content is the same; nor over a file with lines that the model has not read, and no line that stands
 * for others. The result says how many lines were replaced.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { figure } from "../../internal/figure.ts"
import type * as Tool from "../../tool/Tool.ts"
import * as EditFile from "../files/EditFile.ts"
import * as PathTool from "../files/PathTool.ts"
import * as TextFile from "../text/TextFile.ts"
import * as Unread from "../files/Unread.ts"

export const Parameters = Schema.Struct({
  path: Schema.String.annotate({ description: "Relative to the workspace, or absolute" }),
  content: Schema.String.annotate({ description: "The complete content" })
})
export type Parameters = typeof Parameters.Type

const change =
  (args: Parameters) =>
  (current: TextFile.TextFile | undefined): EditFile.Change => {
    const standIn = current === undefined ? undefined : Unread.standIn(args.content, current.text)
    if (standIn !== undefined && current?.text.trim() !== "") return EditFile.refused(standIn)
    const content = current?.bom === true ? args.content.replace(/^\uFEFF/, "") : args.content
    const keepsCrlf = current?.lineEnding === "crlf" && TextFile.lineEndingOf(content) === "lf"
    const lines = TextFile.lineCount(args.content)
    const had = current === undefined ? " (created)." : `; it had ${figure(TextFile.lineCount(current.text))}.`
    return Result.succeed({
      text: keepsCrlf ? TextFile.toCrlf(content) : content,
      said: `Wrote ${figure(lines)} ${lines === 1 ? "line" : "lines"} to ${args.path}${had}`
    })
  }

export const make = ({ home }: { readonly home: string }): Tool.Tool<Parameters> =>
  PathTool.editing({
    name: "write_to_file",
    description:
      "Create a file, or replace all of its content, which you have read. Folders are made as needed. For a part of a file use replace_in_file.",
    parameters: Parameters,
    home,
    whole: true,
    change
  })
