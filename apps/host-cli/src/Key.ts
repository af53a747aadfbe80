/**
 * The key and the server it belongs to, always of the same source, for each mode.
 *
 * A key of the environment goes to the server of the environment alone; a stored key goes to the host that it was stored
 * for. So nothing that only names a server can have a key sent there. Plan and act have one server in common, unless one
 * of them is given its own: then it has a key of its own, too, or that of its host. Without a key nothing starts: local
 * servers take any, such as `ANTHROPIC_AUTH_TOKEN=local`.
 */
import { Secrets } from "@belay/model-client"
import * as DataFolder from "@belay/history-store/data-folder"
import type { Document } from "@belay/task-engine/settings-file"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { Failure, fromError, usage } from "./Failure.ts"
import { redaction } from "./Redaction.ts"

export interface Access {
  readonly apiKey?: Redacted.Redacted
  readonly authToken?: Redacted.Redacted
  readonly baseUrl?: string
  readonly firstByteSeconds?: number
}

export type Mode = "plan" | "act"

/** What the user's settings say of servers. */
export type Configured = Document["model"]

/** A server, and what named it. */
export interface Server {
  readonly host: string
  /** Without one it is the service's own. */
  readonly baseUrl?: string
  readonly source: "environment" | "settings" | "default"
  /** The only mode that it is for; absent when it is for both. */
  readonly mode?: Mode
}

const service = "api.anthropic.com"

const isSet = (value: string | undefined): value is string => value !== undefined && value.trim() !== ""

const named = (baseUrl: string, source: Server["source"], what: string): Effect.Effect<Server, Failure> => {
  const isWeb = URL.canParse(baseUrl) && /^https?:$/.test(new URL(baseUrl).protocol)
  return isWeb
    ? Effect.succeed({ host: new URL(baseUrl).host, baseUrl, source })
    : Effect.fail(usage(`${what} is not a URL`, "Correct it or unset it."))
}

type Variable = "API_KEY" | "AUTH_TOKEN" | "BASE_URL"

/** A variable of one mode, else the one that is for both. */
export const variable = (name: Variable, mode?: Mode): string =>
  mode === undefined ? `ANTHROPIC_${name}` : `BELAY_${mode.toUpperCase()}_${name}`

/** The server that is for both modes: of the environment, else of the user's settings. */
export const server = (configured: Configured, env = process.env): Effect.Effect<Server, Failure> => {
  const given = env[variable("BASE_URL")]
  if (isSet(given)) return named(given, "environment", variable("BASE_URL"))
  if (configured?.baseUrl !== undefined) return named(configured.baseUrl, "settings", "model.baseUrl")
  return Effect.succeed({ host: service, source: "default" })
}

/** The server of a mode: its own, of the environment or of the user's settings, else the one for both. */
export const serverOf = (mode: Mode, configured: Configured, env = process.env): Effect.Effect<Server, Failure> => {
  const given = env[variable("BASE_URL", mode)]
  const said = configured?.[mode]
  const own = typeof said === "object" ? said.baseUrl : undefined
  const earlier = configured?.services?.[mode]?.baseUrl
  const found = isSet(given)
    ? named(given, "environment", variable("BASE_URL", mode))
    : own === undefined
      ? earlier === undefined
        ? undefined
        : named(earlier, "settings", `model.services.${mode}.baseUrl`)
      : named(own, "settings", `model.${mode}.baseUrl`)
  return found === undefined ? server(configured, env) : Effect.map(found, (at) => ({ ...at, mode }))
}

/** What a key is stored as: for a host, or for one mode there. */
export const nameOf = ({ host, mode }: Pick<Server, "host" | "mode">): string =>
  mode === undefined ? host : `${mode}@${host}`

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

/** The host that keys of the environment belong to: the one that is named beside them. */
const hostOfEnvironment = (env: NodeJS.ProcessEnv, mode?: Mode): string => {
  const given = [mode, undefined].map((one) => env[variable("BASE_URL", one)]).find(isSet)
  return given !== undefined && URL.canParse(given) ? new URL(given).host : service
}

