/**
 * How a program with arguments is started: by itself, or on Windows, where `npx` and its like are scripts, by cmd.
 *
 * Guarantee: the program gets the arguments as they are, or nothing is started. cmd reads a line by rules of its own, so an
 * argument with a sign that it could take for its own is refused (https://flatt.tech/research/posts/batbadbut).
 */
import { ProgramSearch, SearchPath } from "@belay/approval-policy/facts"
import { Machine } from "@belay/machine"
import * as CommandEnvironment from "./CommandEnvironment.ts"

/** Names a program and its arguments, as they are written. */
export interface Wanted {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env: CommandEnvironment.Environment
}

/** Says what to start; `verbatim` when the arguments are one line of Windows already. */
export interface Invocation {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly verbatim: boolean
}

/** What a line of cmd has no way to say; undefined when it can all be said. */
const refused = (words: ReadonlyArray<string>): string | undefined => {
  const word = words.find((each) => !ProgramSearch.isPlain(each))
  return word === undefined
    ? undefined
    : `only cmd runs this script, and cmd cannot be given ${JSON.stringify(word)}; start its program instead`
}

/** A word between quotes: backslashes before the last quote count twice. */
const quoted = (word: string): string => `"${word.replace(/\\+$/, "$&$&")}"`

/** The invocation, or one sentence why there is none. */
export const of = (wanted: Wanted, machine: Machine.Machine = Machine.host): Invocation | string => {
  const { args, cwd, env, program } = wanted
  const direct = { program, args, verbatim: false }
  if (!Machine.isWindows(machine)) return direct
  const found = ProgramSearch.resolveOnWindows(program, cwd, SearchPath.pathOf(env, machine), machine)
  if (found === undefined) return direct
  if (!ProgramSearch.isScript(found)) return { ...direct, program: found }
  const problem = refused([found, ...args])
  if (problem !== undefined) return problem
  const root = Object.entries(env).find(([name]) => name.toUpperCase() === "SYSTEMROOT")?.[1] ?? "C:\\Windows"
  // No AutoRun, quotes kept; the whole line is between quotes that cmd takes away.
  const line = [found, ...args].map(quoted).join(" ")
  return {
    program: machine.path.join(root, "System32", "cmd.exe"),
    args: ["/d", "/s", "/v:off", "/c", `"${line}"`],
    verbatim: true
  }
}
