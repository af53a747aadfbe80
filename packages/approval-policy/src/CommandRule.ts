/**
 * Judges one command by what the grammar reads in it. `judge` is the only way in.
 *
 * An entry of `commands.allow` is a program with its leading arguments: it covers further arguments that neither run a
 * program nor write a file of their own. All programs of a plain command must be covered; what is not plain, and what no
 * entry covers, follows `commands.other`, unless its exact text is listed. `commands.deny` stops a program wherever it
 * runs. The hard floor asks in every case.
 */
import type { Approvals } from "./Approvals.ts"
import type { Check, CommandFact } from "./CommandFact.ts"
import type { CommandReading, Target } from "./CommandReading.ts"
import { allow, ask, deny, type Verdict, verdict } from "./Decision.ts"
import { stopped } from "./internal/commandDenials.ts"
import { filesOf, type Standing } from "./internal/commandFiles.ts"
import { floor, isRemote, opaque, unpacked } from "./internal/commandFloor.ts"
import * as rules from "./internal/commandRules.ts"
import { deceptive, quote } from "./internal/quote.ts"
import type { PathFact } from "./PathFact.ts"
import type { Place } from "./PathRule.ts"
import * as ProtectedPath from "./ProtectedPath.ts"

/** Longer commands are not read: they ask. In UTF-8 bytes. */
export const maximumBytes = 8192

/** Says whether an entry of `commands.allow` covers its own text and no other, rather than further arguments as well. */
export const isExact: (entry: string) => boolean = rules.isExact

/** The text that an exact entry covers. */
export const exactText: (entry: string) => string = rules.textOf

const isLong = (text: string): boolean =>
  text.length > maximumBytes / 3 && new TextEncoder().encode(text).length > maximumBytes

const invalid = (text: string): Verdict | undefined =>
  text.trim() === ""
    ? deny("invalid", "The command is empty.")
    : text.includes("\0")
      ? deny("invalid", "The command contains a NUL character.")
      : undefined

/** Line breaks and tabs are layout that a prompt shows; everything else that cannot be seen asks. */
const unreadable = ({ reading, text }: CommandFact): ReadonlyArray<Verdict> => {
  if (isLong(text)) return [ask("command.length", `The command is longer than ${maximumBytes} bytes.`)]
  if (deceptive.test(text.replace(/[\n\t]/g, " "))) {
    return [ask("command.unreadable", `The command contains characters that cannot be seen: ${quote(text)}.`)]
  }
  return reading.form === "unreadable"
    ? [ask("command.unreadable", `The command could not be read: ${reading.why}.`)]
    : []
}

const folder = ({ cwd }: CommandFact, place: Place): ReadonlyArray<Verdict> => {
  if (cwd.failure !== undefined || /\0/.test(cwd.given + cwd.resolved)) {
    return [deny("path.unresolved", `The folder ${quote(cwd.given)} of the command could not be resolved.`)]
  }
  const found = ProtectedPath.matchFact({ ...cwd, access: "write" }, place)
  return [
    ...(found === undefined ? [] : [ask(found.rule, found.reason)]),
    ...(cwd.inside
      ? []
      : [ask("command.cwd", `The command would run in ${quote(cwd.resolved)}, outside the workspace.`)])
  ]
}

const programOf = ({ argv }: CommandReading["actions"][number]): string =>
  (argv[0]?.split("/").at(-1) ?? "").toLowerCase().replace(/\.exe$/, "")

/** A repository's own settings make git run what they name, also where it only reads. */
const configured = ({ gitPrograms = [], reading }: CommandFact): ReadonlyArray<Verdict> => {
  if (gitPrograms.length === 0) return []
  const hasGit = reading.actions.some((action) => programOf(action) === "git")
  const shown = gitPrograms.slice(0, 3).map(quote).join(", ")
  return hasGit ? [ask("command.git", `Settings of the repository make git run programs: ${shown}.`, ["task"])] : []
}

const shownNames = 5

/** In a sandbox git could switch only half of such a work tree; outside of it these names decide what later commands do. */
const moved = ({ gitChanges }: CommandFact): ReadonlyArray<Verdict> => {
  if (gitChanges === undefined) return []
  const { known, names, signed } = gitChanges
  if (signed === true) return [ask("command.git", "Git would start a program that checks the signature of a tag.")]
  if (names.length === 0) {
    return known ? [] : [ask("command.git", "It cannot be told which protected names git would change.")]
  }
  const more = names.length > shownNames ? ` and ${names.length - shownNames} more` : ""
  const shown = names.slice(0, shownNames).map(quote).join(", ")
  return [ask("command.git", `Git would change protected names: ${shown}${more}.`)]
}