const ofEnvironment = (env: NodeJS.ProcessEnv, mode?: Mode): Access | undefined => {
  const key = env[variable("API_KEY", mode)]
  const token = env[variable("AUTH_TOKEN", mode)]
  if (!isSet(key) && !isSet(token)) return undefined
  return {
    ...(isSet(key) ? { apiKey: Redacted.make(key) } : {}),
    ...(isSet(token) ? { authToken: Redacted.make(token) } : {})
  }
}

/** A key of the environment that belongs to this server: of its mode, else the one for both. */
const given = ({ host, mode }: Server, env: NodeJS.ProcessEnv): Access | undefined =>
  [...new Set([mode, undefined])]
    .filter((one) => hostOfEnvironment(env, one) === host)
    .map((one) => ofEnvironment(env, one))
    .find((found) => found !== undefined)

/** Whose key it is, in words. */
export const told = ({ host, mode }: Pick<Server, "host" | "mode">): string =>
  mode === undefined ? host : `${mode} mode (${host})`

/** How a person gives the key of a server. */
export const advice = ({ mode }: Pick<Server, "mode">, another = ""): string =>
  `Run "belay auth${mode === undefined ? "" : ` --mode ${mode}`}", or set ${another}${variable("API_KEY", mode)}.`

const noKey = (at: Server, env: NodeJS.ProcessEnv): Failure => {
  const { mode, source } = at
  const withheld = source === "settings" && [undefined, mode].some((one) => ofEnvironment(env, one) !== undefined)
  const auth = `"belay auth${mode === undefined ? "" : ` --mode ${mode}`}"`
  const hint = withheld
    ? `The key of the environment is not sent there. Run ${auth}, or set ${variable("BASE_URL", mode)}, too.`
    : advice(at)
  return new Failure({ code: 4, tag: "NoKey", what: `no key for ${told(at)}`, hint })
}

const find = (at: Server, env: NodeJS.ProcessEnv): Effect.Effect<Access, Failure> =>
  Effect.gen(function* () {
    const { baseUrl, host } = at
    const url = baseUrl === undefined ? {} : { baseUrl }
    const found = given(at, env)
    if (found !== undefined) return { ...found, ...url }
    for (const name of new Set([nameOf(at), host])) {
      const apiKey = Option.getOrUndefined(yield* stored((secrets) => secrets.get(name)))
      if (apiKey === undefined) continue
      redaction.add(Redacted.value(apiKey))
      return { apiKey, ...url }
    }
    return yield* noKey(at, env)
  })

/** How a mode reaches its server, or why it cannot. */
export interface Way {
  readonly server: Server
  readonly access: Result.Result<Access, Failure>
}

/** The ways of both modes; the very same one where they have one server. */
export type Ways = { readonly [M in Mode]: Way }

/**
 * The ways to the servers. The mode that begins needs its key; another mode is told of its own when it is used. Errors:
 * `NoKey`, exit 4; stored keys that cannot be used, exit 4; a server that is no URL.
 */
export const ways = (begins: Mode, configured?: Configured, env = process.env): Effect.Effect<Ways, Failure> =>
  Effect.gen(function* () {
    const { firstByteSeconds } = configured ?? {}
    const bounds = firstByteSeconds === undefined ? {} : { firstByteSeconds }
    const access = (server: Server) => Effect.map(find(server, env), (found) => ({ ...found, ...bounds }))
    const to = (server: Server) => Effect.map(Effect.result(access(server)), (access): Way => ({ server, access }))
    const servers = { act: yield* serverOf("act", configured, env), plan: yield* serverOf("plan", configured, env) }
    const isOne = servers.act.mode === undefined && servers.plan.mode === undefined
    const own = yield* to(servers[begins])
    yield* Effect.fromResult(own.access)
    const other = isOne ? own : yield* to(servers[begins === "act" ? "plan" : "act"])
    return begins === "act" ? { act: own, plan: other } : { act: other, plan: own }
  })
