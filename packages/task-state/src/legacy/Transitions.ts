/** Which changes of status the older shape permits. */
import type { LegacyStatus } from "./Item.ts"

const permitted: Readonly<Record<LegacyStatus, ReadonlyArray<LegacyStatus>>> = {
  active: ["delegated", "completed", "interrupted"],
  delegated: ["active", "interrupted"],
  interrupted: ["active", "completed"],
  completed: []
}

/** The older shape does not permit this change of status. */
export class InvalidTransitionError extends Error {
  readonly _tag = "InvalidTransitionError"
  readonly from: LegacyStatus
  readonly to: LegacyStatus
  constructor(from: LegacyStatus, to: LegacyStatus) {
    const next = permitted[from]
    const hint =
      next === undefined || next.length === 0 ? "it is final" : `from there it can become ${next.join(" or ")}`
    super(from === to ? `The task is ${from} already.` : `A task cannot go from ${from} to ${to}: ${hint}.`)
    this.name = "InvalidTransitionError"
    this.from = from
    this.to = to
  }
}

/** Throws `InvalidTransitionError` unless a task may go from one status to another; undefined is active. */
export const assertValidTransition = (from: LegacyStatus | undefined, to: LegacyStatus | undefined): void => {
  const [before, after] = [from ?? "active", to ?? "active"]
  if (!Object.hasOwn(permitted, before) || !permitted[before].includes(after)) {
    throw new InvalidTransitionError(before, after)
  }
}
