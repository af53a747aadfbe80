/** The model: the service where ANTHROPIC_API_KEY is set, else an act of two calls that shows the way without a key. */
import { anthropic } from "@belay/sdk"
import { scripted } from "./scripted.ts"

const { ANTHROPIC_API_KEY: apiKey } = process.env

export const model =
  apiKey === undefined
    ? scripted(
        { name: "deploy", input: { to: "staging" } },
        { name: "attempt_completion", input: { result: "It runs on staging." } }
      )
    : anthropic({ apiKey })
