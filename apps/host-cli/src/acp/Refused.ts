/**
 * Why a request of a client is not carried out, by the codes of JSON-RPC and of the protocol.
 *
 * Clients take some codes for "this session is gone" and go on in another one: `invalid` and `notFound` are only for what
 * can never be, and everything that may be another time is `failed`.
 */
import { HistoryError } from "@belay/history-store"
import * as Data from "effect/Data"
import { Failure, fromError } from "../cli/Failure.ts"

export class Refused extends Data.TaggedError("Refused")<{
  readonly code: number
  readonly what: string
  readonly data?: Readonly<Record<string, unknown>>
}> {
  override get message() {
    return this.what
  }
}

const codes = { invalid: -32602, failed: -32603, unauthorized: -32000, notFound: -32002, cancelled: -32800 } as const

export const refuse = (why: keyof typeof codes, what: string, data?: Readonly<Record<string, unknown>>): Refused =>
  new Refused({ code: codes[why], what, ...(data === undefined ? {} : { data }) })

export const notFound = (sessionId: string): Refused =>
  refuse("notFound", `There is no session ${sessionId}. session/list shows those that there are.`, { sessionId })

/** Any error as a refusal: one line, and a word for programs. */
export const of = (error: unknown): Refused => {
  if (error instanceof Refused) return error
  const failure = fromError(error)
  const reason = error instanceof HistoryError.HistoryError ? error.reason : failure.tag
  const isKey = failure instanceof Failure && failure.tag === "NoKey"
  return refuse(isKey ? "unauthorized" : "failed", `${failure.what}. ${failure.hint}`, { reason })
}
