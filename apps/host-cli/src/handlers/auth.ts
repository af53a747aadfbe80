/**
 * `belay auth`: keeps a key for one host, or for one mode there, or removes it.
 *
 * The key is typed unseen or comes on stdin, never among the arguments, where every process could read it.
 */
import * as Servers from "@belay/model-client/servers"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { readFileSync } from "node:fs"
import { isatty } from "node:tty"
import { isSet, type Parsed, text } from "../cli/Arguments.ts"
import { type ExitCode, type Failure, usage } from "../cli/Failure.ts"
import * as HiddenLine from "../terminal/HiddenLine.ts"
import * as Key from "../settings/Key.ts"
import type { Sink } from "../output/Sink.ts"
import { redaction } from "../output/Redaction.ts"
import * as User from "../settings/User.ts"

/** What a header can carry: https://www.rfc-editor.org/rfc/rfc9110 section 5.5, without blanks. */
const valid = /^[\u0021-\u007E]{1,4096}$/

/** Whose key it is: of a host, or of one mode there. */
type Whose = Pick<Key.Server, "host" | "mode" | "service">

/** Of a service by its name, at its usual address. */
const ofService = (name: string): Effect.Effect<Whose, Failure> => {
  const found = Servers.server({ service: name }, "settings", process.env)
  if (!Servers.isServer(found)) return Effect.fail(usage(`there is no service "${name}"`, Servers.choices))
  return Servers.isCloud(found)
    ? Effect.fail(usage(`${found.service?.title} takes no key of ours`, "Its credentials are those of its own tools."))
    : Effect.succeed(found)
}

const whoseOf = (
  given: string | undefined,
  service: string | undefined,
  mode: Key.Mode | undefined
): Effect.Effect<Whose, Failure> =>
  Effect.gen(function* () {
    if (service !== undefined) {
      const found = yield* ofService(service)
      return mode === undefined ? found : { ...found, mode }
    }
    if (given !== undefined) {
      const url = `https://${given}`
      if (!URL.canParse(url) || new URL(url).host !== given.toLowerCase()) {
        const hint = "Give a host such as api.anthropic.com or localhost:8080."
        return yield* usage(`--host cannot be "${given}"`, hint)
      }
      const { host } = new URL(url)
      return mode === undefined ? { host } : { host, mode }
    }
    const { model } = yield* User.load
    if (mode === undefined) return yield* Key.server(model)
    const server = yield* Key.serverOf(mode, model)
    if (server.mode !== undefined) return server
    const hint = `Give it one: belay config set model.${mode}.baseUrl URL`
    return yield* usage(`${mode} mode has no server of its own`, hint)
  })

const typed = (sink: Sink, whose: Whose): Effect.Effect<string | undefined> =>
  isatty(0)
    ? HiddenLine.read(sink, `Key for ${Key.told(whose)} (not shown): `)
    : Effect.sync(() => readFileSync(0, "utf8"))

const remove = (whose: Whose, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const places = yield* Key.stored((secrets) => secrets.remove(Key.nameOf(whose)))
    if (places.length === 0)
      return yield* usage(`no key is stored for ${Key.told(whose)}`, "There is nothing to remove.")
    sink.out(`Removed the key for ${Key.told(whose)} from ${places.join(" and ")}.\n`)
    return 0 as const
  })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const whose = yield* whoseOf(
      text(parsed, "host"),
      text(parsed, "service"),
      text(parsed, "mode") as Key.Mode | undefined
    )
    if (isSet(parsed, "remove")) return yield* remove(whose, sink)
    const line = yield* typed(sink, whose)
    if (line === undefined) return 130
    const key = line.trim()
    redaction.add(key)
    if (!valid.test(key)) {
      const what = key === "" ? "no key was given" : "this is not a key, it has blanks or characters that no key has"
      return yield* usage(what, "Type or paste it, or give it on stdin. Nothing was stored.")
    }
    const place = yield* Key.stored((secrets) => secrets.set(Key.nameOf(whose), Redacted.make(key)))
    sink.out(`Stored the key for ${Key.told(whose)} in ${place}.\n`)
    const variable = Key.keyVariable(whose)
    if ((process.env[variable] ?? "") !== "") sink.err(`${variable} is set: it comes first.\n`)
    return 0
  })
