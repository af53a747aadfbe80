/**
 * The key and the server it belongs to: from the editor's secrets and settings, else both from the environment.
 *
 * A stored key is bound to its host and is never sent to another one, a key of the environment to what is named beside it. A
 * mode that has a server of its own, by the settings or by `BELAY_PLAN_*` and `BELAY_ACT_*`, has a key of its own there, or
 * that of its host. A service of one's own needs none. Every key that is stored, here or in another window,
 * is taken out of all that is kept or shown, also while another one is used.
 */
import * as Servers from "@belay/model-client/servers"
import type * as Services from "@belay/model-client/services"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Action, Bridge, EditorError, events, perform, Refusal } from "../vscode/Bridge.ts"
import * as Preferences from "./Preferences.ts"
import { redaction } from "../vscode/Redaction.ts"

export interface Access extends Servers.Credentials {
  readonly server: Pick<Servers.Server, "baseUrl" | "service">
}

export type Mode = Servers.Mode

/** A server that requests are sent to now. */
export interface Service {
  readonly host: string
  readonly baseUrl: string | undefined
  /** The only mode that it is for; absent when it is for both. */
  readonly mode?: Mode
  /** Where it is one of those with a name. */
  readonly service?: Services.Service
}

export const { told } = Servers

const setKey = { title: "Enter a key", command: "belay.setKey" }

export class NoKey extends Schema.TaggedError<NoKey>()("NoKey", {
  host: Schema.String,
  /** The only mode that the server is for. */
  mode: Schema.optionalKey(Schema.Literals(["plan", "act"])),
  /** The hosts that keys are stored for. */
  stored: Schema.Array(Schema.String),
  actions: Schema.Array(Action)
}) {
  override get message() {
    const [other] = this.stored
    const missing = `There is no key for ${told(this)}.`
    return other === undefined
      ? `${missing} Run "Belay: Set key".`
      : `${missing} The stored key belongs to ${other} and is not sent to ${this.host}.`
  }
}

/** Stored for a host that needs no key; services that ask for none ignore what is sent. */
const noneNeeded = "none"
const hosts = "keyHosts"
const prefix = "key:"

export class Key extends Context.Service<
  Key,
  {
    /** The servers that requests are sent to now, without those that no mode uses; the one in common first. */
    readonly services: () => ReadonlyArray<Service>
    /** The server of a mode. */
    readonly service: (mode: Mode) => Service
    readonly access: (mode: Mode) => Effect.Effect<Access, NoKey | EditorError>
    readonly store: (service: Service, key: string) => Effect.Effect<void, EditorError>
    /** The server is used without a key. Errors: `Refusal` when it is Anthropic's own. */
    readonly storeNone: (service: Service) => Effect.Effect<void, EditorError | Refusal>
    readonly remove: (service: Service) => Effect.Effect<void, EditorError>
  }
