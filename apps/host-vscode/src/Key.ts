/**
 * The key and the server it belongs to: from the editor's secrets and settings, else both from the environment.
 *
 * A stored key is bound to its host and is never sent to another one. Every key that is stored, here or in another window,
 * is taken out of all that is kept or shown, also while another one is used.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Action, Bridge, EditorError, events, perform, Refusal } from "./Bridge.ts"
import * as Preferences from "./Preferences.ts"
import { redaction } from "./Redaction.ts"

export interface Access {
  readonly apiKey?: Redacted.Redacted
  readonly authToken?: Redacted.Redacted
  readonly baseUrl?: string
}

const setKey = { title: "Enter a key", command: "belay.setKey" }

export class NoKey extends Schema.TaggedError<NoKey>()("NoKey", {
  host: Schema.String,
  /** The hosts that keys are stored for. */
  stored: Schema.Array(Schema.String),
  actions: Schema.Array(Action)
}) {
  override get message() {
    const [other] = this.stored
    return other === undefined
      ? `There is no key for ${this.host}. Run "Belay: Set key".`
      : `There is no key for ${this.host}. The stored key belongs to ${other} and is not sent to ${this.host}.`
  }
}

/** Stored for a host that needs no key; services that ask for none ignore what is sent. */
const noneNeeded = "none"
const hosts = "keyHosts"
const prefix = "key:"

export class Key extends Context.Service<
  Key,
  {
    /** The host that a key is for now. */
    readonly host: () => string
    readonly access: Effect.Effect<Access, NoKey | EditorError>
    readonly store: (key: string) => Effect.Effect<void, EditorError>
    /** The server of now is used without a key. Errors: `Refusal` when that is Anthropic's own. */
    readonly storeNone: Effect.Effect<void, EditorError | Refusal>
    readonly remove: Effect.Effect<void, EditorError>
  }
>()("@belay/host-vscode/Key") {
  static readonly layer: Layer.Layer<Key, never, Bridge> = Layer.effect(
    Key,
    Effect.gen(function* () {
      const { context, log } = yield* Bridge
      const { globalState, secrets } = context
      const nameOf = (host: string): string => `${prefix}${host}`
      /** What is stored under a name; from now on it is taken out of everything. */
      const read = (name: string) =>
        Effect.tap(
          perform(() => secrets.get(name)),
          (key) => Effect.sync(() => redaction.add(key ?? ""))
        )
      const access = Effect.gen(function* () {
        const baseUrl = Preferences.baseUrl()
        const host = hostOf(baseUrl)
        const stored = yield* read(nameOf(host))
        if (stored !== undefined) {
          return { apiKey: Redacted.make(stored), ...(baseUrl === undefined ? {} : { baseUrl }) }
        }
        const found = baseUrl === undefined ? fromEnvironment(process.env) : undefined
        if (found !== undefined) return found
        const without = { title: "This server needs none", command: "belay.useNoKey" }
        const actions = baseUrl === undefined ? [setKey] : [setKey, without]
        return yield* new NoKey({ host, stored: known().filter((other) => other !== host), actions })
      })
      const known = (): ReadonlyArray<string> => globalState.get<ReadonlyArray<string>>(hosts, [])
      const remember = (next: ReadonlyArray<string>) => perform(() => globalState.update(hosts, next))
      const here = (): string => hostOf(Preferences.baseUrl())
      const store = (key: string) =>
        Effect.gen(function* () {
          const host = here()
          redaction.add(key)
          yield* perform(() => secrets.store(nameOf(host), key))
          yield* remember([...known().filter((other) => other !== host), ...(key === noneNeeded ? [] : [host])])
        })
      const learn = (name: string) =>
        Effect.catchCause(read(name), (cause) => Effect.sync(() => log.error(redaction.text(Cause.pretty(cause)))))
      yield* Effect.forkScoped(
        Stream.runForEach(events(secrets.onDidChange), ({ key }) => (key.startsWith(prefix) ? learn(key) : Effect.void))
      )
      yield* Effect.forEach(known(), (host) => learn(nameOf(host)), { concurrency: "unbounded", discard: true })
      return Key.of({
        host: () => hostOf(Preferences.baseUrl()),
        access,
        store,
        storeNone: Effect.suspend(() => {
          const line = `The server ${here()} needs a key. Run "Belay: Set key", or name another server in the settings.`
          const refused: Effect.Effect<void, EditorError | Refusal> = new Refusal({ line, actions: [setKey] })
          return Preferences.baseUrl() === undefined ? refused : store(noneNeeded)
        }),
        remove: Effect.gen(function* () {
          const host = here()
          yield* perform(() => secrets.delete(nameOf(host)))
          yield* remember(known().filter((other) => other !== host))
        })
      })
    })
  )
}

const hostOf = (baseUrl: string | undefined): string =>
  baseUrl === undefined ? "api.anthropic.com" : URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl

const set = (value: string | undefined): value is string => value !== undefined && value.trim() !== ""

const fromEnvironment = (env: NodeJS.ProcessEnv): Access | undefined => {
  const key = env["ANTHROPIC_API_KEY"]
  const token = env["ANTHROPIC_AUTH_TOKEN"]
  const url = env["ANTHROPIC_BASE_URL"]
  if (!set(key) && !set(token)) return undefined
  return {
    ...(set(key) ? { apiKey: Redacted.make(key) } : {}),
    ...(set(token) ? { authToken: Redacted.make(token) } : {}),
    ...(set(url) ? { baseUrl: url } : {})
  }
}
