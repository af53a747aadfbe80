/** The entries of `commands.allow` against the programs that a command runs. */
import type { Approvals } from "../Approvals.ts"
import type { CommandFact } from "../CommandFact.ts"
import type { Action, Hazard } from "../CommandReading.ts"
import { factsOf, isGuess } from "./commandFacts.ts"
import { harmless } from "./commandFloor.ts"

export type Words = ReadonlyArray<string>

const plain = /^[\p{L}\p{N}_./@%+,:=~[\]-]+(?: [\p{L}\p{N}_./@%+,:=~[\]-]+)*$/u

/** What stands before a text of plain words makes the entry that text and nothing else. */
const mark = "="

/** An entry of plain words is a rule for arguments; any other entry is its exact text and nothing else. */
export const wordsOf = (entry: string): Words | undefined =>
  plain.test(entry) && !entry.startsWith(mark) && !/(?:^| )~/.test(entry) ? entry.split(" ") : undefined

/** The one text that an entry names. */
export const textOf = (entry: string): string => (entry.startsWith(mark) ? entry.slice(mark.length) : entry)

/** The entry for this text and no other. */
export const exactly = (text: string): string =>
  wordsOf(text) === undefined && !text.startsWith(mark) ? text : `${mark}${text}`

/** Whether an entry of `commands.allow` covers its own text and no other. */
export const isExact = (entry: string): boolean => wordsOf(entry) === undefined

export const baseName = (program: string): string =>
  (program.split("/").at(-1) ?? "").toLowerCase().replace(/\.exe$/, "")

/** A task of Gradle in one of its projects: `:core:test`. */
const projectTask = /^(?::[\w.-]+)+$/

const begins = (argv: Action["argv"], words: Words): boolean =>
  words.every((word, index) => {
    const own = argv[index]
    if (index === 0 || own === word) return true
    const isTask = /(?:^|\/)gradlew?$/.test(argv[0] ?? "") && projectTask.test(own ?? "")
    return isTask && own?.endsWith(`:${word}`) === true
  })

/** A path in its shortest spelling, with a slash: `./a/b` and `a/b` are one program, `./a` and `a` are two. */
const spelt = (program: string): string => {
  if (!program.includes("/") || program.startsWith("/")) return program
  const parts = program.split("/").filter((part) => part !== "" && part !== ".")
  return parts.length === 1 ? `./${parts.join("")}` : parts.join("/")
}

/** Whether an entry names the program of an action: as it is written, or by where it lies. */
const names = (entry: string | undefined, action: Action, command: CommandFact): boolean => {
  const [program] = action.argv
  if (entry === undefined || typeof program !== "string") return false
  if (spelt(entry) === spelt(program)) return true
  return entry.startsWith("/") && isOwn(action, command) && ownFiles(action, command).includes(entry)
}

const ownFiles = ({ targets }: Action, command: CommandFact): ReadonlyArray<string> =>
  targets.flatMap((index) =>
    command.reading.targets[index]?.role === "program"
      ? (command.files[index] ?? []).flatMap(({ displayed, inside }) => (inside ? [displayed] : []))
      : []
  )

/** Programs of the project that the text calls by a bare name, as entries name them. */
export const byName = (command: CommandFact): ReadonlyArray<string> =>
  command.reading.actions.flatMap((action) => {
    const [program] = action.argv
    const files = action.targets.flatMap((index) => {
      const { path, role } = command.reading.targets[index] ?? {}
      return role === "program" && typeof path === "string" ? [path] : []
    })
    const isSpelt = files.every((file) => !file.startsWith("/") || command.text.includes(file))
    return typeof program === "string" && files.length > 0 && !isSpelt ? [program] : []
  })

/** Its program is a file of the workspace: code of the project. */
export const isOwn = (action: Action, command: CommandFact): boolean => ownFiles(action, command).length > 0

export const isKnown = (action: Action, command: CommandFact): boolean =>
  action.targets.every((index) => {
    const target = command.reading.targets[index]
    if (target === undefined || isGuess(target)) return true
    const facts = factsOf(command, index)
    return facts.length > 0 && (target.split !== true || facts.every(({ given }) => isWhole(given, target.path)))
  })

/** A name that stays one word when it is split and expanded; a pattern that matches nothing stays itself. */
const isWhole = (name: string, pattern: string | null): boolean =>
  /^[^-\s*?[\]\\][^\s*?[\]\\]*$/.test(name) || (name === pattern && !/^[-*?]|[\s\\]/.test(name))

/** A hazard that depends on a file counts unless it is sure that there is none. */
export const isActive = ({ where }: Hazard, command: CommandFact): boolean => {
  const facts = where === undefined ? [] : factsOf(command, where)
  return facts.length === 0 || facts.some(({ failure, kind }) => failure !== undefined || kind !== "absent")
}

/** The arguments without the flags that a rule may pass over. */
interface Bare {
  readonly argv: Action["argv"]
  /** Where an argument stands among those that are left. */
  readonly place: (index: number) => number
}

export const whole = ({ argv }: Action): Bare => ({ argv, place: (index) => index })

export const bare = (action: Action, hazards: ReadonlyArray<Hazard>): Bare => {
  const passed = (action.neutral ?? []).filter((index) => !hazards.some(({ at }) => at === index))
  const kept = action.argv.flatMap((_, index) => (passed.includes(index) ? [] : [index]))
  return {
    argv: kept.map((index) => action.argv[index] ?? null),
    place: (index) => (index >= action.argv.length ? index : kept.filter((at) => at < index).length)
  }
}

