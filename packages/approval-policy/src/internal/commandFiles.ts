/** The files that a command names, through the rules for reads and edits. */
import type { Approvals } from "../Approvals.ts"
import type { CommandFact } from "../CommandFact.ts"
import type { Target } from "../CommandReading.ts"
import type { Verdict } from "../Decision.ts"
import type { PathFact } from "../PathFact.ts"
import { judge, judgeWrite, leftOut, type Place } from "../PathRule.ts"
import { harmless } from "./commandFloor.ts"

/** By what the command is allowed: its exact text stands for the user's yes to what it reads and writes. */
export type Standing = "exact" | "rule" | "other"

const read = (target: Target, fact: PathFact, approvals: Approvals, place: Place): ReadonlyArray<Verdict> => {
  const looksOutside = /^\/|(?:^|\/)\.\.(?:\/|$)/.test(target.path ?? "")
  if (
    target.role === "mention" &&
    (fact.inside || fact.failure !== undefined || (fact.kind === "absent" && !looksOutside))
  )
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

export const filesOf = (
  command: CommandFact,
  approvals: Approvals,
  place: Place,
  standing: Standing
): ReadonlyArray<Verdict> =>
  command.reading.targets.flatMap((target, index) => {
    if (target.role === "program" || harmless.test(target.path ?? "")) return []
    const facts = command.files[index] ?? []
    if (target.role !== "read" && target.role !== "mention") {
      return facts.flatMap((fact) => write(target, fact, approvals, place, standing))
    }
    if (standing === "exact") return []
    return facts.flatMap((fact) => [...hidden(command, target, index, fact), ...read(target, fact, approvals, place)])
  })
