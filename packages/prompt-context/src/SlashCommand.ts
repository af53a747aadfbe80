/**
 * Commands at the beginning of a message: those of Belay, those that people write, and skills.
 *
 * A name that nobody knows is text. What a command means for a task, such as another mode, is for the engine to do.
 */
import type { Completion } from "./Mention.ts"

/** Describes a command for a list of choices. */
export interface Command {
  readonly name: string
  readonly description: string
}

/** A command that people have written; `text` is its content, without its front matter. */
export interface OwnCommand extends Command {
  readonly text: string
}

/** Lists the commands that every host knows. */
export const builtIn = [
  { name: "newtask", description: "Go on in a new task with what matters of this one" },
  { name: "deep-planning", description: "Investigate, ask, write a plan, and hand it over" },
  { name: "compact", description: "Condense this conversation" },
  { name: "smol", description: "Condense this conversation" },
  { name: "newrule", description: "Write down a rule for this folder" },
  { name: "plan", description: "Switch to plan mode" },
  { name: "act", description: "Switch to act mode" },
  { name: "help", description: "Show the commands" }
] as const satisfies ReadonlyArray<Command>

/** Names a command that every folder has. */
export type BuiltIn = (typeof builtIn)[number]["name"]

/** One command of a prompt. */
export interface Invocation {
  readonly name: string
  /** What stands behind it. */
  readonly rest: string
}

/** The command that a text begins with, known or not. A path, such as `/usr/bin`, is none. */
export const parse = (text: string): Invocation | undefined => {
  const found = /^\/([A-Za-z][\w-]*)(?:\s+([\s\S]*))?$/u.exec(text.trim())
  return found?.[1] === undefined ? undefined : { name: found[1], rest: (found[2] ?? "").trim() }
}

/** Belay's own command that a text begins with. */
export const known = (text: string): (Invocation & { readonly name: BuiltIn }) | undefined => {
  const found = parse(text)
  const own = builtIn.find(({ name }) => name === found?.name)
  return found === undefined || own === undefined ? undefined : { ...found, name: own.name }
}

/** What was typed behind a command as single words; quotes keep blanks together. */
const argumentsOf = (rest: string): ReadonlyArray<string> =>
  [...rest.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/gu)].map(([, double, single, bare]) => double ?? single ?? bare ?? "")

/** The text of a command with what was typed behind it: all of it for `$ARGUMENTS`, a word for `$1`, else at its end. */
export const expand = ({ text }: OwnCommand, rest: string): string => {
  const words = argumentsOf(rest)
  const place = /\$(?:ARGUMENTS\b|([1-9])(?!\d))/gu
  if (/\$(?:ARGUMENTS\b|[1-9](?!\d))/u.test(text))
    return text.replaceAll(place, (_, at?: string) => (at === undefined ? rest : (words[Number(at) - 1] ?? "")))
  return rest === "" ? text : `${text.trimEnd()}\n\n${rest}`
}

/** Another name of a command, which only those type who know it. */
const isTwin = (name: string, query: string): boolean => name === "smol" && query === ""

/**
 * Gives what fits to a command that is being typed, without its sign: what begins so comes first. `own` are the commands of
 * people and skills; one with a name of Belay's own is never meant.
 */
export const completions = (query: string, own: ReadonlyArray<Command>): ReadonlyArray<Completion> => {
  // Of two of one name the first counts.
  const sayable = [...builtIn.filter(({ name }) => !isTwin(name, query)), ...own].filter(
    ({ name }) => parse(`/${name}`)?.name === name
  )
  const names = new Map(sayable.toReversed().map((one): [string, Command] => [one.name, one]))
  const asked = query.toLowerCase()
  const fits = [...names.values()].toReversed().filter(({ name }) => name.toLowerCase().includes(asked))
  const begins = fits.filter(({ name }) => name.toLowerCase().startsWith(asked))
  return [...begins, ...fits.filter((one) => !begins.includes(one))].map(({ description, name }) => ({
    insert: `/${name}`,
    label: `/${name}`,
    detail: description
  }))
}
