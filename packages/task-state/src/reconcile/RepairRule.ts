/** The names of repairs. Histories that were written before have numbers, which are read as the names. */

/** By the number that older histories hold. */
const names = {
  R1: "ownerGone",
  R2b: "runnerGone",
  R3: "neverDelegated",
  R3b: "creatorGone",
  R4: "childNotStarted",
  R5: "nothingAwaited",
  R6: "childCompleted",
  R7: "childLost",
  R8: "recordMissing",
  R9: "recordDamaged",
  R13: "waitCircle",
  R14: "childOfAnother",
  R15: "notAChild",
  R28: "deletionUnfinished",
  R29: "callUnanswered"
} as const

/** Names the rule of a repair; `docs/lifecycle.md` says what each repairs. Stored repairs keep these names. */
export type RepairRule = (typeof names)[keyof typeof names]

const byNumber: ReadonlyMap<string, RepairRule> = new Map(Object.entries(names))

/** The name of a rule as it is stored; of older histories, for its number. What is neither is given back. */
export const ruleOf = (stored: string): string => byNumber.get(stored) ?? stored

/** Gives what a rule is stored as: its name, and in older histories its number. */
export const storedAs = (rule: RepairRule): ReadonlyArray<string> => [
  rule,
  ...[...byNumber].flatMap(([number, name]) => (name === rule ? [number] : []))
]
