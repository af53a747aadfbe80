/**
 * A command: the exact text that a shell would run, the folder it would run in, what the grammar reads in it, and where
 * the files it names lead.
 *
 * `@belay/approval-policy/shell` makes the reading; whoever looks at the file system makes the facts.
 */
import * as Schema from "effect/Schema"
import { CommandReading } from "./CommandReading.ts"
import { PathFact } from "./PathFact.ts"

export const CommandFact = Schema.Struct({
  text: Schema.String,
  cwd: PathFact,
  reading: CommandReading,
  /** For each target of the reading what it leads to: several for a pattern, none when it is not known. */
  files: Schema.Array(Schema.Array(PathFact)),
  /** Names of settings of the repositories it runs in that make git start programs, where nothing switches them off. */
  gitPrograms: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Of a line with git commands that move the work tree: the protected names they would change, and whether all are known. */
  gitChanges: Schema.optionalKey(Schema.Struct({ known: Schema.Boolean, names: Schema.Array(Schema.String) }))
})
export type CommandFact = typeof CommandFact.Type