/** Programs of the project that the command calls by a bare name, as entries name them. */
export const byName: (command: CommandFact) => ReadonlyArray<string> = rules.byName

const standingOf = (command: CommandFact, approvals: Approvals): Standing =>
  // A name in an exact text is that of the system's program. Plain words are a rule, also for a command of just these.
  approvals.commands.allow.some((entry) => isExact(entry) && exactText(entry) === command.text) &&
  byName(command).length === 0
    ? "exact"
    : rules.isAllowed(command, approvals) || checked(command, approvals) !== undefined
      ? "rule"
      : "other"

/** An earlier program of the line may put another one where a later one is looked for first. */
const displaced = ({ reading, searchedFirst = [] }: CommandFact): ReadonlyArray<Verdict> => {
  const [folder] = searchedFirst
  if (folder === undefined || !reading.actions.some(({ readOnly }) => !readOnly)) return []
  const running = reading.actions.filter(({ argv }) => argv.length > 0).map(({ parent }) => parent)
  // Those that one runs come one after the other, as those of the text do.
  if (new Set(running).size === running.length) return []
  const reason = `PATH begins with ${quote(folder)} of the workspace, and what an earlier part makes there may run instead.`
  return [ask("command.order", reason, ["task"])]
}

/** The checks of the project that cover the command where no entry does; nothing where they do not, or are none. */
const checked = (command: CommandFact, approvals: Approvals): ReadonlyArray<Check> | undefined => {
  const found = command.checks?.found ?? []
  if (approvals.commands.checks !== "allow" || found.length === 0 || rules.isAllowed(command, approvals))
    return undefined
  const entries = (checks: ReadonlyArray<Check>) => checks.map(({ entry }) => entry)
  const kept = found.filter(({ changed }) => changed === undefined)
  if (rules.isAllowed(command, approvals, entries(kept))) return []
  return rules.isAllowed(command, approvals, entries(found))
    ? found.filter(({ changed }) => changed !== undefined)
    : undefined
}

/** A check of the project runs in the sandbox; what it runs is what a person had it run. */
const ofCheck = (command: CommandFact, changed: ReadonlyArray<Check>): Verdict => {
  const shown = quote(command.text)
  const used = changed.find(({ entry }) => command.reading.actions.some(({ argv }) => argv[0] === entry.split(" ")[0]))
  const file = (used ?? changed[0])?.changed
  if (file !== undefined)
    return ask("commands.checks", `${quote(file)} says what ${shown} runs, and this task has changed it.`)
  const { agreed = false, confined = false } = command.checks ?? {}
  if (confined) return allow("commands.checks", "It is a check of the project, and runs in the sandbox.")
  return agreed
    ? allow("commands.checks", "You allowed this check of the project in this task.")
    : ask("commands.checks", `${shown} is a check of the project, and there is no sandbox for it: it asks once.`, [
        "task",
        "always"
      ])
}

const isText = (text: unknown): text is string => typeof text === "string"

/** A program that runs whatever it is given matters more than who gives it. */
const isBlind = ({ argv, hazards, hidden }: CommandReading["actions"][number]): boolean =>
  hidden === true && hazards.some(({ at }) => at >= argv.length)

/** Itself, or through what it runs. */
const leads = (from: number, to: number, { actions }: CommandReading): boolean => {
  for (let at = to; at >= 0; at = actions[at]?.parent ?? -1) if (at === from) return true
  return false
}

const gravest = (found: ReadonlyArray<rules.Obstacle>, reading: CommandReading): rules.Obstacle | undefined => {
  const blind = reading.actions.findIndex(
    (action, at) => isBlind(action) && found.some((obstacle) => leads(obstacle.at, at, reading))
  )
  return blind < 0 ? found[0] : (found.find(({ at }) => at === blind) ?? { at: blind })
}

/** What keeps the rules from covering the command, in a few words: the first thing that no entry covers. */
const obstacle = (command: CommandFact, approvals: Approvals): string => {
  const { actions, form, why } = command.reading
  if (form !== "plain") return `${quote(command.text)} is more than rules can cover: ${why}`
  const first = gravest(rules.uncovered(command, approvals), command.reading)
  const action = actions[first?.at ?? 0]
  const words = action?.argv.filter(isText) ?? []
  const shown = quote(words.length > 0 && actions.length > 1 ? words.join(" ") : command.text)
  if (first?.unknown !== undefined) {
    return `No entry covers ${shown}: what ${first.unknown < 0 ? "it names" : "one of its words stands for"} is not known`
  }
  // A hazard that no entry can name decides, whatever is listed.
  const hazard = first?.hazard ?? action?.hazards.find(({ at }) => at >= (action?.argv.length ?? 0))
  if (hazard === undefined) return `No entry lists ${shown}`
  return first?.rule === undefined
    ? `No entry can cover ${shown}: ${hazard.why}`
    : `An entry for ${quote(action?.argv[0] ?? "")} does not cover ${shown}: ${hazard.why}`
}

