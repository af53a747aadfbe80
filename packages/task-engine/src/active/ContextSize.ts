/**
 * How many tokens a conversation has, reckoned from what the service counted last.
 *
 * The count of the newest request is scaled by characters: what is added or left out since counts in proportion. Before
 * the first count a token is 3.5 characters; never is it more than 6, whatever a service says.
 */
import { Usage } from "@belay/message-state"

/** What the service counted for a request of so many characters. */
export interface Counted {
  readonly weight: number
  readonly tokens: number
}

export const charactersPerToken = 3.5
const mostCharacters = 6

/** The tokens of a request of so many characters. */
export const tokens = (counted: Counted | undefined, weight: number): number =>
  counted === undefined || counted.weight === 0 || counted.tokens === 0
    ? weight / charactersPerToken
    : Math.max((counted.tokens * weight) / counted.weight, weight / mostCharacters)

/** The prompt of a call, cached or not. */
export const promptTokens = (usage: Usage.Usage): number => Usage.contextTokens(usage) - usage.outputTokens
