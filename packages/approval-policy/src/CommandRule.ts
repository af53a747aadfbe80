/**
 * Judges one command. `judge` is the only way in: whatever is learnt about commands later grows here.
 *
 * An entry of `commands.allow` allows its exact text and nothing else. An entry of `commands.deny` stops its exact text
 * and every command that begins with its words; where a denied program might be hidden in the text, it asks. What no
 * entry matches follows `commands.other`. The hard floor asks in every case, listed or not.
 */
import type { Approvals } from "./Approvals.ts"
import type { CommandFact } from "./CommandFact.ts"
import { allow, ask, deny, type Verdict, verdict } from "./Decision.ts"
import { floor, literalWrites, opaque } from "./internal/commandFloor.ts"
import { type Context, contextOf, isInside, relativeOf } from "./internal/commandTarget.ts"
import { baseName, segments } from "./internal/commandText.ts"
import { deceptive, quote } from "./internal/quote.ts"
import { judgeText, type Place } from "./PathRule.ts"
import * as ProtectedPath from "./ProtectedPath.ts"

export { isReadOnly } from "./internal/readOnlyCommand.ts"

/** Longer commands are not read: they ask. In UTF-8 bytes. */
export const maximumBytes = 8192

const bytes = (text: string): number => new TextEncoder().encode(text).length

const invalid = (text: string): Verdict | undefined =>
  text.trim() === ""
    ? deny("invalid", "The command is empty.")
    : text.includes("\0")
      ? deny("invalid", "The command contains a NUL character.")
      : undefined

/** Line breaks and tabs are layout that a prompt shows; everything else that cannot be seen asks. */
const unreadable = (text: string): ReadonlyArray<Verdict> => [
  ...(deceptive.test(text.replace(/[\n\t]/g, " "))
    ? [ask("command.unreadable", `The command contains characters that cannot be seen: ${quote(text)}.`)]
    : []),
  ...(bytes(text) > maximumBytes ? [ask("command.length", `The command is longer than ${maximumBytes} bytes.`)] : [])
]

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

const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase())

const plain = /^[A-Za-z0-9_./:@%+,=\s-]+$/

const startsWith = (words: ReadonlyArray<string>, entry: ReadonlyArray<string>): boolean =>
  entry.every((word, index) => words[index] === word || (index === 0 && baseName(words[0] ?? "") === word))

const denied = (text: string, entries: ReadonlyArray<string>): Verdict | undefined => {
  const words = wordsOf(text)
  const found = entries.find((entry) => entry === text || startsWith(words, wordsOf(entry)))
  if (found !== undefined) return deny("commands.deny", `${quote(found)} is in commands.deny.`)
  const hidden = entries.some((entry) =>
    words.some((_, index) => index > 0 && startsWith(words.slice(index), wordsOf(entry)))
  )
  return entries.length > 0 && (hidden || !plain.test(text))
    ? ask("commands.deny", "Whether the command runs a program of commands.deny cannot be told.")
    : undefined
}

/** True when an entry of `commands.allow` is exactly this text and no entry of `commands.deny` stops it. */
export const isListed = (text: string, approvals: Approvals): boolean =>
  approvals.commands.allow.includes(text) && denied(text, approvals.commands.deny)?.decision !== "deny"

/** Programs that change something on other machines; a general allow does not reach so far, an exact entry does. */
const remote = /^(?:kubectl|oc|helm|terraform|tofu|pulumi|aws|gcloud|az|ansible(?:-playbook)?)$/

const listed = (text: string, { commands }: Approvals): Verdict => {
  const stopped = denied(text, commands.deny)
  if (stopped?.decision === "deny") return stopped
  if (commands.allow.includes(text)) return allow("commands.allow", `${quote(text)} is in commands.allow.`)
  const other = verdict(commands.other, "commands.other", `No entry lists ${quote(text)}; others: ${commands.other}.`, [
    "task",
    "always"
  ])
  if (other.decision !== "allow") return other
  if (stopped !== undefined) return stopped
  return text.split(/[\s;|&()`]+/).some((word) => remote.test(baseName(word)))
    ? ask("command.remote", `${quote(text)} may change other machines.`, ["task", "always"])
    : other
}

/** An exact entry stands for the user's yes to what the command writes; only a denial of an edit rule stays. */
const writes = (exact: boolean, targets: ReadonlyArray<string>, context: Context, approvals: Approvals) =>
  targets
    .filter((target) => isInside(target, context, true))
    .map((target) => judgeText(relativeOf(target, context), context.command.cwd.insensitive, approvals))
    .filter(({ decision }) => decision === "deny" || (decision === "ask" && !exact))

/** Every verdict on a command; the strictest holds. */
export const judge = (command: CommandFact, approvals: Approvals, place: Place): ReadonlyArray<Verdict> => {
  const { text } = command
  const wrong = invalid(text)
  if (wrong !== undefined) return [wrong]
  const general = [...folder(command, place), ...unreadable(text), listed(text, approvals)]
  if (bytes(text) > maximumBytes) return general
  const parts = segments(text)
  const context = contextOf(command, place.workspace, parts)
  const targets = literalWrites(text, parts)
  const exact = isListed(text, approvals)
  return [
    ...general,
    ...floor(text, parts, context),
    ...(exact ? [] : opaque(text, parts)),
    ...writes(exact, targets, context, approvals)
  ]
}

/** The programs that a prompt can name: the first word, when it is a plain one. */
export const programs = (text: string): ReadonlyArray<string> => {
  const first = text.trim().split(/\s+/)[0] ?? ""
  return first !== "" && plain.test(first) && !first.includes("=") ? [first] : []
}
