/**
 * `belay auth`: keeps a key for one host, or removes it.
 *
 * The key is typed unseen or comes on stdin, never among the arguments, where every process could read it.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { readFileSync } from "node:fs"
import { isatty } from "node:tty"
import { isSet, type Parsed, text } from "../Arguments.ts"
import { type ExitCode, type Failure, usage } from "../Failure.ts"
import * as HiddenLine from "../HiddenLine.ts"
import * as Key from "../Key.ts"
import type { Sink } from "../output/Sink.ts"
import { redaction } from "../Redaction.ts"
import * as User from "../settings/User.ts"

/** What a header can carry: https://www.rfc-editor.org/rfc/rfc9110 section 5.5, without blanks. */
const valid = /^[\u0021-\u007E]{1,4096}$/

const hostOf = (given: string | undefined): Effect.Effect<string, Failure> => {
  if (given === undefined) {
    const server = Effect.flatMap(User.load, ({ model }) => Key.server(model?.baseUrl))
    return Effect.map(server, ({ host }) => host)
  }
  const url = `https://${given}`
  return URL.canParse(url) && new URL(url).host === given.toLowerCase()
    ? Effect.succeed(new URL(url).host)
    : Effect.fail(usage(`--host cannot be "${given}"`, "Give a host such as api.anthropic.com or localhost:8080."))
}

const typed = (sink: Sink, host: string): Effect.Effect<string | undefined> =>
  isatty(0) ? HiddenLine.read(sink, `Key for ${host} (not shown): `) : Effect.sync(() => readFileSync(0, "utf8"))

const remove = (host: string, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const places = yield* Key.stored((secrets) => secrets.remove(host))
    if (places.length === 0) return yield* usage(`no key is stored for ${host}`, "There is nothing to remove.")
    sink.out(`Removed the key for ${host} from ${places.join(" and ")}.\n`)
    return 0 as const
  })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const host = yield* hostOf(text(parsed, "host"))
    if (isSet(parsed, "remove")) return yield* remove(host, sink)
    const line = yield* typed(sink, host)
    if (line === undefined) return 130
    const key = line.trim()
    redaction.add(key)
    if (!valid.test(key)) {
      const what = key === "" ? "no key was given" : "this is no key, it has blanks or characters that no key has"
      return yield* usage(what, "Type or paste it, or give it on stdin. Nothing was stored.")
    }
    const place = yield* Key.stored((secrets) => secrets.set(host, Redacted.make(key)))
    sink.out(`Stored the key for ${host} in ${place}.\n`)
    if ((process.env["ANTHROPIC_API_KEY"] ?? "") !== "") {
      sink.err("ANTHROPIC_API_KEY is set: it comes first.\n")
    }
    return 0
  })
