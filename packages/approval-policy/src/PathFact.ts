/**
 * One path of a tool call, resolved by the tool and judged by the policy.
 *
 * Whoever makes the fact has looked at the file system; the policy never does. A path that could not be resolved
 * carries `failure` and is denied.
 */
import * as Schema from "effect/Schema"

/** Describes what was found in a folder that a command takes as a whole; each is one example, relative to the folder. */
export const Below = Schema.Struct({
  /** A name that holds secrets. */
  secret: Schema.optionalKey(Schema.String),
  /** A protected name, also one that is protected only behind the name of another folder. */
  protected: Schema.optionalKey(Schema.String),
  /** A link that leads out of the workspace, or nowhere. */
  outside: Schema.optionalKey(Schema.String),
  /** A name with blanks or quotes. */
  strange: Schema.optionalKey(Schema.String),
  /** A name of the folder itself that begins with a dash, as flags do. */
  dashed: Schema.optionalKey(Schema.String),
  /** There is more than was looked at, or a folder that could not be read. */
  more: Schema.optionalKey(Schema.Literal(true))
})
export type Below = typeof Below.Type

/** Decodes the facts about one path of a call. */
export const PathFact = Schema.Struct({
  /** As the model wrote it. */
  given: Schema.String,
  /** Absolute; `.` and `..` removed by text alone. */
  displayed: Schema.String,
  /** Absolute; the symbolic links of every component that exists are resolved. */
  resolved: Schema.String,
  access: Schema.Literals(["read", "write"]),
  /** Both `displayed` and `resolved` lie in a root of the workspace. */
  inside: Schema.Boolean,
  kind: Schema.Literals(["file", "directory", "other", "absent"]),
  /** How many names the file has (hard links); 0 when absent. */
  links: Schema.Finite,
  /** Why the path could not be resolved. */
  failure: Schema.optionalKey(Schema.String),
  /** The file system does not tell upper from lower case. */
  insensitive: Schema.Boolean,
  /** `resolved` relative to the root of the workspace, with `/`; empty when outside. */
  relative: Schema.String,
  /** It was looked for by the pattern that the command has. */
  matched: Schema.optionalKey(Schema.Literal(true)),
  /** Of a folder, where the target asks for it. */
  below: Schema.optionalKey(Below),
  /** `.belayignore` leaves it out, or something below the folder. */
  ignored: Schema.optionalKey(Schema.Literals(["itself", "below"])),
  /** Of a write: the addresses of schemas that the file has after it and not before, by `SchemaAddress.added`. */
  schemas: Schema.optionalKey(Schema.Array(Schema.String))
})
export type PathFact = typeof PathFact.Type
