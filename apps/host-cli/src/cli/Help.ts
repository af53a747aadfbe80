/**
 * Help, made of the table of commands, at most 80 columns, without flags that are refused anyway. Of everything it is one
 * sentence, five examples, and the commands by what they are for; else examples come first.
 */
import type { Command, Flag } from "./Command.ts"

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

/** Of a longer name what it is about stands below it: few names would leave too little room for all others. */
const longest = 36

/** Names with what they are about; what does not fit beside its name goes below it. */
export const table = (entries: ReadonlyArray<readonly [name: string, about: string]>): ReadonlyArray<string> => {
  const width = Math.max(0, ...entries.map(([name]) => name.length).filter((length) => length <= longest)) + 2
  const room = columns - 2 - width
  return entries.flatMap(([name, about]) => {
    const below = wrap(about, room).map((line) => `  ${" ".repeat(width)}${line}`)
    if (name.length > longest) return [`  ${name}`, ...below]
    const [first = "", ...rest] = below
    return [`  ${name.padEnd(width)}${first.slice(width + 2)}`, ...rest]
  })
}

const nameOf = ({ path }: Command): string => path.join(" ")

const usageOf = (command: Command): string => `belay ${nameOf(command)} ${command.args}`.trim()

const flagOf = ({ later, name: long, short, value }: Flag): string => {
  const name = short === undefined ? long : `${long} -${short}`
  if (value === undefined) return `--${name}`
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

const rows = (shown: ReadonlyArray<Command>): ReadonlyArray<string> =>
  table(shown.map((command): readonly [string, string] => [nameOf(command), command.about]))

const hint = [
  'An ID is the beginning or the end of one, or "last": the newest task of this',
  "folder. Options of a command: belay <command> --help"
]

/** Help of commands that begin with the same word. */
const ofGroup = (shown: ReadonlyArray<Command>): string =>
  page([
    ...shown.flatMap(({ examples }) => examples.slice(0, 1).map((example) => `  ${example}`)),
    "",
    "Commands",
    ...rows(shown),
    "",
    ...hint
  ])

const about =
  "Belay runs the tasks of a coding agent in your folder, asks before anything that matters, and loses nothing when it is stopped."

/** The first that somebody reads. */
export const examples = [
  'belay run "fix the failing test" --approvals edits',
  'git diff | belay run "is this right?" --mode plan',
  "belay task list",
  "belay task resume last",
  "belay doctor"
]

/** Commands by what they are for; those that are in none stand last. */
const groups: ReadonlyArray<readonly [title: string, words: ReadonlyArray<string>]> = [
  ["Work", ["run", "task", "worktree"]],
  ["What may run", ["policy", "allowed", "hooks", "trust", "mcp"]],
  ["Models and settings", ["models", "auth", "config"]],
  ["Histories", ["history", "rescue"]]
]

const others = "This program"

const titleOf = ({ path: [word = ""] }: Command): string =>
  groups.find(([, words]) => words.includes(word))?.[0] ?? others

const overview = (commands: ReadonlyArray<Command>): string => {
  const titles = [...groups.map(([title]) => title), others]
  return page([
    ...wrap(about, columns),
    "",
    ...examples.map((example) => `  ${example}`),
    ...titles.flatMap((title) => ["", title, ...rows(commands.filter((command) => titleOf(command) === title))]),
    "",
    ...hint
  ])
}

const startsWith = (words: ReadonlyArray<string>) => (command: Command) =>
  words.every((word, index) => command.path[index] === word)

const isFlag = (word: string | undefined): boolean => word === "--help" || word === "-h"

/** What help is asked of: `help` and its words, nothing at all, or a group such as `task`, `task --help`. */
const askedOf = (
  commands: ReadonlyArray<Command>,
  [first, ...rest]: ReadonlyArray<string>
): ReadonlyArray<string> | undefined => {
  if (first === "help" || isFlag(first)) return rest
  const isGroup = !commands.some((command) => nameOf(command) === first)
  return first !== undefined && isGroup && rest.every(isFlag) && rest.length <= 1 ? [first] : undefined
}

/** Help that no single command answers with its own `--help`; `undefined` when none is asked for. */
export const asked = (commands: ReadonlyArray<Command>, args: ReadonlyArray<string>): string | undefined => {
  const words = askedOf(commands, args)
  if (words === undefined) return undefined
  const found = commands.filter(startsWith(words))
  const [only, second] = found
  if (only === undefined) return undefined
  if (words.length === 0) return overview(commands)
  return second === undefined && only.path.length === words.length ? ofCommand(only) : ofGroup(found)
}