/** That a program is code of the project, which a name does not show. */
const projectOf = (command: CommandFact): string => {
  const own = command.reading.actions.find((action) => rules.isOwn(action, command))?.argv[0]
  return typeof own === "string" ? ` (${quote(own)} is a program of the project)` : ""
}

const listed = (command: CommandFact, approvals: Approvals, standing: Standing): Verdict => {
  const { text } = command
  const stops = stopped(command, approvals, standing !== "other")
  if (stops?.decision === "deny") return stops
  if (standing === "exact") return allow("commands.allow", `${quote(text)} is in commands.allow.`)
  const changed = stops === undefined ? checked(command, approvals) : undefined
  if (changed !== undefined) return ofCheck(command, changed)
  const { other } = approvals.commands
  if (standing === "rule" && stops === undefined && (approvals.commands.allow.length > 0 || other !== "allow")) {
    return isReadOnly(command) && !rules.isListed(command, approvals)
      ? allow("commands.readOnly", "Every program of the command only reads, and only in the workspace.")
      : allow("commands.allow", "Every program of the command is in commands.allow.")
  }
  if (standing === "rule" && stops !== undefined) return stops
  const grants = ["task", "always"] as const
  const reason = `${obstacle(command, approvals)}${projectOf(command)}; others: ${other}.`
  const general = verdict(other, "commands.other", reason, grants)
  if (general.decision !== "allow") return general
  if (stops !== undefined) return stops
  return isRemote(command) ? ask("command.remote", `${quote(text)} may change other machines.`, grants) : general
}

/** Every verdict on a command; the strictest holds. */
export const judge = (command: CommandFact, approvals: Approvals, place: Place): ReadonlyArray<Verdict> => {
  const wrong = invalid(command.text)
  if (wrong !== undefined) return [wrong]
  if (command.files.length !== command.reading.targets.length) {
    return [deny("invalid", "The files of the command were not looked at.")]
  }
  const standing = standingOf(command, approvals)
  return [
    ...folder(command, place),
    ...unreadable(command),
    ...floor(command, place),
    ...(standing === "exact" ? [] : configured(command)),
    ...moved(command),
    ...(standing === "exact" ? [] : displaced(command)),
    listed(command, approvals, standing),
    ...(standing === "exact" ? [] : [...opaque(command), ...unpacked(command)]),
    ...filesOf(command, approvals, place, standing)
  ]
}

/** True when the command changes nothing, as far as its text says, and its text says all. */
export const isReadOnly = ({ reading }: Pick<CommandFact, "reading">): boolean =>
  reading.form === "plain" && reading.actions.length > 0 && reading.actions.every(({ readOnly }) => readOnly)

/** A check of the project that no entry covers, whatever has become of the files that decide about it. */
export const isCheck = (command: CommandFact, approvals: Approvals): boolean =>
  checked(command, approvals) !== undefined

/** Entries for `commands.allow` after which the command would not ask for want of one, the narrowest of use. */
export { suggestions } from "./internal/commandSuggestions.ts"

/** The programs that the command runs, as they are written, as far as they are known. */
export const programs = ({ reading }: CommandFact): ReadonlyArray<string> =>
  reading.actions.flatMap(({ argv }) => (typeof argv[0] === "string" ? [argv[0]] : []))

const isRead = (role: Target["role"]): boolean =>
  role === "read" || role === "mention" || role === "output" || role === "program"

/** These are files only if there are any. */
const isGuess = (role: Target["role"]): boolean =>
  role === "mention" || role === "output" || role === "entry" || role === "program"

/** The files that the command names and where they lead; a word that only may be a name counts when it is one. */
export const files = ({ files, reading }: CommandFact): ReadonlyArray<PathFact> =>
  reading.targets.flatMap(({ role }, index) =>
    (files[index] ?? []).flatMap((fact) =>
      isGuess(role) && (fact.kind === "absent" || fact.failure !== undefined)
        ? []
        : [{ ...fact, access: isRead(role) ? ("read" as const) : ("write" as const) }]
    )
  )
