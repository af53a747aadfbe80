/** One hook: a command of the user or of a trusted project that is told of an event and may have a say in it. */
import * as Schema from "effect/Schema"

/** The events at which hooks run. */
export const Event = Schema.Literals(["PreToolUse"])
export type Event = typeof Event.Type

/** Says what a check that has no answer means: a person is asked, the call is denied, or it goes on. */
export const OnFailure = Schema.Literals(["ask", "block", "allow"])
export type OnFailure = typeof OnFailure.Type

/** Says whose settings it is from: what a project brings narrows only. */
export const Source = Schema.Literals(["user", "project"])
export type Source = typeof Source.Type

/** Describes a hook as a task has it. */
export const Hook = Schema.Struct({
  event: Event,
  /** A name, several with `|` between them, or a regular expression; without it every call. */
  matcher: Schema.optionalKey(Schema.String),
  /** A bash command line. */
  command: Schema.String,
  timeoutSeconds: Schema.Finite,
  onFailure: OnFailure,
  source: Source,
  /** Files of the workspace that the command runs, relative to it: SHA-256, hexadecimal, when the task began. */
  scripts: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
})
export type Hook = typeof Hook.Type

/** The time in which a hook has to answer that names none, in seconds. */
export const defaultSeconds = 60

/** The hook as people see it: its command, on one line of at most 80 characters. */
export const named = ({ command }: Pick<Hook, "command">): string => {
  const line = command.replace(/\s+/g, " ").trim()
  return line.length <= 80 ? line : `${line.slice(0, 79)}…`
}
