/** Pages as Markdown, in a thread of their own. */
import * as Effect from "effect/Effect"
import * as Thread from "../internal/thread.ts"
import type { Page } from "./markdownOf.ts"

const limits: Thread.Limits = { heap: 256, seconds: 15 }

const isPage = (value: unknown): value is Page =>
  typeof value === "object" && value !== null && "markdown" in value && typeof value.markdown === "string"

/** The page; why not, as a sentence, when what it is read with is not installed; else nothing when it takes too much. */
export const read = (html: string, url: string, workerUrl?: URL): Effect.Effect<Page | string | undefined> =>
  Effect.map(Thread.run({ belayPage: { html, url } }, limits, workerUrl), (page) =>
    isPage(page) ? page : Thread.missing(page)
  )
