/**
 * `belay mcp serve`: durable tasks for every client of the Model Context Protocol, at stdin and stdout.
 *
 * stdout is the protocol's alone. The server runs no task: it reads and writes the history, so that it can end at any moment,
 * as clients end it. Nothing is opened before a call needs it.
 */
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import { Writable } from "node:stream"
import { type Parsed, text, texts } from "../cli/Arguments.ts"
import { type ExitCode, type Failure, fromError, usage } from "../cli/Failure.ts"
import { redaction } from "../output/Redaction.ts"
import type { Sink } from "../output/Sink.ts"
import * as RunOptions from "../session/RunOptions.ts"
import * as Home from "../settings/Home.ts"
import * as Signals from "../terminal/Signals.ts"
import * as Server from "./Server.ts"
import * as Services from "./Services.ts"

declare const BELAY_VERSION: string | undefined

const defaults = { maxRequests: 200, maxCostUsd: 2 }

const rootsOf = (parsed: Parsed) =>
  Effect.gen(function* () {
    const named = texts(parsed, "root")
    const [first, ...rest] = named.length > 0 ? named : [process.env["CLAUDE_PROJECT_DIR"] ?? process.cwd()]
    const all = yield* Effect.forEach(rest, (root) => Effect.fromResult(Home.workspace(root)))
    return [yield* Effect.fromResult(Home.workspace(first)), ...all] as const
  })

const toolsOf = (parsed: Parsed): Effect.Effect<ReadonlyArray<string>, Failure> => {
  const named = (text(parsed, "tools") ?? "").split(",").filter((name) => name !== "")
  const unknown = named.find((name) => !Server.names.some((known) => known === name))
  return unknown === undefined
    ? Effect.succeed(named)
    : Effect.fail(usage(`there is no tool "${unknown}"`, `Use some of ${Server.names.join(",")}.`))
}

/** A message a line, without what is secret in this process. */
const output = (): Writable => {
  const decoder = new TextDecoder()
  return new Writable({
    decodeStrings: true,
    write: (chunk: Buffer, _encoding, done) =>
      void process.stdout.write(redaction.text(decoder.decode(chunk, { stream: true })), done)
  })
}

/** Serves one client until it is gone. */
export const serve = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const options = yield* RunOptions.decode(parsed)
    const roots = yield* rootsOf(parsed)
    const tools = yield* toolsOf(parsed)
    const limits = {
      maxRequests: options.maxRequests ?? defaults.maxRequests,
      maxCostUsd: options.maxCostUsd ?? defaults.maxCostUsd
    }
    const scope = yield* Effect.scope
    const base = yield* Effect.context()
    const opening = Semaphore.makeUnsafe(1)
    let opened: Services.Opened | undefined
    const open = opening.withPermit(
      Effect.suspend(() =>
        opened === undefined
          ? Effect.tap(Services.open(scope), (found) => Effect.sync(() => (opened = found)))
          : Effect.succeed(opened)
      )
    )
    const make = () =>
      Server.make({
        version: typeof BELAY_VERSION === "string" ? BELAY_VERSION : "source",
        roots,
        tools,
        profile: { options, limits },
        unattended: text(parsed, "unattended") === "wait" ? "wait" : "deny",
        access: (mode) => Effect.flatMap(open, ({ ways }) => Effect.fromResult(ways[mode].access)),
        perform: async (wish, signal) => {
          const run = Effect.flatMap(open, ({ services }) => Effect.provide(wish, Context.merge(base, services)))
          const exit = await Effect.runPromiseExitWith(base)(run, { signal })
          if (Exit.isSuccess(exit)) return exit.value
          throw Cause.squash(exit.cause)
        },
        told: (error) => {
          const { hint, what } = fromError(error)
          return `${what}. ${hint}`
        }
      })
    const gone = yield* Deferred.make<void>()
    const leave = (): void => void Effect.runFork(Deferred.succeed(gone, undefined))
    for (const event of ["end", "close", "error"]) process.stdin.once(event, leave)
    process.stdout.once("error", leave)
    yield* Signals.onFirst(() => Deferred.succeed(gone, undefined))
    const connection = serveStdio(make, {
      transport: new StdioServerTransport(process.stdin, output()),
      onerror: (error) => sink.err(`belay: ${error.message}\n`)
    })
    yield* Deferred.await(gone)
    yield* Effect.promise(() => connection.close().catch(() => undefined))
    process.stdin.destroy()
    return 0 as const
  }).pipe(Effect.scoped)
