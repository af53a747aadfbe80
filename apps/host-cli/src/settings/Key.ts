/**
 * The key and the server it belongs to, always of the same source, for each mode.
 *
 * A key of the environment goes to the server of the environment alone, or to the service whose makers named its variable;
 * a stored key goes to the host that it was stored for. So nothing that only names a server can have a key sent there. Plan
 * and act have one server in common, unless one of them is given its own: then it has a key of its own, too, or that of its
 * host. Without a key nothing starts, but for services of one's own, which need none.
 */
import { Secrets } from "@belay/model-client"
import * as Servers from "@belay/model-client/servers"
import * as Services from "@belay/model-client/services"
import * as DataFolder from "@belay/history-store/data-folder"
import type { Document } from "@belay/settings/file"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { Failure, fromError, usage } from "../cli/Failure.ts"
import { redaction } from "../output/Redaction.ts"

export interface Access extends Servers.Credentials {
  readonly firstByteSeconds?: number
  /** Where the key was found, in words; absent where none is needed. */
  readonly from?: string
}

export type Mode = Servers.Mode

export type Server = Servers.Server

export const { nameOf, titled, told } = Servers

const { variable } = Servers

/** What the user's settings say of servers. */
export type Configured = Document["model"]

const checked = (found: Server | Servers.Wrong, what: string): Effect.Effect<Server, Failure> => {
  if (Servers.isServer(found)) return Effect.succeed(found)
  return found.service === undefined
    ? Effect.fail(usage(`${what} is not a URL`, "Correct it or unset it."))
    : Effect.fail(usage(`there is no service "${found.service}"`, Servers.choices))
}

const ofEnvironment = (env: NodeJS.ProcessEnv, mode?: Mode): Effect.Effect<Server, Failure> | undefined => {
  const found = Servers.saidBy(env, mode)
  return found && checked(Servers.server(found, "environment", env), variable("BASE_URL", mode))
}

const ofSettings = (
  said: Servers.Said | undefined,
  what: string,
  env: NodeJS.ProcessEnv
): Effect.Effect<Server, Failure> | undefined => {
  const found = said && Servers.said(said)
  return found && checked(Servers.server(found, "settings", env), what)
}

/** The server that is for both modes: of the environment, else of the user's settings. */
export const server = (configured: Configured, env = process.env): Effect.Effect<Server, Failure> =>
  ofEnvironment(env) ??
  ofSettings(configured, "model.baseUrl", env) ??
  Effect.succeed({ host: Servers.own, source: "default" })

/** The server of a mode: its own, of the environment or of the user's settings, else the one for both. */
export const serverOf = (mode: Mode, configured: Configured, env = process.env): Effect.Effect<Server, Failure> => {
  const own = configured?.[mode]
  const found =
    ofEnvironment(env, mode) ??
    ofSettings(typeof own === "object" ? own : undefined, `model.${mode}.baseUrl`, env) ??
    ofSettings(configured?.services?.[mode], `model.services.${mode}.baseUrl`, env)
  return found === undefined ? server(configured, env) : Effect.map(found, (at) => ({ ...at, mode }))
}

const keeping = () => ({ directory: DataFolder.directory(), keychain: !Servers.isSet(process.env["BELAY_HOME"]) })

/** Where a key would be kept now. */
export const kept = Effect.map(
  Effect.promise(() => import("@belay/settings/secrets")),
  ({ place }) => place(keeping())
)

/** The stored keys of this user. A data folder of one's own keeps its keys in itself, and leaves the keychain alone. */
export const stored = <A>(
  use: (secrets: Secrets.Secrets["Service"]) => Effect.Effect<A, Secrets.SecretsError>
): Effect.Effect<A, Failure> =>
  Effect.promise(() => import("@belay/settings/secrets")).pipe(
    Effect.flatMap(({ layerNode }) => {
      return Effect.flatMap(Secrets.Secrets, use).pipe(Effect.provide(layerNode(keeping())))
    }),
    Effect.mapError((error) => {
      const { hint, tag, what } = fromError(error)
      return new Failure({ code: 4, tag, what, hint, cause: error })
    })
  )

