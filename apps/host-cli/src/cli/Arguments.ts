/**
 * A command line against a table of commands: the command, its arguments and flags, or one line that says what is wrong.
 *
 * Nothing is ignored: an unknown command or flag, a missing value and what only a later version knows are refused.
 */
import * as Result from "effect/Result"
import type { Command, Flag } from "./Command.ts"
import * as Familiar from "./Familiar.ts"
import { type Failure, usage } from "./Failure.ts"

export interface Parsed {
  readonly command: Command
  readonly args: ReadonlyArray<string>
  readonly flags: Readonly<Record<string, string | boolean | ReadonlyArray<string | boolean> | undefined>>
  readonly help: boolean
}

/** A line that one of several commands was found for. */
export interface ParsedOf<C extends Command> extends Parsed {
  readonly command: C
}

/** What there is. */
interface Table<C extends Command> {
  readonly commands: ReadonlyArray<C>
  /** The words of commands that a later version brings. */
  readonly later: ReadonlyArray<string>
}

/** Edits between two words: https://en.wikipedia.org/wiki/Levenshtein_distance */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, swap))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** The known word that was probably meant, at most two edits away. */
export const suggestion = (word: string, known: ReadonlyArray<string>): string | undefined =>
  known
    .map((candidate) => [distance(word, candidate), candidate] as const)
    .filter(([edits]) => edits <= 2)
    .toSorted(([a], [b]) => a - b)[0]?.[1]

/** What stands before the first option, as it is typed after run. */
const asPrompt = (words: ReadonlyArray<string>): string => {
  const option = words.findIndex((word) => word.startsWith("-"))
  const prompt = words.slice(0, option < 0 ? undefined : option).join(" ")
  // In double quotes a shell reads some signs, and a line has only so much room.
  return /^[^"$`\\!\n]{1,60}$/u.test(prompt) ? prompt : "..."
}

const unknownCommand = (commands: ReadonlyArray<Command>, words: ReadonlyArray<string>): Failure => {
  const [first = "", second = "-"] = words
  const isGroup = /^(?:task|history|debug|policy|config|mcp|worktree)$/.test(first)
  const typed = words.slice(0, isGroup ? 2 : 1).join(" ")
  const names = commands.map((command) => command.path.join(" "))
  const close = suggestion(typed, names) ?? suggestion(words.slice(0, 2).join(" "), names)
  const isPrompt = /\s/u.test(first) || (close === undefined && !isGroup && !second.startsWith("-"))
  const hint = isPrompt
    ? `A prompt comes after run: belay run "${asPrompt(words)}".`
    : close === undefined
      ? 'See "belay --help".'
      : `Did you mean "belay ${close}"?`
  return usage(`unknown command "${typed}"`, hint)
}

const find = <C extends Command>(
  { commands, later }: Table<C>,
  words: ReadonlyArray<string>
): Result.Result<C, Failure> => {
  const begins = (name: ReadonlyArray<string>): boolean => name.every((word, index) => words[index] === word)
  const found = commands.find(({ formerly, path }) => begins(path) || (formerly !== undefined && begins(formerly)))
  if (found !== undefined) return Result.succeed(found)
  const name = later.find((known) => begins(known.split(" ")))
  return Result.fail(
    name === undefined
      ? unknownCommand(commands, words)
      : usage(`"belay ${name}" is not in this version`, 'See "belay --help" for what is.')
  )
}

const unknownFlag = (command: Command, name: string, typed: string): Failure => {
  const ours = Familiar.instead(name)
  if (ours !== undefined) return usage(`there is no option ${typed}`, `Here it is ${ours}.`)
  const close = suggestion(
    name,
    command.flags.map((flag) => flag.name)
  )
  return usage(
    `unknown option ${typed}`,
    close === undefined ? `See "belay ${command.path.join(" ")} --help".` : `Did you mean --${close}?`
  )
}

const refusedFlag = (flag: Flag, value: string | boolean): Failure | undefined => {
  const { later: refused, name } = flag
  if (refused === true) return usage(`--${name} is not in this version`, "Leave it out.")
  if (refused?.includes(String(value))) {
    return usage(`--${name} ${String(value)} is not in this version`, "Use another value or leave it out.")
  }
  const choices = flag.value?.split("|") ?? []
  if (choices.length > 1 && choices.every((choice) => /^[a-z-]+$/.test(choice)) && !choices.includes(String(value))) {
    return usage(`--${name} cannot be "${String(value)}"`, `Use one of ${choices.join(", ")}.`)
  }
  return undefined
}

const parseFlags = (command: Command, argv: ReadonlyArray<string>) => {
  const options: Record<string, { type: "string" | "boolean"; short?: string; multiple?: boolean }> = {
    help: { type: "boolean", short: "h" }
  }
  for (const { many = false, name, short, value } of command.flags) {
    const type = value === undefined ? "boolean" : "string"
    options[name] = { type, multiple: many, ...(short === undefined ? {} : { short }) }
  }
  // An import would run all getters of the module, which load much that is not used.
  const { parseArgs } = process.getBuiltinModule("node:util")
  return parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true })
}