>()("@belay/host-vscode/Key") {
  static readonly layer: Layer.Layer<Key, never, Bridge> = Layer.effect(
    Key,
    Effect.gen(function* () {
      const { context, log } = yield* Bridge
      const { globalState, secrets } = context
      /** What is stored under a name; from now on it is taken out of everything. */
      const read = (name: string) =>
        Effect.tap(
          perform(() => secrets.get(name)),
          (key) => Effect.sync(() => redaction.add(key ?? ""))
        )
      const known = (): ReadonlyArray<string> => globalState.get<ReadonlyArray<string>>(hosts, [])
      const remember = (next: ReadonlyArray<string>) => perform(() => globalState.update(hosts, next))
      const access = Effect.fnUntraced(function* (mode: Mode) {
        const service = serviceOf(mode, known())
        const { baseUrl, host } = service
        if (Servers.isCloud(service)) return { server: serverOf(service) }
        for (const name of new Set([Servers.nameOf(service), host])) {
          const stored = yield* read(`${prefix}${name}`)
          if (stored === undefined) continue
          return { ...Servers.fitted(service, { apiKey: Redacted.make(stored) }), server: serverOf(service) }
        }
        const found = givenTo(service)
        if (found !== undefined) return found
        if (Servers.isOpen(service)) return { server: serverOf(service) }
        const without = { title: "This server needs none", command: "belay.useNoKey" }
        const actions = baseUrl === undefined ? [setKey] : [setKey, without]
        const stored = known().filter((other) => other !== host && !isOfMode(other))
        const only = service.mode === undefined ? {} : { mode: service.mode }
        return yield* new NoKey({ host, ...only, stored, actions })
      })
      const store = (service: Service, key: string) =>
        Effect.gen(function* () {
          const name = Servers.nameOf(service)
          redaction.add(key)
          yield* perform(() => secrets.store(`${prefix}${name}`, key))
          yield* remember([...known().filter((other) => other !== name), ...(key === noneNeeded ? [] : [name])])
        })
      const learn = (name: string) =>
        Effect.catchCause(read(name), (cause) => Effect.sync(() => log.error(redaction.text(Cause.pretty(cause)))))
      yield* Effect.forkScoped(
        Stream.runForEach(events(secrets.onDidChange), ({ key }) => (key.startsWith(prefix) ? learn(key) : Effect.void))
      )
      yield* Effect.forEach(known(), (name) => learn(`${prefix}${name}`), { concurrency: "unbounded", discard: true })
      return Key.of({
        services: () => services(known()),
        service: (mode) => serviceOf(mode, known()),
        access,
        store,
        storeNone: (service) => {
          const { baseUrl, host } = service
          const line = `The server ${host} needs a key. Run "Belay: Set key", or name another server in the settings.`
          const refused: Effect.Effect<void, EditorError | Refusal> = new Refusal({ line, actions: [setKey] })
          return baseUrl === undefined ? refused : store(service, noneNeeded)
        },
        remove: Effect.fn("Key.remove")(function* (service) {
          const name = Servers.nameOf(service)
          yield* perform(() => secrets.delete(`${prefix}${name}`))
          yield* remember(known().filter((other) => other !== name))
        })
      })
    })
  )
}

/** What the settings say of a mode or of both, as the environment may, too; what both say comes after what one says. */
const saidOf = (mode?: Mode): Servers.Said | undefined =>
  Servers.said({ service: Preferences.service(mode), baseUrl: Preferences.baseUrl(mode) }) ??
  (mode === undefined ? Servers.said({ service: process.env["BELAY_SERVICE"] }) : Servers.saidBy(process.env, mode))

/** Where the key of the environment goes, while none is stored for the API's own host. */
const besideKey = (stored: ReadonlyArray<string>): Servers.Said | undefined =>
  stored.includes(Servers.own) || !Servers.hasKeys(process.env)
    ? undefined
    : Servers.said({ baseUrl: process.env["ANTHROPIC_BASE_URL"] })

/** `stored` are the hosts that keys are stored for. */
const serviceOf = (mode: Mode, stored: ReadonlyArray<string>): Service => {
  const own = saidOf(mode)
  const said = own ?? saidOf() ?? besideKey(stored)
  const only = own === undefined ? {} : { mode }
  if (said === undefined) return { host: Servers.own, baseUrl: undefined, ...only }
  const found = Servers.server(said, "settings", process.env)
  if (Servers.isServer(found)) {
    const { baseUrl, host, service } = found
    return { host, baseUrl, ...only, ...(service === undefined ? {} : { service }) }
  }
  const text = found.service ?? found.baseUrl ?? ""
  return { host: text, baseUrl: text, ...only }
}

const services = (stored: ReadonlyArray<string>): ReadonlyArray<Service> => {
  const [act, plan] = [serviceOf("act", stored), serviceOf("plan", stored)]
  if (act.mode === undefined && plan.mode === undefined) return [act]
  return act.mode === undefined ? [act, plan] : [plan, act]
}

const serverOf = ({ baseUrl, service }: Service): Access["server"] => ({
  ...(baseUrl === undefined ? {} : { baseUrl }),
  ...(service === undefined ? {} : { service })
})

/** What of the environment belongs to the very host. */
const givenTo = (at: Service): Access | undefined => {
  const { baseUrl: _, ...rest } = at
  const found = Servers.given({ ...rest, ...serverOf(at), source: "settings" }, process.env)
  if (found === undefined) return undefined
  const { from: _from, ...keys } = found
  return { ...keys, server: serverOf(at) }
}

const isOfMode = (name: string): boolean => /^(?:plan|act)@/.test(name)
