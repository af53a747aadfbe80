/**
 * The key and the server it belongs to: both from the environment, so that they are one source.
 *
 * Without a key nothing starts: local servers take any, such as `ANTHROPIC_AUTH_TOKEN=local`.
 */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { Failure } from "./Failure.ts"

export interface Access {
  readonly apiKey?: Redacted.Redacted
  readonly authToken?: Redacted.Redacted
  readonly baseUrl?: string
}

const isSet = (value: string | undefined): value is string => value !== undefined && value.trim() !== ""

export const fromEnvironment = (env: NodeJS.ProcessEnv = process.env): Result.Result<Access, Failure> => {
  const baseUrl = env["ANTHROPIC_BASE_URL"]
  const key = env["ANTHROPIC_API_KEY"]
  const token = env["ANTHROPIC_AUTH_TOKEN"]
  if (isSet(baseUrl) && !URL.canParse(baseUrl)) {
    return Result.fail(
      new Failure({ code: 2, tag: "UsageError", what: "ANTHROPIC_BASE_URL is no URL", hint: "Correct it or unset it." })
    )
  }
  const host = isSet(baseUrl) ? new URL(baseUrl).host : "api.anthropic.com"
  if (!isSet(key) && !isSet(token)) {
    const hint = "Set ANTHROPIC_API_KEY, or ANTHROPIC_AUTH_TOKEN for a server that takes a token."
    return Result.fail(new Failure({ code: 4, tag: "NoKey", what: `no key for ${host}`, hint }))
  }
  return Result.succeed({
    ...(isSet(key) ? { apiKey: Redacted.make(key) } : {}),
    ...(isSet(token) ? { authToken: Redacted.make(token) } : {}),
    ...(isSet(baseUrl) ? { baseUrl } : {})
  })
}
