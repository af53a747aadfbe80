/** The requests a server received, and those who wait for one. */
import { createHash } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"

/** A request as received; `aborted` becomes true when the client closed the connection before the answer was complete. */
export interface RecordedRequest {
  /** Milliseconds since 1970, with fractions. */
  readonly at: number
  readonly path: string
  readonly taskId: string | undefined
  /** Keys are replaced by their fingerprint, see `fingerprint`. */
  readonly headers: IncomingHttpHeaders
  readonly body: any
  readonly raw: string
  readonly aborted: boolean
}

/** The first eight hex digits of a key's SHA-256: tells keys apart without holding them. */
export const fingerprint = (key: string): string =>
  `sha256:${createHash("sha256").update(key).digest("hex").slice(0, 8)}`

export const redact = (headers: IncomingHttpHeaders): IncomingHttpHeaders => {
  const out = { ...headers }
  if (typeof out["x-api-key"] === "string") out["x-api-key"] = fingerprint(out["x-api-key"])
  if (out.authorization !== undefined)
    out.authorization = `Bearer ${fingerprint(out.authorization.replace(/^Bearer /iu, ""))}`
  return out
}

/** Says when waiting ends: a number of requests, or a predicate over all of them. */
export type Condition = number | ((requests: ReadonlyArray<RecordedRequest>) => boolean)

export class Ledger {
  readonly requests: Array<RecordedRequest> = []
  readonly #waiting = new Set<{ readonly holds: () => boolean; readonly gate: PromiseWithResolvers<void> }>()

  add(request: RecordedRequest): void {
    this.requests.push(request)
    this.#wake()
  }

  abort(request: RecordedRequest): void {
    ;(request as { aborted: boolean }).aborted = true
    this.#wake()
  }

  /** Resolves once there are so many requests, or once the predicate holds; it is asked again after each change. */
  wait(condition: Condition): Promise<ReadonlyArray<RecordedRequest>> {
    const holds = () => (typeof condition === "number" ? this.requests.length >= condition : condition(this.requests))
    if (holds()) return Promise.resolve(this.requests)
    const gate = Promise.withResolvers<void>()
    this.#waiting.add({ holds, gate })
    return gate.promise.then(() => this.requests)
  }

  close(): void {
    for (const waiter of this.#waiting) {
      waiter.gate.reject(new Error(`The scripted server was closed after ${this.requests.length} requests`))
    }
    this.#waiting.clear()
  }

  #wake(): void {
    for (const waiter of this.#waiting) {
      if (!waiter.holds()) continue
      this.#waiting.delete(waiter)
      waiter.gate.resolve()
    }
  }
}