/** They read the machine: what runs on it, and whose it is. */
const machine =
  /^(?:id|whoami|who|w|users|groups|hostname|ps|pgrep|lsof|locale|arch|docker|podman|nerdctl|kubectl|oc|gh|glab|belay)$/

/** What a command needs no entry for. */
export const isFree = (action: Action, command: CommandFact, { commands, edit, read }: Approvals): boolean => {
  if (action.hazards.length > 0) return false
  // A redirection of a group, or a harmless variable for what follows: the rules for files decide.
  if (action.argv.length === 0) return command.reading.actions.some(({ argv }) => argv.length > 0)
  // What it prints goes to files that edits may make: the rules for files decide of each.
  const reads = action.readOnly || (action.redirects === true && edit === "allow")
  if (!reads || commands.readOnly === "ask" || read !== "allow") return false
  if (machine.test(baseName(action.argv[0] ?? ""))) return false
  return action.targets.every((index) => {
    const facts = factsOf(command, index)
    const target = command.reading.targets[index]
    return facts.every(
      ({ inside, kind }) =>
        inside || harmless.test(target?.path ?? "") || (target !== undefined && isGuess(target) && kind === "absent")
    )
  })
}

/** The obstacles to an action by the rule that comes closest; empty when one covers it. */
const obstacles = (
  at: number,
  command: CommandFact,
  rules: ReadonlyArray<Words>,
  approvals: Approvals
): ReadonlyArray<Obstacle> => {
  const { actions } = command.reading
  const action = actions[at]
  if (action === undefined) return [{ at }]
  const unknown = action.argv.findIndex((word) => word === null)
  if (unknown >= 0) return [{ at, unknown }]
  if (!isKnown(action, command)) return [{ at, unknown: -1 }]
  const hazards = action.hazards.filter((hazard) => isActive(hazard, command))
  const inside = (rule: Words, place: Bare["place"]) =>
    actions.flatMap((inner, index) => {
      if (inner.parent !== at || inner.from < 0) return []
      const from = place(inner.from)
      return obstacles(index, command, from < rule.length ? [...rules, rule.slice(from)] : rules, approvals)
    })
  const tried: Array<ReadonlyArray<Obstacle>> = []
  if (isFree(action, command, approvals)) tried.push(inside([], (index) => index))
  const forms = [whole(action), ...(action.neutral === undefined ? [] : [bare(action, hazards)])]
  for (const rule of rules) {
    if (!names(rule[0], action, command)) continue
    for (const { argv, place } of forms) {
      if (!begins(argv, rule)) continue
      const left = hazards.filter((hazard) => place(hazard.at) >= rule.length)
      tried.push([...left.map((hazard) => ({ at, hazard, rule })), ...inside(rule, place)])
    }
  }
  const [first, ...others] = tried
  if (first === undefined) return [{ at }]
  return others.reduce((best, next) => (next.length < best.length ? next : best), first)
}

/** What keeps the entries from covering a command. */
export interface Obstacle {
  /** The action. */
  readonly at: number
  /** The argument that no entry names, and the entry that comes closest. */
  readonly hazard?: Hazard
  readonly rule?: Words
  /** The argument whose value is not known; -1: a file of which it is not known which. */
  readonly unknown?: number
}

const scripts =
  /^(?:test|build|lint|typecheck|dev|format|check|start|e2e|coverage|unit|integration|preview|docs|generate|validate|verify)$/

/** A script of a package manager has two names, with `run` and without it. */
const spellings = (rule: Words): ReadonlyArray<Words> => {
  const [program = "", first = "", second = ""] = rule
  const short = program === "npm" ? /^test$/ : scripts
  if (!/^(?:npm|pnpm|yarn)$/.test(program)) return [rule]
  if (first === "run" && short.test(second)) return [rule, [program, ...rule.slice(2)]]
  return short.test(first) ? [rule, [program, "run", ...rule.slice(1)]] : [rule]
}

const none: ReadonlyArray<string> = []

const known = new WeakMap<ReadonlyArray<string>, ReadonlyArray<Words>>()

const rulesOf = (allow: ReadonlyArray<string>): ReadonlyArray<Words> => {
  const found = known.get(allow)
  if (found !== undefined) return found
  const rules = allow.flatMap((entry) => {
    const words = wordsOf(entry) ?? []
    return words.length > 0 ? spellings(words) : []
  })
  known.set(allow, rules)
  return rules
}

/** What is in the way of the rules, in the order of the text; `checks` are further entries. */
export const uncovered = (
  command: CommandFact,
  approvals: Approvals,
  checks: ReadonlyArray<string> = none
): ReadonlyArray<Obstacle> => {
  const rules = [...rulesOf(approvals.commands.allow), ...rulesOf(checks)]
  return command.reading.actions.flatMap((action, index) =>
    action.parent === -1 ? obstacles(index, command, rules, approvals) : []
  )
}

/** True when entries alone cover it. */
export const isListed = (command: CommandFact, approvals: Approvals): boolean =>
  isAllowed(command, { ...approvals, commands: { ...approvals.commands, readOnly: "ask" } })

/** True when rules cover every program of the command, and nothing else can happen. */
export const isAllowed = (command: CommandFact, approvals: Approvals, checks: ReadonlyArray<string> = none): boolean =>
  command.reading.form === "plain" &&
  command.reading.actions.length > 0 &&
  uncovered(command, approvals, checks).length === 0
