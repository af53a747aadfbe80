/**
 * Reads what the SDK threw: which reason it is, whether trying again can help, and when.
 *
 * The SDK is not imported for that, so its classes are told by their fields. Every text goes through `redact`, and the
 * cause is a copy of the error's name, text and stack, since the error itself may hold what the service echoed.
 */
import { ModelError, type Reason } from "../ModelError.ts"
import { Unreadable } from "./answer.ts"
import { NotInstalled } from "./NotInstalled.ts"
import type { Connection } from "./connection.ts"
import { HeaderMap } from "./HeaderMap.ts"

export interface Failure {
  readonly error: ModelError
  readonly retryable: boolean
  /** What `retry-after-ms` or `retry-after` asked for. */
  readonly retryAfterMs?: number
}

/** What a failure is read with: the host, the keys to remove, the time, and whether the answer had begun. */
export interface Context {
  readonly host: string
  readonly redact: (text: string) => string
  readonly now: number
  readonly begun: boolean
  /** Of a connection that finds its credentials by itself. */
  readonly credentials?: Connection["credentials"] | undefined
}

interface Thrown {
  readonly status?: unknown
  readonly headers?: unknown
  readonly type?: unknown
  readonly apiMessage?: unknown
  readonly message?: unknown
  readonly code?: unknown
  readonly cause?: unknown
}

const DETAIL = 500

const isThrown = (value: unknown): value is Thrown => typeof value === "object" && value !== null

const oneLine = (text: string): string => text.replace(/\s+/gu, " ").trim().slice(0, DETAIL).replace(/\.$/u, "")

/** The statuses of the errors that come as an event in mid-stream. */
const STATUS: { readonly [type: string]: number } = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529
}

/** The wait a server asks for, in ms: `retry-after-ms`, else `retry-after` in seconds or as a date. */
export const retryAfter = (headers: unknown, now: number): number | undefined => {
  if (!(headers instanceof HeaderMap)) return undefined
  const exact = headers.get("retry-after-ms")
  const asked = headers.get("retry-after")
  const inMs = exact === null || exact.trim() === "" ? Number.NaN : Number(exact)
  if (Number.isFinite(inMs)) return Math.max(0, inMs)
  if (asked === null || asked.trim() === "") return undefined
  const seconds = Number(asked)
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(asked) - now
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined
}

/** The words of the services that we know for a request that does not fit. */
const TOO_LONG =
  /(?:prompt|input|request) (?:is )?too (?:long|large)|context[ _-](?:length|window|size)|exceeds?\b.*\bcontext|too many (?:input |prompt )?tokens/iu

const isTooLong = (status: number, type: unknown, detail: string): boolean =>
  status === 413 || type === "request_too_large" || TOO_LONG.test(detail)

const ofStatus = (status: number, type: unknown, detail: string, retryAfterMs: number | undefined): Reason => {
  if (status === 401) return { _tag: "Unauthorized", status }
  if (status === 403) return { _tag: "Unauthorized", status, detail }
  if (status === 529 || type === "overloaded_error") return { _tag: "Overloaded" }
  if (status === 429) return { _tag: "RateLimited", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  if (status === 408 || status === 409 || status >= 500) return { _tag: "ServerFailed", status }
  return { _tag: "InvalidRequest", status, promptTooLong: isTooLong(status, type, detail), detail }
}

/** The deepest error code or text: `ECONNREFUSED` says more than `fetch failed`. */
const rootOf = (thrown: Thrown): string => {
  let found = typeof thrown.message === "string" ? thrown.message : "connection failed"
  let at: unknown = thrown.cause
  for (let depth = 0; depth < 5 && isThrown(at); depth++) {
    if (typeof at.code === "string") found = at.code
    else if (typeof at.message === "string" && at.message !== "") found = at.message
    at = at.cause
  }
  return found
}

/** What the packages of the clouds say where they find nothing to sign or to send. */
const CREDENTIALS = /failed to (?:resolve|acquire) .*credentials|no projectid was given/iu

const isWithoutCredentials = (thrown: unknown): boolean => {
  let at: unknown = thrown
  for (let depth = 0; depth < 5 && isThrown(at); depth++) {
    if (typeof at.message === "string" && CREDENTIALS.test(at.message)) return true
    at = at.cause
  }
  return false
}

const copyOf = (thrown: unknown, redact: Context["redact"]): Error => {
  if (!(thrown instanceof Error)) return new Error(redact(String(thrown)))
  const copy = new Error(redact(thrown.message))
  copy.name = thrown.name
  if (thrown.stack !== undefined) copy.stack = redact(thrown.stack)
  return copy
}

const reasonOf = (thrown: unknown, context: Context, retryAfterMs: number | undefined): Reason => {
  const clean = (text: string) => oneLine(context.redact(text))
  if (thrown instanceof NotInstalled) {
    const { advice } = thrown
    return { _tag: "NotInstalled", package: thrown.package, ...(advice === undefined ? {} : { advice }) }
  }
  if (context.credentials !== undefined && isWithoutCredentials(thrown)) {
    const { advice, whose } = context.credentials
    return { _tag: "Unauthorized", status: 401, keyless: whose, advice }
  }
  if (thrown instanceof Unreadable) return { _tag: "Malformed", detail: clean(thrown.message) }
  if (thrown instanceof SyntaxError) return { _tag: "Malformed", detail: "an event is not JSON" }
  const error: Thrown = isThrown(thrown) ? thrown : {}
  if (error.cause instanceof Unreadable) return { _tag: "Malformed", detail: clean(error.cause.message) }
  const named = typeof error.type === "string" ? STATUS[error.type] : undefined
  const status = typeof error.status === "number" ? error.status : named
  const said = [error.apiMessage, error.message].find((text) => typeof text === "string")
  const detail = clean(said ?? "no detail")
  if (status !== undefined) return ofStatus(status, error.type, detail, retryAfterMs)
  if (typeof error.type === "string") return { _tag: "ServerFailed", status: 500 }
  return context.begun ? { _tag: "CutOff" } : { _tag: "Unreachable", detail: clean(rootOf(error)) }
}

const FINAL = new Set(["Unauthorized", "InvalidRequest", "NotInstalled"])

export const classify = (thrown: unknown, context: Context): Failure => {
  const headers = isThrown(thrown) ? thrown.headers : undefined
  const retryAfterMs = retryAfter(headers, context.now)
  const reason = reasonOf(thrown, context, retryAfterMs)
  const forbidden = headers instanceof HeaderMap && headers.get("x-should-retry") === "false"
  return {
    error: new ModelError({ reason, host: context.host, cause: copyOf(thrown, context.redact) }),
    retryable: !FINAL.has(reason._tag) && !forbidden,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs })
  }
}
