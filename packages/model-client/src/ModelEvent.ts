/**
 * What happens while a model answers, in order.
 *
 * A stream of events ends with `Finished` or fails. `Retrying` voids everything of this answer that came before it:
 * whoever showed deltas takes them back. A tool call leaves as `BlockFinished` only when its input is complete and is
 * valid JSON, and after that nothing is retried, so what it says may be acted on.
 */
import type { Message, Usage } from "@belay/message-state"
import type { ModelError } from "./ModelError.ts"

/** The service has begun to answer; `usage` is what it counted so far, as a rule of the prompt. Not every service tells. */
export interface Began {
  readonly _tag: "Began"
  readonly usage: Usage.Usage
}

/** `callId` and `name` are those of a tool call. */
export interface BlockStarted {
  readonly _tag: "BlockStarted"
  readonly index: number
  readonly type: string
  readonly callId?: string
  readonly name?: string
}

/** A piece of the text of the block `index`. */
export interface TextDelta {
  readonly _tag: "TextDelta"
  readonly index: number
  readonly text: string
}

/** A piece of the thought of the block `index`. */
export interface ThinkingDelta {
  readonly _tag: "ThinkingDelta"
  readonly index: number
  readonly text: string
}

/** A piece of a tool call's input; the pieces of a block joined are its JSON. */
export interface ToolInputDelta {
  readonly _tag: "ToolInputDelta"
  readonly index: number
  readonly json: string
}

/** The complete block with every field the service sent. */
export interface BlockFinished {
  readonly _tag: "BlockFinished"
  readonly index: number
  readonly block: Message.ContentBlock
}

/** Nothing of the answer has come for so many seconds. */
export interface Waiting {
  readonly _tag: "Waiting"
  readonly seconds: number
}

/** The answer starts again in `inMs` milliseconds, for the `try`th of at most `of` times. */
export interface Retrying {
  readonly _tag: "Retrying"
  readonly try: number
  readonly of: number
  readonly reason: ModelError
  readonly inMs: number
}

/**
 * A tool call whose arguments cannot be used: it is in the message with `{}`, so that it can be answered, and must not run.
 * `received` is what came of its JSON.
 */
export interface SpoiledCall {
  readonly callId: string
  readonly received: string
  /** Where and why the JSON is broken; without it the answer was cut off in the call. */
  readonly fault?: string
}

/** The last event. Calls with arguments that are cut off or are no JSON are in the message, and are named as spoiled. */
export interface Finished {
  readonly _tag: "Finished"
  readonly message: Message.Message
  readonly stopReason: string
  readonly spoiled: ReadonlyArray<SpoiledCall>
  readonly usage: Usage.Usage
  readonly model: string
}

/** One event of a stream. The last event of a stream that does not fail is `Finished`. */
export type ModelEvent =
  | Began
  | BlockStarted
  | TextDelta
  | ThinkingDelta
  | ToolInputDelta
  | BlockFinished
  | Waiting
  | Retrying
  | Finished
