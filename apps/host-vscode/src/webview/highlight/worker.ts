/** The worker: code in, lines out, one answer to each request and in their order. */
import type { Line, Request } from "./Line.ts"
import * as Tokens from "./Tokens.ts"

declare const self: {
  onmessage: ((event: { readonly data: Request }) => void) | null
  postMessage: (lines: ReadonlyArray<Line>) => void
}

self.onmessage = ({ data: { grammar, text } }) => self.postMessage(Tokens.of(grammar, text))
