/**
 * Which server requests go to, and which keys of the environment belong to it: as pure functions for every host.
 *
 * A key of the environment goes to the server that is named beside it, else to that of the variable's makers, and nowhere
 * else: nothing that only names a server can have a key sent there.
 */
import * as Redacted from "effect/Redacted"
import * as Services from "./Services.ts"

/** Names the mode whose server is meant. */
export type Mode = "plan" | "act"

type Environment = Readonly<Record<string, string | undefined>>

/** A server, and what named it. */
export interface Server {
  readonly host: string
  /** Without one it is the API's own. */
  readonly baseUrl?: string
  readonly source: "environment" | "settings" | "default"
  /** The only mode that it is for; absent when it is for both. */
  readonly mode?: Mode
  /** Where it is one of those with a name. */
  readonly service?: Services.Service
}

/** Describes what is sent to be let in. */
export interface Credentials {
  readonly apiKey?: Redacted.Redacted
  readonly authToken?: Redacted.Redacted
}

/** The Messages API's own. */
export const own = "api.anthropic.com"

/** Returns whether a variable has a value that is not blank. */
export const isSet = (value: string | undefined): value is string => value !== undefined && value.trim() !== ""

type Variable = "API_KEY" | "AUTH_TOKEN" | "BASE_URL" | "SERVICE"

/** A variable of one mode, else the one that is for both. */
export const variable = (name: Variable, mode?: Mode): string => {
  if (mode !== undefined) return `BELAY_${mode.toUpperCase()}_${name}`
  return name === "SERVICE" ? "BELAY_SERVICE" : `ANTHROPIC_${name}`
}

/** Describes what is said of a server: a service by its name, an address, or an address where such a service is. */
export interface Said {
  readonly service?: string | undefined
  readonly baseUrl?: string | undefined
}

/** Whatever says it, nothing where neither is said. */
export const said = ({ baseUrl, service }: Said): Said | undefined =>
  isSet(baseUrl) || isSet(service) ? { service, baseUrl } : undefined

/**
 * Gives what the environment says, for a mode or for both. `ANTHROPIC_BASE_URL` is not where a named service is: others read it,
 * too.
 */
export const saidBy = (env: Environment, mode?: Mode): Said | undefined => {
  const service = env[variable("SERVICE", mode)]
  const baseUrl = env[variable("BASE_URL", mode)]
  return said({ service, baseUrl: mode === undefined && isSet(service) ? undefined : baseUrl })
}

/** The services in one line, for whoever named another. */
export const choices = `Services: ${Services.names.join(", ")}.`

/** A text that is no name of a service, or no URL of the web. */
export interface Wrong {
  readonly service?: string
  readonly baseUrl?: string
}

const isWeb = (url: string): boolean => URL.canParse(url) && /^https?:$/u.test(new URL(url).protocol)

/** The server that is said, or what of it cannot be. */
export const server = (
  { baseUrl, service: name }: Said,
  source: Server["source"],
  env: Environment
): Server | Wrong => {
  const service = isSet(name) ? Services.find(name.trim()) : undefined
  if (isSet(name) && service === undefined) return { service: name }
  const at = isSet(baseUrl) ? baseUrl.trim() : service === undefined ? `https://${own}` : Services.urlOf(service, env)
  if (!isWeb(at)) return { baseUrl: at }
  return { host: new URL(at).host, baseUrl: at, source, ...(service === undefined ? {} : { service }) }
}

/** Returns whether a look-up found a server. */
export const isServer = (found: Server | Wrong): found is Server => "host" in found

/** The key in the header that the service takes it in. */
export const fitted = ({ service }: Pick<Server, "service">, { apiKey, authToken }: Credentials): Credentials =>
  service?.key?.header === "authorization" && apiKey !== undefined && authToken === undefined
    ? { authToken: apiKey }
    : { ...(apiKey === undefined ? {} : { apiKey }), ...(authToken === undefined ? {} : { authToken }) }

/** The host that keys of the environment belong to: the one that is named beside them. */
const hostBeside = (env: Environment, mode?: Mode): string => {
  for (const one of mode === undefined ? [undefined] : [mode, undefined]) {
    const beside = one === undefined ? said({ baseUrl: env[variable("BASE_URL")] }) : saidBy(env, one)
    const found = beside === undefined ? undefined : server(beside, "environment", env)
    if (found !== undefined) return isServer(found) ? found.host : own
  }
  return own
}

const keysOf = (env: Environment, mode?: Mode): Credentials | undefined => {
  const key = env[variable("API_KEY", mode)]
  const token = env[variable("AUTH_TOKEN", mode)]
  if (!isSet(key) && !isSet(token)) return undefined
  return {
    ...(isSet(key) ? { apiKey: Redacted.make(key) } : {}),
    ...(isSet(token) ? { authToken: Redacted.make(token) } : {})
  }
}

/** The environment has a key, whosever it is. */
export const hasKeys = (env: Environment, mode?: Mode): boolean => keysOf(env, mode) !== undefined

/** The variable of the service's makers, where their key goes: to themselves, or to where its user has the service run. */
const makersVariable = ({ host, service }: Server, env: Environment): string | undefined => {
  if (service?.key === undefined) return undefined
  const isTheirs = service.isOwn || new URL(Services.urlOf(service, env)).host === host
  return isTheirs ? service.key.variable : undefined
}

/** Gives what of the environment belongs to a server: a key of its mode, of its makers, or the one for both. */
export const given = (at: Server, env: Environment): (Credentials & { readonly from: string }) | undefined => {
  const of = (mode?: Mode) => {
    const keys = hostBeside(env, mode) === at.host ? keysOf(env, mode) : undefined
    const name = keys?.apiKey === undefined ? "AUTH_TOKEN" : "API_KEY"
    return keys === undefined ? undefined : { ...fitted(at, keys), from: variable(name, mode) }
  }
  const makers = makersVariable(at, env)
  const theirs = makers === undefined ? undefined : env[makers]
  const named = isSet(theirs) ? { ...fitted(at, { apiKey: Redacted.make(theirs) }), from: makers ?? "" } : undefined
  return (at.mode === undefined ? undefined : of(at.mode)) ?? named ?? of()
}

/** Gives what a key is stored as: for a host, or for one mode there. */
export const nameOf = ({ host, mode }: Pick<Server, "host" | "mode">): string =>
  mode === undefined ? host : `${mode}@${host}`

/** Whose key it is, in words. */
export const told = ({ host, mode }: Pick<Server, "host" | "mode">): string =>
  mode === undefined ? host : `${mode} mode (${host})`

/** The server in words: a service by its name, with its host. */
export const titled = ({ host, service }: Pick<Server, "host" | "service">): string =>
  service === undefined ? host : `${service.title} (${host})`

/** The credentials are those of a cloud, which its own package finds: no key of ours. */
export const isCloud = ({ service }: Pick<Server, "service">): boolean =>
  service !== undefined && service.wire !== "messages"

/** Says whether a server answers also those who have no key, unless it was set up otherwise. */
export const isOpen = ({ service }: Pick<Server, "service">): boolean => service?.isOwn === true
