/**
 * What a model call has taken so far: what the service counted of its prompt, else what was reckoned, and what has arrived.
 *
 * A service charges for a call that it has begun to answer, whoever gives it up; a call that it refused takes nothing.
 */
import { Usage } from "@belay/message-state"
import type { ModelEvent } from "@belay/model-client"
import * as ContextSize from "./ContextSize.ts"

export interface PartialUsage {
  readonly model: string
  /** Of the prompt, reckoned high. */
  readonly inputTokens: number
  /** What the service counted, when it began to answer and at the end. */
  counted: Usage.Usage
  /** Of the answer, as far as it has arrived. */
  characters: number
  /** The service has begun to answer. */
  began: boolean
  /** Until then a try that failed is waited for, in ms of the clock: nothing is under way. */
  idleUntil: number
}

export const begun = (model: string, inputTokens: number): PartialUsage => ({
  model,
  inputTokens,
  counted: Usage.none,
  characters: 0,
  began: false,
  idleUntil: 0
})

export const note = (
  taken: PartialUsage,
  event: Exclude<ModelEvent.ModelEvent, ModelEvent.Waiting>,
  now: number
): void => {
  switch (event._tag) {
    case "Retrying":
      taken.idleUntil = now + event.inMs
      return
    case "Began":
      taken.counted = event.usage
      break
    case "TextDelta":
    case "ThinkingDelta":
      taken.characters += event.text.length
      break
    case "ToolInputDelta":
      taken.characters += event.json.length
      break
    case "Finished":
      taken.counted = event.usage
      taken.characters = 0
  }
  taken.began = true
}

/** What counts for a call that ends now without an answer; `failed`: the service or the way to it ended it. */
export const usageOf = (taken: PartialUsage, failed: boolean, now: number): Usage.Usage | undefined => {
  if (!taken.began && (failed || now < taken.idleUntil)) return undefined
  const { characters, counted, inputTokens } = taken
  const prompt = ContextSize.promptTokens(counted) > 0 ? {} : { inputTokens }
  const outputTokens = Math.max(counted.outputTokens, Math.ceil(characters / ContextSize.charactersPerToken))
  return { ...counted, ...prompt, outputTokens }
}

/** What an answer took, where the service counts nothing as it was reckoned: it is not taken for free. */
export const told = (usage: Usage.Usage, by: Pick<PartialUsage, "inputTokens" | "characters">): Usage.Usage => {
  if (Usage.contextTokens(usage) > 0) return usage
  return {
    ...usage,
    inputTokens: by.inputTokens,
    outputTokens: Math.ceil(by.characters / ContextSize.charactersPerToken)
  }
}
