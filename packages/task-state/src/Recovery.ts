/**
 * How far a task is from needing a person: answers of the model in a row that brought nothing, and failures of the
 * service.
 *
 * An answer is at most one mistake, however many of its calls failed, and a success in it clears the count; it is counted
 * when it is over, so the model has read why before it is counted again. The fifth such answer in a row needs guidance; the
 * user's word starts the count again. A request that fails is repeated once by itself, whatever its transport has tried
 * already; the second failure needs the user. The state is plain data, and every event leads to a state: one that says
 * nothing to the present state leaves it as it is.
 */
import * as Schema from "effect/Schema"

/** Answers without progress in a row that are let pass. */
export const threshold = 4

/** What is known of the mistakes in a row. */
const counted = {
  /** What the answer that is carried out has brought so far. */
  answer: Schema.Literals(["nothing", "mistake", "success"]),
  /** The last mistake in a few words; empty before the first. */
  why: Schema.String,
  /** Answers in a row that made this same one. */
  times: Schema.Natural
}

const passed = Schema.Natural.check(Schema.isLessThanOrEqualTo(threshold))

/** The state of one task. `mistakes` counts answers in a row; only `Working` allows a request. */
export const State = Schema.TaggedUnion({
  Working: {
    /** Answers in a row. */
    mistakes: passed,
    ...counted,
    /** The request that is being made was repeated already. */
    didAutomaticallyRetry: Schema.Boolean
  },
  /** No request is made before the user has said something. */
  NeedsGuidance: { mistakes: Schema.Natural.check(Schema.isGreaterThan(threshold)), ...counted },
  /** The request has failed twice. */
  NeedsService: { mistakes: passed, ...counted }
})
export type State = typeof State.Type

/** Tells the state what happened. Every event is legal in every state. */
export type Event =
  /** A request begins. */
  | { readonly _tag: "Request" }
  /** It got no answer, after its transport's own tries. */
  | { readonly _tag: "ServiceFailed" }
  /** A call of the answer brought nothing, or it had none; `why` in a few words. */
  | { readonly _tag: "Mistake"; readonly why: string }
  | { readonly _tag: "Success" }
  /** All calls of the answer are settled. */
  | { readonly _tag: "AnswerOver" }
  /** The user said something. */
  | { readonly _tag: "Input" }

/** The state of a task that has made no mistake. */
export const initial: State = {
  _tag: "Working",
  mistakes: 0,
  answer: "nothing",
  why: "",
  times: 0,
  didAutomaticallyRetry: false
}

/** The event that a request begins. */
export const request: Event = { _tag: "Request" }
/** The event that the model service gave no answer, after all tries of its transport. */
export const serviceFailed: Event = { _tag: "ServiceFailed" }
/** Makes the event that a call brought nothing, with the reason in a few words. */
export const mistake = (why: string): Event => ({ _tag: "Mistake", why })
/** The event that a call brought something. */
export const success: Event = { _tag: "Success" }
/** The event that every call of an answer has its result. */
export const answerOver: Event = { _tag: "AnswerOver" }
/** The event that a person said something. */
export const input: Event = { _tag: "Input" }

/** The first mistake of an answer is the one that is named. */
const mistaken = (state: State, why: string): State =>
  state.answer === "nothing"
    ? { ...state, answer: "mistake", why, times: why === state.why ? state.times + 1 : 1 }
    : state

const over = (state: State): State => {
  if (state._tag === "NeedsGuidance" || state.answer === "nothing") return { ...state, answer: "nothing" }
  if (state.answer === "success") return initial
  const mistakes = state.mistakes + 1
  const { times, why } = state
  return mistakes > threshold
    ? { _tag: "NeedsGuidance", mistakes, answer: "nothing", why, times }
    : { _tag: "Working", mistakes, answer: "nothing", why, times, didAutomaticallyRetry: false }
}

/** The state after an event. */
export const step = (state: State, event: Event): State => {
  switch (event._tag) {
    case "Mistake":
      return mistaken(state, event.why)
    case "Success":
      return { ...state, answer: "success" }
    case "AnswerOver":
      return over(state)
    case "Input":
      return initial
    case "Request": {
      if (state._tag === "NeedsGuidance") return state
      const { answer, mistakes, times, why } = state
      return { _tag: "Working", mistakes, answer, why, times, didAutomaticallyRetry: false }
    }
    case "ServiceFailed": {
      if (state._tag !== "Working") return state
      const { answer, mistakes, times, why } = state
      return state.didAutomaticallyRetry
        ? { _tag: "NeedsService", mistakes, answer, why, times }
        : { ...state, didAutomaticallyRetry: true }
    }
  }
}

/** The state after events, from the beginning. */
export const replay = (events: Iterable<Event>): State => {
  let state: State = initial
  for (const event of events) state = step(state, event)
  return state
}
