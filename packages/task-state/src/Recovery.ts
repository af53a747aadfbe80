/**
 * How far a task is from needing a person: mistakes of the model in a row, and failures of the service.
 *
 * The fourth mistake in a row needs guidance; a success or the user's word starts the count again. A request that fails
 * is repeated once by itself, whatever its transport has tried already; the second failure needs the user. The state is
 * plain data, and every event leads to a state: one that says nothing to the present state leaves it as it is.
 */
import * as Schema from "effect/Schema"

/** Mistakes in a row that are let pass. */
export const threshold = 3

export const State = Schema.TaggedUnion({
  Working: {
    /** In a row. */
    mistakes: Schema.Natural.check(Schema.isLessThanOrEqualTo(threshold)),
    /** The request that is being made was repeated already. */
    didAutomaticallyRetry: Schema.Boolean
  },
  /** No request is made before the user has said something, or a call has succeeded. */
  NeedsGuidance: { mistakes: Schema.Natural.check(Schema.isGreaterThan(threshold)) },
  /** The request has failed twice. */
  NeedsService: { mistakes: Schema.Natural.check(Schema.isLessThanOrEqualTo(threshold)) }
})
export type State = typeof State.Type

export type Event =
  /** A request begins. */
  | { readonly _tag: "Request" }
  /** It got no answer, after its transport's own tries. */
  | { readonly _tag: "ServiceFailed" }
  /** A call that cannot be understood, an edit that failed, an answer without a call. */
  | { readonly _tag: "Mistake" }
  | { readonly _tag: "Success" }
  /** The user said something. */
  | { readonly _tag: "Input" }

export const initial: State = { _tag: "Working", mistakes: 0, didAutomaticallyRetry: false }

export const request: Event = { _tag: "Request" }
export const serviceFailed: Event = { _tag: "ServiceFailed" }
export const mistake: Event = { _tag: "Mistake" }
export const success: Event = { _tag: "Success" }
export const input: Event = { _tag: "Input" }

const counted = (state: State): State => {
  const mistakes = state.mistakes + 1
  if (mistakes > threshold) return { _tag: "NeedsGuidance", mistakes }
  return state._tag === "Working" ? { ...state, mistakes } : { _tag: "Working", mistakes, didAutomaticallyRetry: false }
}

/** The state after an event. */
export const step = (state: State, event: Event): State => {
  switch (event._tag) {
    case "Mistake":
      return counted(state)
    case "Success":
      return state._tag === "Working" ? { ...state, mistakes: 0 } : initial
    case "Input":
      return initial
    case "Request":
      return state._tag === "NeedsGuidance"
        ? state
        : { _tag: "Working", mistakes: state.mistakes, didAutomaticallyRetry: false }
    case "ServiceFailed":
      if (state._tag !== "Working") return state
      return state.didAutomaticallyRetry
        ? { _tag: "NeedsService", mistakes: state.mistakes }
        : { ...state, didAutomaticallyRetry: true }
  }
}

/** The state after events, from the beginning. */
export const replay = (events: Iterable<Event>): State => {
  let state: State = initial
  for (const event of events) state = step(state, event)
  return state
}
