/**
 * A command: the exact text that a shell would run, the folder it would run in, what the grammar reads in it, and where
 * the files it names lead.
 *
 * `@belay/approval-policy/shell` makes the reading; whoever looks at the file system makes the facts.
 */
import * as Schema from "effect/Schema"
import { CommandReading } from "./CommandReading.ts"
import { PathFact } from "./PathFact.ts"

/** A command that the project's manifests make a check of it, as an entry of `commands.allow` is spelt. */
export const Check = Schema.Struct({
  entry: Schema.String,
  /** The file that says so, relative to the workspace. */
  from: Schema.String,
  /** A file that decides what it runs, and that the task has changed since a person had it so. */
  changed: Schema.optionalKey(Schema.String)
})
export type Check = typeof Check.Type

/** Describes the project's own checks that a command consists of. */
export const Checks = Schema.Struct({
  found: Schema.Array(Check),
  /** It would run in a sandbox. */
  confined: Schema.Boolean,
  /** A person has allowed this very check in this task. */
  agreed: Schema.Boolean
})
export type Checks = typeof Checks.Type

/** Decodes the facts about one command. Whoever makes them has resolved every path. */
export const CommandFact = Schema.Struct({
  text: Schema.String,
  cwd: PathFact,
  reading: CommandReading,
  /** For each target of the reading what it leads to: several for a pattern, none when it is not known. */
  files: Schema.Array(Schema.Array(PathFact)),
  /** Names of settings of the repositories it runs in that make git start programs, where nothing switches them off. */
  gitPrograms: Schema.optionalKey(Schema.Array(Schema.String)),
  /**
   * Of a line with git commands that move the work tree: the protected names they would change, and whether all are known.
   * `signed`: one merges a tag whose signature it checks.
   */
  gitChanges: Schema.optionalKey(
    Schema.Struct({
      known: Schema.Boolean,
      names: Schema.Array(Schema.String),
      signed: Schema.optionalKey(Schema.Literal(true))
    })
  ),
  /** The checks of the project, where the approvals ask for them. */
  checks: Schema.optionalKey(Checks),
  /**
   * Folders of the workspace that are searched for programs before the folders where those of the text lie now, and in
   * which a program may make another of the same name.
   */
  searchedFirst: Schema.optionalKey(Schema.Array(Schema.String))
})
export type CommandFact = typeof CommandFact.Type
