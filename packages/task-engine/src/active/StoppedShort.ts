/** An answer that the model or the service ended by itself, with nothing in it to go on from: it is not stored. */
import { Message } from "@belay/message-state"
import type { ModelEvent } from "@belay/model-client"
import * as Schema from "effect/Schema"

/** Characters of what the model said that are shown. */
const shown = 200

/**
 * `refusal`: the model does not answer this. `context`: there is no room left for an answer. `overflow`: the same, or the
 * prompt itself does not fit, and condensing has not helped.
 */
export class StoppedShort extends Schema.TaggedError<StoppedShort>()("StoppedShort", {
  reason: Schema.Literals(["refusal", "context", "overflow"]),
  model: Schema.String,
  /** What the model said, in one line; empty when it said nothing. */
  said: Schema.String
}) {
  override get message() {
    if (this.reason === "context") {
      return `the conversation leaves ${this.model} no room for an answer. Condense it, or go on with a model that takes more.`
    }
    if (this.reason === "overflow") {
      return `the conversation does not fit into the context of ${this.model}, also after condensing. Go on with a model that takes more, or start a new task.`
    }
    const words = this.said === "" ? "" : ` ("${this.said}")`
    return `${this.model} refused to answer${words}. Say it in other words, or go on with another model.`
  }
}

/** There is nothing left to make room with. */
export const overflow = (model: string): StoppedShort => new StoppedShort({ reason: "overflow", model, said: "" })

const inOneLine = (message: Message.Message): string => {
  const text = Message.textOf(message).replace(/\s+/gu, " ").trim()
  return text.length <= shown ? text : `${text.slice(0, shown).trimEnd()}…`
}

/** What of an answer that stopped short is told; nothing of one that the loop goes on from. */
export const of = ({
  message,
  model,
  spoiled,
  stopReason
}: Pick<ModelEvent.Finished, "message" | "model" | "spoiled" | "stopReason">): StoppedShort | undefined => {
  if (stopReason === "refusal") return new StoppedShort({ reason: "refusal", model, said: inOneLine(message) })
  const isWhole = Message.toolUses(message).length > spoiled.length
  return stopReason === "model_context_window_exceeded" && !isWhole
    ? new StoppedShort({ reason: "context", model, said: inOneLine(message) })
    : undefined
}
