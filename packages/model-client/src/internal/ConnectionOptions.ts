/** Where a service is and who asks; without the SDK, so that types that name it need none. */
import type * as Redacted from "effect/Redacted"
import type { Proxies } from "../Proxies.ts"

export interface ConnectionOptions {
  readonly apiKey?: Redacted.Redacted
  readonly authToken?: Redacted.Redacted
  readonly baseUrl?: string
  /** Through which proxy the service is reached; directly unless told. */
  readonly proxies?: Proxies
  /** False for a service that cannot count tokens: then it is not asked to. */
  readonly countsTokens?: boolean
}

/** How long and how often is tried. */
export interface BoundOptions {
  /** How often a request is repeated at most; 4 unless told. */
  readonly maxRetries?: number
  /** Seconds in which the first byte of an answer has to come; 60 unless told. */
  readonly firstByteSeconds?: number
}
