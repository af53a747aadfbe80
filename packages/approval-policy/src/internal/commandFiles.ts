/** The files that a command names, through the rules for reads and edits. */
import type { Approvals } from "../Approvals.ts"
import type { CommandFact } from "../CommandFact.ts"
import type { Target } from "../CommandReading.ts"
import type { Verdict } from "../Decision.ts"
import type { PathFact } from "../PathFact.ts"
import { judge, judgeWrite, type Place } from "../PathRule.ts"
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
    return standing === "exact" ? [] : facts.flatMap((fact) => read(target, fact, approvals, place))
  })
