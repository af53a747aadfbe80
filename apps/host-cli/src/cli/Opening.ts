/**
 * Whether a command line opens the interactive terminal: one without a command, typed where somebody can see it.
 *
 * Options before any command are those of `belay run`, as in scripts; in a terminal they open the interface, unless they say
 * that something is to be printed or read, or to run elsewhere.
 */
import { isatty } from "node:tty"

/** With these it is a run, in a terminal too. */
const ofRuns =
  /^(?:-p|--print|--output(?:-format)?|--input(?:-format)?|--detach|--worktree|-w|--timeout|--json-schema)(?:=|$)/u

const asked = new Set(["--help", "-h", "--version", "-v"])

/** Somebody types and sees. */
export const isAttended = (): boolean => isatty(0) && isatty(1) && (process.env["CI"] ?? "") === ""

/** What is typed names no command: nothing, options of a task, or a sentence. */
export const isMeant = (typed: ReadonlyArray<string>): boolean => {
  const [first] = typed
  if (first === undefined) return true
  if (asked.has(first) || typed.some((word) => ofRuns.test(word))) return false
  return first.startsWith("-") || /\s/u.test(first.trim())
}
