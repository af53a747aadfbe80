/** The model: the service where ANTHROPIC_API_KEY is set, else an act of two calls that shows the way without a key. */
import { anthropic } from "@belay/sdk"
import { scripted } from "./scripted.ts"

const { ANTHROPIC_API_KEY: apiKey } = process.env

export const model =
  apiKey === undefined
    ? scripted(
        { name: "write_to_file", input: { path: "greeting.txt", content: "Hello!\n" } },
        { name: "attempt_completion", input: { result: "The greeting is written." } }
      )
    : anthropic({ apiKey })
