/**
 * When a model is reminded of its checklist: a pure count of requests, so that it is neither forgotten nor nagged about.
 *
 * It is reminded with its first request in plan mode, after a switch to act mode, with the third request when there is no
 * list, and when the list has open items and was not updated for so many requests. A reminder starts the count again, and
 * so does an update. What a user changed is told at once and by itself, which counts as a reminder.
 */
import type { Item } from "./Item.ts"

/** Says which reminder is due. */
export type Kind =
  /** It plans: the plan's steps are a list. */
  | "plan"
  /** It may act from now on. */
  | "act"
  /** There is no list. */
  | "missing"
  /** The list was not updated for long. */
  | "stale"

/** Holds what decides on the next reminder, as plain data that is stored with the task. */
export interface State {
  /** Requests since the last update or reminder. */
  readonly requests: number
  /** With the next request, whatever the count. */
  readonly next: "plan" | "act" | undefined
  /** It was told that there is no list: the next time it waits as long as for any update. */
  readonly toldMissing: boolean
}

/** Without a list a model is reminded after so many requests. */
export const missingAfter = 2

/** Returns the state of a new task. In plan mode the first request carries a reminder. */
export const initial = (mode: "plan" | "act"): State => ({
  requests: 0,
  next: mode === "plan" ? "plan" : undefined,
  toldMissing: false
})

/** The model sent its list, or was told of another one. */
export const updated = (state: State): State => ({ ...state, requests: 0, toldMissing: false })

/** Returns the state after a switch of mode: the next request carries the reminder of this mode. */
export const switched = (state: State, mode: "plan" | "act"): State => ({ ...state, next: mode })

/** Gives the reminder the list and the limit of the settings. */
export interface Facts {
  readonly items: ReadonlyArray<Pick<Item, "state">>
  /** Requests without an update after which a list with open items is stale. */
  readonly staleAfter: number
}

const due = (state: State, { items, staleAfter }: Facts): Kind | undefined => {
  if (state.next !== undefined) return state.next
  if (items.length === 0) {
    return state.requests >= (state.toldMissing ? staleAfter : missingAfter) ? "missing" : undefined
  }
  return state.requests >= staleAfter && items.some((item) => item.state !== "done") ? "stale" : undefined
}

/** A request is about to be made: the reminder that comes with it, if any. */
export const request = (state: State, facts: Facts): { readonly state: State; readonly kind: Kind | undefined } => {
  const kind = due(state, facts)
  if (kind === undefined) return { state: { ...state, requests: state.requests + 1 }, kind }
  return { state: { requests: 1, next: undefined, toldMissing: state.toldMissing || kind === "missing" }, kind }
}
