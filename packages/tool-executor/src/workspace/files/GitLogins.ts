/**
 * Logins in the addresses of git's own files, such as `url = https://me:token@host` of `.git/config`: no tool shows them.
 *
 * Guarantees: what the model gets of such a file has `<redacted>` in their place, as the output of a command has; an edit
 * that would write this mark is refused, so that it never takes the place of a login. Lines without a login are read and
 * edited as ever.
 */
import * as Effect from "effect/Effect"
import type * as Tool from "../../tool/Tool.ts"
import { failure } from "../../tool/Tool.ts"
import * as UrlLogins from "../text/UrlLogins.ts"

/** Of a repository, wherever it lies: `.git`, a bare one, and the files beside it and of the person that hold addresses. */
const own = /(?:^|[\\/])(?:[^\\/]*\.git(?:[\\/]|$)|\.git(?:modules|config)$|git[\\/]config$)/i

/** Absolute and resolved. */
const isGits = (file: string): boolean => own.test(file)

const shown = (output: Tool.ToolOutput): Tool.ToolOutput => ({
  ...output,
  content: output.content.map((part) => (part.type === "text" ? { ...part, text: UrlLogins.text(part.text) } : part))
})

const refused = failure(
  `${UrlLogins.mask} stands for a login that is not shown, and this edit would put it in the place of the login. Leave that line as it is, and change others with replace_in_file. Nothing was changed.`
)

/** The same tool, for what it reads or edits of these files; `placesOf` are absolute and resolved. */
export const hiding = <Args>(
  tool: Tool.Tool<Args>,
  placesOf: (args: Args, context: Tool.ToolContext) => ReadonlyArray<string>
): Tool.Tool<Args> => {
  const { execute, refuses } = tool
  const isOf = (args: Args, context: Tool.ToolContext) => placesOf(args, context).some(isGits)
  const isMarked = (args: Args) => tool.category === "edit" && JSON.stringify(args).includes(UrlLogins.mask)
  return {
    ...tool,
    ...(refuses === undefined
      ? {}
      : {
          refuses: (args, context) =>
            Effect.suspend(() => {
              if (!isOf(args, context)) return refuses(args, context)
              if (isMarked(args)) return Effect.succeed({ output: refused, mistake: true })
              return Effect.map(refuses(args, context), (found) =>
                found === undefined ? undefined : { ...found, output: shown(found.output) }
              )
            })
        }),
    execute: (args, context) =>
      Effect.suspend(() => {
        if (!isOf(args, context)) return execute(args, context)
        return isMarked(args) ? Effect.succeed(refused) : Effect.map(execute(args, context), shown)
      })
  }
}
