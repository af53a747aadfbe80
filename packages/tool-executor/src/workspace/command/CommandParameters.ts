/** The arguments of execute_command: one bash command line, or one program with its arguments and no shell. */
import * as Schema from "effect/Schema"

/** How long a command may run that says nothing of it. */
export const defaultSeconds = 120
const longestSeconds = 1800

const noNul = (text: string): boolean | string => (text.includes("\0") ? "it holds a NUL character" : true)

const Word = Schema.String.check(Schema.makeFilter(noNul))
const Line = Word.check(Schema.makeFilter((text: string) => (text.trim() === "" ? "the command is empty" : true)))

const Fields = Schema.Struct({
  command: Schema.optionalKey(Line.annotate({ description: "One bash command line" })),
  program: Schema.optionalKey(Line.annotate({ description: "Instead of command: a program, run without a shell" })),
  args: Schema.optionalKey(Schema.Array(Word).annotate({ description: "Arguments of program, taken literally" })),
  timeout: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: longestSeconds })).annotate({
      description: `Seconds; ${defaultSeconds} by default`
    })
  ),
  cwd: Schema.optionalKey(Schema.String.annotate({ description: "Folder; the workspace by default" })),
  background: Schema.optionalKey(Schema.Boolean.annotate({ description: "It runs on: for servers and watchers" }))
})
export type Parameters = typeof Fields.Type

const oneForm = ({ args, command, program }: Parameters): boolean | string => {
  if (command === undefined) return program === undefined ? "give either command or program" : true
  return program === undefined && args === undefined ? true : "give either command or program with args, not both"
}

export const Parameters = Fields.check(Schema.makeFilter(oneForm))

/** The words of the form without a shell. */
export const wordsOf = ({ args = [], program }: Parameters): ReadonlyArray<string> | undefined =>
  program === undefined ? undefined : [program, ...args]
