/** The files that a command names, through the rules for reads and edits. */
import type { Approvals } from "../Approvals.ts"
import type { CommandFact } from "../CommandFact.ts"
import type { Target } from "../CommandReading.ts"
import { ask, type Verdict, verdict } from "../Decision.ts"
import type { PathFact } from "../PathFact.ts"
import { belowSetting, judge, judgeWrite, leftOut, type Place } from "../PathRule.ts"
import { factsOf, isGuess } from "./commandFacts.ts"
import { harmless } from "./commandFloor.ts"
import { baseName } from "./commandRules.ts"
import { unknown } from "./commandOrder.ts"
import { quote } from "./quote.ts"

/** By what the command is allowed: its exact text stands for the user's yes to what it reads and writes. */
export type Standing = "exact" | "rule" | "other"

const read = (target: Target, fact: PathFact, approvals: Approvals, place: Place): ReadonlyArray<Verdict> => {
  const looksOutside = /^\/|(?:^|\/)\.\.(?:\/|$)/.test(target.path ?? "")
  if (isGuess(target) && (fact.inside || fact.failure !== undefined || (fact.kind === "absent" && !looksOutside)))
    return []
  return judge({ ...fact, access: "read" }, approvals, place)
}

/** Shows names and sizes, and not what is in files. */
const listers = /^(?:ls|find|fd|fdfind|tree|du|df|stat|file|test|\[|cd|pushd|realpath|readlink|git)$/

/** A file that `.belayignore` leaves out, or a folder of such files that is read as a whole. */
const hidden = (command: CommandFact, target: Target, index: number, fact: PathFact): ReadonlyArray<Verdict> => {
  if (fact.ignored === undefined || fact.kind === "absent") return []
  const action = command.reading.actions.find(({ targets }) => targets.includes(index))
  const lists = target.role !== "read" || listers.test(action?.argv[0]?.split("/").at(-1) ?? "")
  const verdict = fact.ignored === "below" && lists ? undefined : leftOut(fact)
  return verdict === undefined ? [] : [verdict]
}

/** These change or remove all that lies in a folder which they are given. */
const whole = /^(?:rm|rimraf|srm|wipe|trash|trash-put|del|gio|shred|find|chmod|chown|chgrp|mv|rsync|git)$/

/** What patterns keep below a folder that is changed as a whole. */
const kept = (
  command: CommandFact,
  target: Target,
  index: number,
  fact: PathFact,
  approvals: Approvals
): ReadonlyArray<Verdict> => {
  if (target.role !== "tree" || fact.kind !== "directory" || !fact.inside) return []
  const action = command.reading.actions.find(({ targets }) => targets.includes(index))
  if (!whole.test(action?.argv[0]?.split("/").at(-1) ?? "")) return []
  const setting = belowSetting(approvals, "edit", fact.relative)
  if (setting === undefined || setting === "allow") return []
  const reason = `The command may change what lies in ${quote(fact.given)}, of which a pattern in paths says: ${setting}.`
  return [verdict(setting, "command.writes", reason, ["task", "always"])]
}

const write = (
  target: Target,
  fact: PathFact,
  approvals: Approvals,
  place: Place,
  standing: Standing
): ReadonlyArray<Verdict> => {
  if (target.role === "entry" && fact.failure !== undefined) return []
  const mayHold = target.role === "write"
  const named = standing === "rule" && !target.redirected
  const verdicts = judgeWrite({ ...fact, access: "write" }, approvals, place, { regular: mayHold, named })
  return standing === "exact" ? verdicts.filter(({ decision }) => decision === "deny") : verdicts
}

/** What lies in a folder that is read as a whole. */
const below = (target: Target, fact: PathFact, approvals: Approvals): ReadonlyArray<Verdict> => {
  if (target.below === undefined || fact.kind !== "directory" || isGuess(target)) return []
  const found = fact.below ?? { more: true }
  const shown = quote(fact.given)
  const entries = target.role === "read" && fact.inside ? belowSetting(approvals, "read", fact.relative) : undefined
  const folder = fact.given.replace(/\/+$/, "")
  return [
    ...(entries === undefined || entries === "allow"
      ? []
      : [
          ask("path.pattern", `The command reads all of ${shown}, of which a pattern in paths says: ${entries}.`, [
            "task"
          ])
        ]),
    ...(found.outside === undefined
      ? []
      : [
          verdict(
            approvals.readOutside,
            "path.outside",
            `${quote(`${folder}/${found.outside}`)} leads out of the workspace.`,
            ["task"]
          )
        ]),
    ...(found.strange === undefined || !target.below.splits
      ? []
      : [
          ask(
            "command.opaque",
            `${quote(`${folder}/${found.strange}`)} is taken for several names, of which some may lie elsewhere.`,
            ["task"]
          )
        ]),
    ...(found.more === undefined
      ? []
      : [ask("path.kind", `What lies in ${shown} could not be looked at as a whole.`, ["task"])])
  ]
}

/** A name that nobody has looked for: whatever it leads to would be read. */
const unseen = (command: CommandFact, target: Target, index: number): ReadonlyArray<Verdict> =>
  target.path !== null && factsOf(command, index).length === 0
    ? [ask("command.opaque", `Which files ${quote(target.path)} means is not known.`, ["task"])]
    : []

/** What it reads is told by a file, by another program or by a variable: files anywhere, secret ones among them. */
const untold = (command: CommandFact, target: Target, index: number): ReadonlyArray<Verdict> => {
  if (target.role !== "read" || (target.path !== null && target.below?.anywhere !== true)) return []
  const program = command.reading.actions.find(({ targets }) => targets.includes(index))?.argv[0] ?? "a redirection"
  return listers.test(baseName(program))
    ? []
    : [
        ask("command.opaque", `Which files ${quote(program)} reads is not known, and secret ones may be among them.`, [
          "task"
        ])
      ]
}

/** A file that is read where an earlier program may have let its path lead elsewhere. */
const moved = (command: CommandFact, approvals: Approvals, place: Place): ReadonlyArray<Verdict> => {
  const isReadable = (fact: PathFact): boolean =>
    judge({ ...fact, access: "read" }, approvals, place).every(({ decision }) => decision === "allow")
  return unknown(command, isReadable).map(({ fact, program }) =>
    ask("command.order", `What ${quote(fact.given)} is cannot be told once ${quote(program)} has run.`, ["task"])
  )
}

export const filesOf = (
  command: CommandFact,
  approvals: Approvals,
  place: Place,
  standing: Standing
): ReadonlyArray<Verdict> => [
  ...(standing === "exact" ? [] : moved(command, approvals, place)),
  ...command.reading.targets.flatMap((target, index) => {
    if (target.role === "program" || harmless.test(target.path ?? "")) return []
    const facts = factsOf(command, index)
    if (target.role !== "read" && !isGuess(target)) {
      return facts.flatMap((fact) => [
        ...write(target, fact, approvals, place, standing),
        ...(standing === "exact" ? [] : kept(command, target, index, fact, approvals))
      ])
    }
    if (standing === "exact") return []
    return [
      ...unseen(command, target, index),
      ...untold(command, target, index),
      ...facts.flatMap((fact) => [
        ...hidden(command, target, index, fact),
        ...read(target, fact, approvals, place),
        ...below(target, fact, approvals)
      ])
    ]
  })
]
