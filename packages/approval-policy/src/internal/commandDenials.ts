/** The entries of `commands.deny` against the programs that a command runs, or may run. */
import type { Approvals } from "../Approvals.ts"
import type { CommandFact } from "../CommandFact.ts"
import type { Action } from "../CommandReading.ts"
import { ask, deny, type Verdict } from "../Decision.ts"
import { bare, textOf, whole, type Words, wordsOf } from "./commandRules.ts"
import { quote } from "./quote.ts"

/** By any path, with any ending of what Windows starts for a name. */
const baseName = (program: string): string =>
  (program.split(/[\\/]/).at(-1) ?? "").toLowerCase().replace(/\.(?:exe|com|cmd|bat|ps1)$/, "")

const isDenied = (argv: Action["argv"], entry: Words): boolean =>
  entry.every((word, index) => {
    const own = argv[index]?.toLowerCase()
    if (own === word.toLowerCase()) return true
    // The same program may be called by another path, or found by its name.
    return index === 0 && own !== undefined && baseName(own) === baseName(word)
  })

/** Flags between the words of an entry, each with a value or without one, hide nothing. */
const isSpread = (argv: Action["argv"], [first, ...rest]: Words): boolean => {
  if (first === undefined || !isDenied(argv, [first])) return false
  let at = 1
  for (const word of rest) {
    let skipped = false
    while (at < argv.length && argv[at]?.toLowerCase() !== word.toLowerCase()) {
      const isFlag = argv[at]?.startsWith("-") !== false
      if (!isFlag && !skipped) return false
      skipped = isFlag
      at++
    }
    if (at++ >= argv.length) return false
  }
  return true
}

/** A short name is part of many words; a long one is found in any. */
const isPiece = (text: string, name: string): boolean =>
  name.length > 3 ? text.includes(name) : text.split(/[^a-z0-9]+/).includes(name)

/** A word, or a piece of one, that names what must not run; what flags are given as text runs nothing. */
const holds = ({ argv, hazards, neutral = [] }: Action, [first = "", ...rest]: Words): boolean => {
  const name = baseName(first)
  const passed = neutral.filter((index) => !hazards.some(({ at }) => at === index))
  const texts = argv.map((word, index) => (passed.includes(index) && index > 0 ? "" : (word ?? "").toLowerCase()))
  const found = texts.findIndex((text, index) => index > 0 && isPiece(text, name))
  const behind = texts.slice(Math.max(found, 0)).join(" ")
  return found > 0 && rest.every((word) => behind.includes(word.toLowerCase()))
}

const mayBeDenied = (action: Action, entry: Words): boolean =>
  entry.some((_, index) => action.argv[index] === null) ||
  isSpread(action.argv, entry) ||
  (!(action.readOnly && action.hazards.length === 0) && holds(action, entry))

/** Whether it may run a program that its text does not name, and no entry says yes to it. */
const mayHide = ({ hazards, hidden }: Action): boolean =>
  hidden === true || hazards.some(({ kind }) => kind === undefined)

/** What `commands.deny` says: it stops, or it cannot be told whether it has to. `listed`: entries cover the command. */
export const stopped = (command: CommandFact, { commands }: Approvals, listed: boolean): Verdict | undefined => {
  const { actions, form } = command.reading
  const entries = commands.deny.map((entry) => [entry, wordsOf(entry) ?? textOf(entry).split(/\s+/)] as const)
  const found = entries.find(
    ([entry, words]) =>
      textOf(entry) === command.text ||
      actions.some(
        (action) =>
          action.argv.length > 0 &&
          [whole(action), bare(action, action.hazards)].some(({ argv }) => isDenied(argv, words))
      )
  )
  if (found !== undefined) return deny("commands.deny", `${quote(found[0])} is in commands.deny.`)
  if (entries.length === 0) return undefined
  const doubt = "Whether the command runs a program of commands.deny cannot be told"
  if (form !== "plain" || entries.some(([, words]) => actions.some((action) => mayBeDenied(action, words))))
    return ask("commands.deny", `${doubt}.`)
  const hider = listed ? undefined : actions.find(mayHide)
  return hider === undefined
    ? undefined
    : ask("commands.deny", `${doubt}: ${quote(hider.argv[0] ?? "a program")} may run others.`, ["task", "always"])
}
