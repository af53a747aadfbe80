/** The worker: code in, lines out, one answer to each request and in their order. */
import type { Line, Request } from "./Line.ts"
import * as Tokens from "./Tokens.ts"

declare const self: {
  addEventListener: (type: "message", listener: (event: { readonly data: Request }) => void) => void
  postMessage: (lines: ReadonlyArray<Line>) => void
}

self.addEventListener("message", ({ data: { grammar, text } }) => {
  // A view has no origin to name.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  self.postMessage(Tokens.of(grammar, text))
})
