/** The entries of `commands.allow` and `commands.deny` against the programs that a command runs. */
import type { Approvals } from "../Approvals.ts"
import type { CommandFact } from "../CommandFact.ts"
import type { Action } from "../CommandReading.ts"
import { ask, deny, type Verdict } from "../Decision.ts"
import { factsOf, isGuess } from "./commandFacts.ts"
import { quote } from "./quote.ts"

type Words = ReadonlyArray<string>

const plain = /^[\p{L}\p{N}_./@%+,:=~[\]-]+(?: [\p{L}\p{N}_./@%+,:=~[\]-]+)*$/u

/** What stands before a text of plain words makes the entry that text and nothing else. */
const mark = "="

/** An entry of plain words is a rule for arguments; any other entry is its exact text and nothing else. */
const wordsOf = (entry: string): Words | undefined =>
  plain.test(entry) && !entry.startsWith(mark) && !/(?:^| )~/.test(entry) ? entry.split(" ") : undefined

/** The one text that an entry names. */
export const textOf = (entry: string): string => (entry.startsWith(mark) ? entry.slice(mark.length) : entry)

/** The entry for this text and no other. */
export const exactly = (text: string): string =>
  wordsOf(text) === undefined && !text.startsWith(mark) ? text : `${mark}${text}`

/** Whether an entry of `commands.allow` covers its own text and no other. */
export const isExact = (entry: string): boolean => wordsOf(entry) === undefined

const begins = (argv: Action["argv"], words: Words): boolean => words.every((word, index) => argv[index] === word)

const isKnown = (action: Action, command: CommandFact): boolean =>
  action.targets.every((index) => {
    const target = command.reading.targets[index]
    return target === undefined || isGuess(target) || factsOf(command, index).length > 0
  })

const isCovered = (at: number, command: CommandFact, rules: ReadonlyArray<Words>): boolean => {
  const { actions } = command.reading
  const action = actions[at]
  if (action === undefined || action.argv.includes(null) || !isKnown(action, command)) return false
  return rules.some((rule) => {
    if (!begins(action.argv, rule) || !action.hazards.every((hazard) => hazard.at < rule.length)) return false
    return actions.every((inner, index) => {
      if (inner.parent !== at || inner.from < 0) return true
      return isCovered(index, command, inner.from < rule.length ? [...rules, rule.slice(inner.from)] : rules)
    })
  })
}

const rulesOf = ({ commands }: Approvals): ReadonlyArray<Words> =>
  commands.allow.flatMap((entry) => [wordsOf(entry) ?? []].filter((words) => words.length > 0))

/** The actions that no rule covers, by index; those that others run are part of them. */
export const uncovered = (command: CommandFact, approvals: Approvals): ReadonlyArray<number> => {
  const rules = rulesOf(approvals)
  return command.reading.actions.flatMap((action, index) =>
    action.parent !== -1 || isCovered(index, command, rules) ? [] : [index]
  )
}

/** True when rules cover every program of the command, and nothing else can happen. */
export const isAllowed = (command: CommandFact, approvals: Approvals): boolean =>
  command.reading.form === "plain" && command.reading.actions.length > 0 && uncovered(command, approvals).length === 0

const baseName = (program: string): string => (program.split("/").at(-1) ?? "").toLowerCase().replace(/\.exe$/, "")

const isDenied = (argv: Action["argv"], entry: Words): boolean =>
  entry.every((word, index) => {
    const own = argv[index]?.toLowerCase()
    return own === word.toLowerCase() || (index === 0 && own !== undefined && baseName(own) === word.toLowerCase())
  })

const mayBeDenied = ({ argv, readOnly }: Action, entry: Words): boolean =>
  entry.some((_, index) => argv[index] === null) ||
  (!readOnly && argv.some((_, index) => index > 0 && isDenied(argv.slice(index), entry)))

/** What `commands.deny` says: it stops, or it cannot be told whether it has to. */
export const stopped = (command: CommandFact, { commands }: Approvals): Verdict | undefined => {
  const { actions, form } = command.reading
  const entries = commands.deny.map((entry) => [entry, wordsOf(entry) ?? textOf(entry).split(/\s+/)] as const)
  const found = entries.find(
    ([entry, words]) =>
      textOf(entry) === command.text || actions.some(({ argv }) => argv.length > 0 && isDenied(argv, words))
  )
  if (found !== undefined) return deny("commands.deny", `${quote(found[0])} is in commands.deny.`)
  const doubtful =
    entries.length > 0 &&
    (form !== "plain" || entries.some(([, words]) => actions.some((action) => mayBeDenied(action, words))))
  return doubtful
    ? ask("commands.deny", "Whether the command runs a program of commands.deny cannot be told.")
    : undefined
}

/** The shortest rule that would cover an action, or the exact text of the command where none can. */
const ruleFor = (action: Action, text: string): string => {
  const needed = Math.max(1, ...action.hazards.map(({ at }) => at + 1))
  const words = action.argv.slice(
    0,
    Math.max(needed, action.argv.length > 1 && needed === 1 && isVerb(action) ? 2 : needed)
  )
  const rule = words.join(" ")
  return needed <= action.argv.length && !words.includes(null) && plain.test(rule) ? rule : text
}

/** Of programs such as git or npm the rule names what they are to do. */
const isVerb = ({ argv, readOnly }: Action): boolean =>
  !readOnly &&
  /^[a-z][a-z-]*$/.test(argv[1] ?? "") &&
  /^(?:git|npm|pnpm|yarn|cargo|go|docker|make|gh)$/.test(argv[0] ?? "")

/** Rules that a user could add to `commands.allow`, so that the command would not ask for want of one. */
export const suggestions = (command: CommandFact, approvals: Approvals): ReadonlyArray<string> => {
  if (command.reading.form === "unreadable") return []
  if (command.reading.form === "compound") return [command.text]
  const rules = uncovered(command, approvals).flatMap((index) => {
    const { actions } = command.reading
    const all = actions.filter((action, at) => at === index || (action.parent === index && action.from >= 0))
    return all.map((action) => ruleFor(action, command.text))
  })
  return [...new Set(rules.includes(command.text) ? [command.text] : rules)]
}