/** Parses everything after `belay`. */
export const parse = <C extends Command>(
  table: Table<C>,
  argv: ReadonlyArray<string>
): Result.Result<ParsedOf<C>, Failure> => {
  const found = find(table, argv)
  if (Result.isFailure(found)) return Result.fail(found.failure)
  const command = found.success
  const { positionals, tokens, values } = parseFlags(command, argv.slice(command.path.length))
  for (const token of tokens) {
    if (token.kind !== "option" || token.name === "help") continue
    const flag = command.flags.find((known) => known.name === token.name)
    if (flag === undefined) return Result.fail(unknownFlag(command, token.name, token.rawName))
    if (flag.value === undefined && token.value !== undefined) {
      return Result.fail(usage(`--${flag.name} takes no value`, "Leave the value out."))
    }
    if (
      flag.value !== undefined &&
      (token.value === undefined || (!token.inlineValue && token.value.startsWith("--")))
    ) {
      return Result.fail(usage(`--${flag.name} needs a value`, `Give it as --${flag.name} ${flag.value}.`))
    }
    const refused = refusedFlag(flag, token.value ?? true)
    if (refused !== undefined) return Result.fail(refused)
  }
  const help = values["help"] === true
  const [fewest, most] = command.arity
  const shown = `belay ${[...command.path, command.args].join(" ")}`.trim()
  if (!help && positionals.length < fewest) return Result.fail(usage("an argument is missing", `Use: ${shown}.`))
  if (!help && positionals.length > most) {
    return Result.fail(usage(`unexpected argument "${positionals[most] ?? ""}"`, `Use: ${shown}.`))
  }
  return Result.succeed({
    command,
    args: positionals,
    flags: values,
    help
  })
}

export const text = (parsed: Parsed, name: string): string | undefined => {
  const value = parsed.flags[name]
  return typeof value === "string" ? value : undefined
}

/** Every value of a flag that may be given several times. */
export const texts = (parsed: Parsed, name: string): ReadonlyArray<string> => {
  const values = parsed.flags[name]
  return Array.isArray(values) ? values.filter((value) => typeof value === "string") : []
}

export const isSet = (parsed: Parsed, name: string): boolean => parsed.flags[name] === true

const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A duration such as 90s, 10m or 7d, in ms. */
export const duration = (parsed: Parsed, name: string): Result.Result<number | undefined, Failure> => {
  const value = text(parsed, name)
  if (value === undefined) return Result.succeed(undefined)
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(value)
  return match === null
    ? Result.fail(usage(`--${name} cannot be "${value}"`, "Give a time such as 90s, 10m or 2h."))
    : Result.succeed(Number(match[1]) * (units[match[2] ?? ""] ?? 0))
}

/** A number above 0; a whole one unless `fractions`. */
export const number = (parsed: Parsed, name: string, fractions = false): Result.Result<number | undefined, Failure> => {
  const value = text(parsed, name)
  if (value === undefined) return Result.succeed(undefined)
  const found = Number(value)
  const good = value.trim() !== "" && Number.isFinite(found) && found > 0 && (fractions || Number.isInteger(found))
  return good
    ? Result.succeed(found)
    : Result.fail(usage(`--${name} cannot be "${value}"`, `Give a ${fractions ? "" : "whole "}number above 0.`))
}
