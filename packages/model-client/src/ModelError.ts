/**
 * Why a model gave no answer. One error, told apart by `reason`; its message is one plain line that says what happened,
 * to what, and what to do, and never holds a key.
 */
import * as Schema from "effect/Schema"

/** The service refused the credentials (401) or what they may do (403). Never retried. */
export const Unauthorized = Schema.TaggedStruct("Unauthorized", {
  status: Schema.Int,
  /** What to do about it, as a sentence, where that is not another key in the environment. */
  advice: Schema.optionalKey(Schema.String),
  /** What the service said to a 403, in one line. */
  detail: Schema.optionalKey(Schema.String),
  /** Nothing was sent, because there is no key: what it would be for, in words. */
  keyless: Schema.optionalKey(Schema.String)
})
/** Too many requests or tokens (429), still after the retries or for longer than is waited for. */
export const RateLimited = Schema.TaggedStruct("RateLimited", { retryAfterMs: Schema.optionalKey(Schema.Finite) })
/** The service has no room for the request (529, or `overloaded_error` in mid-stream). */
export const Overloaded = Schema.TaggedStruct("Overloaded", {})
/** The service failed (5xx) or asked to try again (408, 409). */
export const ServerFailed = Schema.TaggedStruct("ServerFailed", { status: Schema.Int })
/** The service refuses this request whenever it is sent. Never retried. */
export const InvalidRequest = Schema.TaggedStruct("InvalidRequest", {
  status: Schema.Int,
  promptTooLong: Schema.Boolean,
  detail: Schema.String
})
/** No answer began: no connection, no such host, no response in time. */
export const Unreachable = Schema.TaggedStruct("Unreachable", { detail: Schema.String })
/** The connection was lost in mid-answer. */
export const CutOff = Schema.TaggedStruct("CutOff", {})
/** The answer cannot be read: a broken event, an end without `message_stop`. */
export const Malformed = Schema.TaggedStruct("Malformed", { detail: Schema.String })
/** The service is reached with a package that is not there. Never retried. */
export const NotInstalled = Schema.TaggedStruct("NotInstalled", {
  package: Schema.String,
  /** How it is installed, as a sentence, where that is not the usual way. */
  advice: Schema.optionalKey(Schema.String)
})

/** Says what went wrong with a request, with the facts that a retry or a person needs. */
export const Reason = Schema.Union([
  Unauthorized,
  RateLimited,
  Overloaded,
  ServerFailed,
  InvalidRequest,
  Unreachable,
  CutOff,
  Malformed,
  NotInstalled
])
export type Reason = typeof Reason.Type

const say = (reason: Reason, host: string): string => {
  switch (reason._tag) {
    case "Unauthorized":
      if (reason.keyless !== undefined) return `there is no key for ${reason.keyless}. ${reason.advice ?? "Set one."}`
      return reason.status === 403
        ? `the key may not do this (403, ${host})${reason.detail === undefined ? "" : `: ${reason.detail}`}. ${reason.advice ?? "Use a key that may use the model."}`
        : `the service refused the key (${reason.status}, ${host}). ${reason.advice ?? "Use another key."}`
    case "RateLimited":
      return reason.retryAfterMs === undefined
        ? `the rate limit is reached (429, ${host}). Wait and try again.`
        : `the rate limit is reached (429, ${host}). Try again in ${Math.ceil(reason.retryAfterMs / 1000)} s.`
    case "Overloaded":
      return `the service is overloaded (529, ${host}). Try again later.`
    case "ServerFailed":
      return `the service failed (${reason.status}, ${host}). Try again later.`
    case "InvalidRequest":
      return reason.promptTooLong
        ? `the prompt is too long for the model (${reason.status}, ${host}). Shorten or condense the conversation.`
        : `the service refused the request (${reason.status}, ${host}): ${reason.detail}. Change the model or the settings.`
    case "Unreachable":
      return `no answer from ${host}: ${reason.detail}. Check the network and the base URL.`
    case "CutOff":
      return `the connection was lost in mid-answer (${host}). Try again.`
    case "NotInstalled":
      return `the package ${reason.package} is not installed (${host}). ${reason.advice ?? `Install it: npm install ${reason.package}`}`
    default:
      return `the answer cannot be read (${host}): ${reason.detail}. Try again, or check that it speaks the Messages API.`
  }
}

/** A request that got no whole answer. `message` is one line for people: what happened, and what to do. */
export class ModelError extends Schema.TaggedError<ModelError>()("ModelError", {
  reason: Reason,
  /** Whom the request went to, for example `api.anthropic.com` or `127.0.0.1:1234`. */
  host: Schema.String,
  /** The error underneath, with keys removed. */
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return say(this.reason, this.host)
  }
}
