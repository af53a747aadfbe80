/**
 * The key and the server it belongs to, always of the same source.
 *
 * A key of the environment goes to the server of the environment alone; a stored key goes to the host that it was stored
 * for. So nothing that only names a server can have a key sent there. Without a key nothing starts: local servers take
 * any, such as `ANTHROPIC_AUTH_TOKEN=local`.
 */
import { Secrets } from "@belay/model-client"
import * as DataFolder from "@belay/history-store/data-folder"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Failure, fromError, usage } from "./Failure.ts"
import { redaction } from "./Redaction.ts"

export interface Access {
  readonly apiKey?: Redacted.Redacted
  readonly authToken?: Redacted.Redacted
  readonly baseUrl?: string
}

/** A server, and what named it. */
export interface Server {
  readonly host: string
  /** Without one it is the service's own. */
  readonly baseUrl?: string
  readonly source: "environment" | "settings" | "default"
}

const service = "api.anthropic.com"

const isSet = (value: string | undefined): value is string => value !== undefined && value.trim() !== ""

const named = (baseUrl: string, source: Server["source"], what: string): Effect.Effect<Server, Failure> => {
  const isWeb = URL.canParse(baseUrl) && /^https?:$/.test(new URL(baseUrl).protocol)
  return isWeb
    ? Effect.succeed({ host: new URL(baseUrl).host, baseUrl, source })
    : Effect.fail(usage(`${what} is no URL`, "Correct it or unset it."))
}

/** The server that tasks are sent to: of the environment, else of the user's settings. */
export const server = (configured: string | undefined, env = process.env): Effect.Effect<Server, Failure> => {
  const given = env["ANTHROPIC_BASE_URL"]
  if (isSet(given)) return named(given, "environment", "ANTHROPIC_BASE_URL")
  if (configured !== undefined) return named(configured, "settings", "model.baseUrl")
  return Effect.succeed({ host: service, source: "default" })
}

/** The stored keys of this user. A data folder of one's own keeps its keys in itself, and leaves the keychain alone. */
export const stored = <A>(
  use: (secrets: Secrets.Secrets["Service"]) => Effect.Effect<A, Secrets.SecretsError>
): Effect.Effect<A, Failure> =>
  Effect.promise(() => import("@belay/model-client/secrets")).pipe(
    Effect.flatMap(({ layerNode }) => {
      const options = { directory: DataFolder.directory(), keychain: !isSet(process.env["BELAY_HOME"]) }
      return Effect.flatMap(Secrets.Secrets, use).pipe(Effect.provide(layerNode(options)))
    }),
    Effect.mapError((error) => {
      const { hint, tag, what } = fromError(error)
      return new Failure({ code: 4, tag, what, hint, cause: error })
    })
  )

const ofEnvironment = (env: NodeJS.ProcessEnv): Access | undefined => {
  const key = env["ANTHROPIC_API_KEY"]
  const token = env["ANTHROPIC_AUTH_TOKEN"]
  if (!isSet(key) && !isSet(token)) return undefined
  return {
    ...(isSet(key) ? { apiKey: Redacted.make(key) } : {}),
    ...(isSet(token) ? { authToken: Redacted.make(token) } : {})
  }
}

const noKey = ({ host, source }: Server, env: NodeJS.ProcessEnv): Failure => {
  const withheld = source === "settings" && ofEnvironment(env) !== undefined
  const hint = withheld
    ? `The key of the environment is not sent there. Run "belay auth", or set ANTHROPIC_BASE_URL, too.`
    : 'Run "belay auth", or set ANTHROPIC_API_KEY.'
  return new Failure({ code: 4, tag: "NoKey", what: `no key for ${host}`, hint })
}

/** Errors: `NoKey`, exit 4; stored keys that cannot be used, exit 4. */
export const access = (configured?: string, env = process.env): Effect.Effect<Access, Failure> =>
  Effect.gen(function* () {
    const at = yield* server(configured, env)
    const { baseUrl, host, source } = at
    const url = baseUrl === undefined ? {} : { baseUrl }
    const given = source === "settings" && host !== service ? undefined : ofEnvironment(env)
    if (given !== undefined) return { ...given, ...url }
    const apiKey = Option.getOrUndefined(yield* stored((secrets) => secrets.get(host)))
    if (apiKey === undefined) return yield* noKey(at, env)
    redaction.add(Redacted.value(apiKey))
    return { apiKey, ...url }
  })
