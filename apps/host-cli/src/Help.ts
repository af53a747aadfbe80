/** Help, made of the table of commands: examples first, at most 80 columns, and no flag that is refused anyway. */
import { type Command, commands, type Flag } from "./Commands.ts"

const columns = 80

/** Words in lines of at most `width` columns; a longer word stands alone. */
const wrap = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** Names with what they are about; what does not fit beside its name goes below it. */
export const table = (entries: ReadonlyArray<readonly [name: string, about: string]>): ReadonlyArray<string> => {
  const width = Math.max(...entries.map(([name]) => name.length)) + 2
  return entries.flatMap(([name, about]) => {
    const [first = "", ...rest] = wrap(about, columns - 2 - width)
    return [`  ${name.padEnd(width)}${first}`, ...rest.map((line) => `  ${" ".repeat(width)}${line}`)]
  })
}

const nameOf = ({ path }: Command): string => path.join(" ")

const usageOf = (command: Command): string => `belay ${nameOf(command)} ${command.args}`.trim()

const flagOf = ({ later, name: long, short, value }: Flag): string => {
  const name = long
  if (value === undefined) return short === undefined ? `--${name}` : `--${name} -${short}`
  const refused = later === undefined || later === true ? [] : later
  return `--${name} ${value
    .split("|")
    .filter((choice) => !refused.includes(choice))
    .join("|")}`
}

const page = (lines: ReadonlyArray<string>): string => `${lines.map((line) => line.trimEnd()).join("\n")}\n`

/** Help of one command. */
export const ofCommand = (command: Command): string => {
  const flags = command.flags.filter(({ later }) => later !== true)
  return page([
    ...command.examples.map((example) => `  ${example}`),
    "",
    ...wrap(`${command.about}.`, columns),
    "",
    `Use: ${usageOf(command)}${flags.length === 0 ? "" : " [options]"}`,
    ...(flags.length === 0
      ? []
      : ["", "Options", ...table(flags.map((flag): readonly [string, string] => [flagOf(flag), flag.about]))])
  ])
}

const ofAll = (shown: ReadonlyArray<Command>): string =>
  page([
    ...shown.flatMap(({ examples }) => examples.slice(0, 1).map((example) => `  ${example}`)),
    "",
    "Commands",
    ...table(shown.map((command): readonly [string, string] => [nameOf(command), command.about])),
    "",
    'An ID is the beginning or the end of one, or "last": the newest task of this',
    "folder. Options of a command: belay <command> --help"
  ])

const startsWith = (words: ReadonlyArray<string>) => (command: Command) =>
  words.every((word, index) => command.path[index] === word)

const isFlag = (word: string | undefined): boolean => word === "--help" || word === "-h"

/** What help is asked of: `help` and its words, nothing at all, or a group such as `task`, `task --help`. */
const askedOf = ([first, ...rest]: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  if (first === "help" || isFlag(first)) return rest
  const isGroup = !commands.some((command) => nameOf(command) === first)
  return first !== undefined && isGroup && rest.every(isFlag) && rest.length <= 1 ? [first] : undefined
}

/** Help that no single command answers with its own `--help`; `undefined` when none is asked for. */
export const asked = (args: ReadonlyArray<string>): string | undefined => {
  const words = askedOf(args)
  if (words === undefined) return undefined
  const found = commands.filter(startsWith(words))
  const [only, second] = found
  if (only === undefined) return undefined
  return second === undefined && only.path.length === words.length ? ofCommand(only) : ofAll(found)
}
