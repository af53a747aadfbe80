/**
 * The execution state of one model request: a response is being waited for, being received, or over.
 *
 * A stream ends in `complete` or `aborted` and never in between; the index of the content block being presented exists
 * only once there is one, and never goes back. A step that the table forbids in a known state does not compile; in an
 * unknown state it is rejected, and the state is unchanged.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** `block`: the index, from 0, of the content block being presented. */
export type State =
  | { readonly _tag: "idle" }
  | { readonly _tag: "waitingForFirstChunk" }
  | { readonly _tag: "streaming"; readonly block: number }
  | { readonly _tag: "complete"; readonly block: number }
  /** `block` is null when it was aborted before the first chunk. */
  | { readonly _tag: "aborted"; readonly block: number | null; readonly reason: string }

/** Names a state. */
export type Tag = State["_tag"]
/** Narrows the state to one tag. */
export type InState<T extends Tag> = Extract<State, { readonly _tag: T }>

/** Tells the state what happened to the request or its response. */
export type Event =
  | { readonly _tag: "Request" }
  | { readonly _tag: "FirstChunk" }
  /** The next content block is presented; the same index again changes nothing. */
  | { readonly _tag: "Present"; readonly block: number }
  | { readonly _tag: "End" }
  | { readonly _tag: "Abort"; readonly reason: string }
  /** Makes ready for the next request. */
  | { readonly _tag: "Reset" }

/** Rows are events, columns states; what is not listed is forbidden. */
export const table = {
  Request: { idle: "waitingForFirstChunk" },
  FirstChunk: { waitingForFirstChunk: "streaming" },
  Present: { streaming: "streaming" },
  End: { streaming: "complete" },
  Abort: { waitingForFirstChunk: "aborted", streaming: "aborted" },
  Reset: { complete: "idle", aborted: "idle" }
} as const satisfies Record<Event["_tag"], Partial<Record<Tag, Tag>>>

type Table = typeof table
type Permitted<T extends Tag> = T extends Tag
  ? { [E in keyof Table]: T extends keyof Table[E] ? E : never }[keyof Table]
  : never
type Reached<E extends keyof Table, T extends Tag> = E extends keyof Table
  ? T extends keyof Table[E]
    ? Table[E][T] & Tag
    : never
  : never

/** An event that is legal in a state; of an unknown state, every event that is legal in any. */
export type PermittedEvent<T extends Tag> = Extract<Event, { readonly _tag: Permitted<T> }>

/** A step was refused; the state is unchanged. */
export class StreamingRejected extends Schema.TaggedError<StreamingRejected>()("StreamingRejected", {
  state: Schema.String,
  event: Schema.String
}) {
  override get message() {
    return `${this.event} is not possible while the response is ${this.state}`
  }
}

/** The state before the first request. */
export const initial: InState<"idle"> = { _tag: "idle" }

/** Something of the response had arrived, and its end has not: what is there is all there will be once it is aborted. */
export const isCutOff = (state: State): boolean =>
  state._tag === "streaming" || (state._tag === "aborted" && state.block !== null)

const blockOf = (state: State): number | null => ("block" in state ? state.block : null)

const apply = (state: State, event: Event): State | undefined => {
  switch (event._tag) {
    case "Request":
      return { _tag: "waitingForFirstChunk" }
    case "FirstChunk":
      return { _tag: "streaming", block: 0 }
    case "Present": {
      const block = blockOf(state) ?? 0
      if (!Number.isInteger(event.block) || event.block < block) return undefined
      return event.block === block ? state : { _tag: "streaming", block: event.block }
    }
    case "End":
      return { _tag: "complete", block: blockOf(state) ?? 0 }
    case "Abort":
      return { _tag: "aborted", block: blockOf(state), reason: event.reason }
    case "Reset":
      return initial
  }
}

/** The state after an event. Errors: forbidden in this state, or a block before the one being presented. */
export const step = <T extends Tag, E extends PermittedEvent<T>>(
  state: InState<T> & { readonly _tag: T },
  event: E
): Result.Result<InState<Reached<E["_tag"], T>>, StreamingRejected> => {
  const before: State = state
  const next = before._tag in table[event._tag] ? apply(before, event) : undefined
  return next === undefined
    ? Result.fail(new StreamingRejected({ state: before._tag, event: event._tag }))
    : Result.succeed(next as InState<Reached<E["_tag"], T>>)
}

/** `step` for a state that is not known at compile time. */
export const stepAny = (state: State, event: Event): Result.Result<State, StreamingRejected> =>
  step<Tag, Event & PermittedEvent<Tag>>(state, event)
