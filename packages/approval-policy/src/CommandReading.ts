/**
 * What a command line does, as far as its text says: read by the grammar, stated as data, judged by the policy.
 *
 * `plain` is the only form in which every program, argument and redirection is known: simple commands in lists and
 * pipes, of literal words. `compound` is valid, but more may happen than is listed here. `unreadable` is not understood.
 */
import * as Schema from "effect/Schema"

/** Describes what of a folder is taken besides the folder: whatever lies in it, at any depth. */
export const Below = Schema.Struct({
  /** Patterns of `*` and `?` for the names of the files, in any case; empty for all. */
  names: Schema.Array(Schema.String),
  /**
   * Patterns, in their very case, for names that are left out: `x` of files, `x/` of folders, `/x/` of a folder at the
   * top.
   */
  skips: Schema.Array(Schema.String),
  /** Which links that are found are followed: those to `files`, or those to folders as well. */
  follows: Schema.Literals(["nothing", "files", "all"]),
  /** Only links count: what is written there goes where they lead. */
  links: Schema.optionalKey(Schema.Literal(true)),
  /** The names go through text that is split at blanks and quotes, so that a strange name may become several. */
  splits: Schema.Boolean,
  /**
   * Only files that the index of git has, relative to the folder; `top`: to the top of its work tree; `also`: these, and all
   * others.
   */
  tracked: Schema.optionalKey(Schema.Literals([true, "top", "also"])),
  /** Of those that git tracks, only the ones that differ from what it has. */
  modified: Schema.optionalKey(Schema.Literal(true)),
  /** Git quotes strange names, in a way of its own. */
  quoted: Schema.optionalKey(Schema.Literal(true)),
  /** Names that are patterns are expanded once more. */
  expands: Schema.optionalKey(Schema.Literal(true)),
  /** The names come from what is not known: they may lie elsewhere, too, and what lies here is the least that they mean. */
  anywhere: Schema.optionalKey(Schema.Literal(true))
})
export type Below = typeof Below.Type

/** A file that the command names. */
export const Target = Schema.Struct({
  /** Relative to the folder of the command, or absolute; null when the text does not say. */
  path: Schema.NullOr(Schema.String),
  /**
   * `write` changes the content of a file; `tree` may change or remove all below a folder; `entry` is a file only if the
   * path before it is a folder; `mention` is a word that may name a file; `output` is one that a flag nobody described may
   * write; `program` is the file that runs.
   */
  role: Schema.Literals(["read", "write", "tree", "entry", "mention", "output", "program"]),
  redirected: Schema.Boolean,
  glob: Schema.Boolean,
  /** Of a folder: what lies in it is taken as well. */
  below: Schema.optionalKey(Below),
  /** Each name that the pattern matches is split at blanks and expanded once more, as a variable without quotes is. */
  split: Schema.optionalKey(Schema.Boolean)
})
export type Target = typeof Target.Type

/**
 * An argument that a rule has to name itself, with everything before it. `kind`: it runs no other program, but changes
 * something, or loses what is kept nowhere else. `where`: only when this target, by its index, is a file that is there.
 */
export const Hazard = Schema.Struct({
  at: Schema.Finite,
  why: Schema.String,
  kind: Schema.optionalKey(Schema.Literals(["changes", "loses"])),
  where: Schema.optionalKey(Schema.Finite)
})
export type Hazard = typeof Hazard.Type

/** Names a kind of harm that asks whatever the settings allow. */
export const Floor = Schema.Literals(["belay", "disk", "foreign", "history", "keys", "remote", "removal", "unpacking"])
export type Floor = typeof Floor.Type

/** One program that runs, with its arguments. */
export const Action = Schema.Struct({
  /** Quotes and escapes resolved; null for a word whose value is not known. Empty for a redirection alone. */
  argv: Schema.Array(Schema.NullOr(Schema.String)),
  /** The action that runs it, and where in its `argv` this one begins; -1 for none. */
  parent: Schema.Finite,
  from: Schema.Finite,
  hazards: Schema.Array(Hazard),
  /** Indexes in `targets`. */
  targets: Schema.Array(Schema.Finite),
  floors: Schema.Array(Floor),
  /** Changes nothing, with these arguments. */
  readOnly: Schema.Boolean,
  /** Changes nothing but the files that its redirections write. */
  redirects: Schema.optionalKey(Schema.Boolean),
  /**
   * What a path may lead to elsewhere afterwards: below the `targets` that it changes, or anywhere in the workspace. A
   * program that makes plain files and folders only leaves paths what they were.
   */
  moves: Schema.Literals(["nothing", "targets", "anywhere"]),
  /** Actions with the same number may run in any order; a higher one runs later. */
  step: Schema.Finite,
  /** No row of the table describes the program. */
  unknown: Schema.Boolean,
  /** It may write files that its words name, as formatters and programs do that no row describes. */
  takes: Schema.optionalKey(Schema.Boolean),
  /** Indexes in `argv` of flags, with their values, that a rule may pass over wherever they stand. */
  neutral: Schema.optionalKey(Schema.Array(Schema.Finite)),
  /** It runs code that its text does not name: of the project, of a script, of a package. */
  hidden: Schema.optionalKey(Schema.Boolean)
})
export type Action = typeof Action.Type

/** Decodes the reading of a command line. Only `plain` states everything that would happen. */
export const CommandReading = Schema.Struct({
  form: Schema.Literals(["plain", "compound", "unreadable"]),
  /** Why it is not plain; empty when it is. */
  why: Schema.String,
  actions: Schema.Array(Action),
  targets: Schema.Array(Target)
})
export type CommandReading = typeof CommandReading.Type
