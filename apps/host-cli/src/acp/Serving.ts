/**
 * `belay acp`: an agent of the Agent Client Protocol, version 1, at stdin and stdout.
 *
 * stdout is the protocol's alone. Nothing is opened before a request needs it. When the client is gone, everything that
 * runs here is stopped, and nothing of it is lost.
 */
import * as Protocol from "@agentclientprotocol/sdk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { Readable } from "node:stream"
import type { ExitCode } from "../cli/Failure.ts"
import { redaction } from "../output/Redaction.ts"
import type { Sink } from "../output/Sink.ts"
import * as Signals from "../terminal/Signals.ts"
import { Agent } from "./Agent.ts"
import * as Methods from "./Methods.ts"

/** A message a line, without what is secret in this process. */
const output = (): WritableStream<Uint8Array> => {
  const decoder = new TextDecoder()
  return new WritableStream({
    write: (chunk) =>
      new Promise((resolve, reject) => {
        process.stdout.write(redaction.text(decoder.decode(chunk)), (error) => (error ? reject(error) : resolve()))
      })
  })
}

/** Serves one client until it is gone. */
export const serve = (sink: Sink): Effect.Effect<ExitCode> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const gone = yield* Deferred.make<void>()
    const context = yield* Effect.context()
    const agents: Array<Agent> = []
    const connection = Methods.appOf(() => agents[0]!)
      .onConnect(({ client }) => {
        agents.push(new Agent(client, sink, scope, context))
      })
      .connect(Protocol.ndJsonStream(output(), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>))
    void connection.closed.then(() => Effect.runForkWith(context)(Deferred.succeed(gone, undefined)))
    yield* Signals.onFirst(() => Deferred.succeed(gone, undefined))
    yield* Deferred.await(gone)
    for (const { stop } of agents) yield* Effect.ignore(stop)
    connection.close()
    process.stdin.destroy()
    return 0 as const
  }).pipe(Effect.scoped)