/** The variable that a key of a server is looked for in first. */
export const keyVariable = ({ mode, service }: Pick<Server, "mode" | "service">): string =>
  mode === undefined ? (service?.key?.variable ?? variable("API_KEY")) : variable("API_KEY", mode)

const auth = ({ mode, service }: Pick<Server, "mode" | "service">): string =>
  `"belay auth${mode === undefined ? (service === undefined ? "" : ` --service ${service.name}`) : ` --mode ${mode}`}"`

/** How a person gives the key of a server. */
export const advice = (at: Pick<Server, "mode" | "service">, another = ""): string =>
  `Run ${auth(at)}, or set ${another}${keyVariable(at)}.`

const noKey = (at: Server, env: NodeJS.ProcessEnv): Failure => {
  const { mode, service, source } = at
  const withheld =
    service === undefined && source === "settings" && [undefined, mode].some((one) => Servers.hasKeys(env, one))
  const hint = withheld
    ? `The key of the environment is not sent there. Run ${auth(at)}, or set ${variable("BASE_URL", mode)}, too.`
    : advice(at)
  return new Failure({ code: 4, tag: "NoKey", what: `no key for ${told(at)}`, hint })
}

/** A cloud is reached with a package of its own, which finds the credentials. */
const ofCloud = (service: Services.Service): Effect.Effect<Access, Failure> =>
  Effect.gen(function* () {
    const Reach = yield* Effect.promise(() => import("@belay/model-client/reach"))
    const directory = DataFolder.directory()
    if (yield* Reach.isInstalled(service, directory)) return {}
    const name = Services.packageOf(service) ?? ""
    const what = `the package ${name} is not installed, which ${service.title} needs`
    return yield* new Failure({ code: 4, tag: "NotInstalled", what, hint: Reach.install(name, directory) })
  })

const find = (at: Server, env: NodeJS.ProcessEnv): Effect.Effect<Access, Failure> =>
  Effect.gen(function* () {
    if (at.service !== undefined && Servers.isCloud(at)) return yield* ofCloud(at.service)
    const found = Servers.given(at, env)
    if (found !== undefined) return found
    for (const name of new Set([nameOf(at), at.host])) {
      const apiKey = Option.getOrUndefined(yield* stored((secrets) => secrets.get(name)))
      if (apiKey === undefined) continue
      redaction.add(Redacted.value(apiKey))
      return { ...Servers.fitted(at, { apiKey }), from: "belay auth" }
    }
    return Servers.isOpen(at) ? {} : yield* noKey(at, env)
  })

/** How a mode reaches its server, or why it cannot. */
export interface Way {
  readonly server: Server
  readonly access: Result.Result<Access, Failure>
}

/** The ways of both modes; the very same one where they have one server. */
export type Ways = { readonly [M in Mode]: Way }

const bounds = (configured: Configured) =>
  configured?.firstByteSeconds === undefined ? {} : { firstByteSeconds: configured.firstByteSeconds }

/** The ways to the servers, whether or not they can be gone. Errors: a server that is no URL, or no service. */
export const both = (configured?: Configured, env = process.env): Effect.Effect<Ways, Failure> =>
  Effect.gen(function* () {
    const access = (server: Server) => Effect.map(find(server, env), (found) => ({ ...found, ...bounds(configured) }))
    const to = (server: Server) => Effect.map(Effect.result(access(server)), (access): Way => ({ server, access }))
    const servers = { act: yield* serverOf("act", configured, env), plan: yield* serverOf("plan", configured, env) }
    const act = yield* to(servers.act)
    const isOne = servers.act.mode === undefined && servers.plan.mode === undefined
    return { act, plan: isOne ? act : yield* to(servers.plan) }
  })

/**
 * The ways to the servers. The mode that begins needs its key; another mode is told of its own when it is used. Errors:
 * `NoKey` or `NotInstalled`, exit 4; stored keys that cannot be used, exit 4; a server that is no URL, or no service.
 */
export const ways = (begins: Mode, configured?: Configured, env = process.env): Effect.Effect<Ways, Failure> =>
  Effect.tap(both(configured, env), (found) => Effect.fromResult(found[begins].access))
