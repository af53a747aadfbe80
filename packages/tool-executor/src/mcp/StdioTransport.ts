/**
 * A server as a process: one JSON message a line, with everything the server starts in one group.
 *
 * A line of more than 16 MB ends it. What it says on stderr is kept, the last 16,000 characters.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js"
import { Machine } from "@belay/machine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { setTimeout as passed } from "node:timers/promises"
import * as Invocation from "../workspace/process/Invocation.ts"
import * as ProcessGroup from "../workspace/process/ProcessGroup.ts"

const longestLine = 16 * 1024 * 1024
const longestLog = 16_000
/** Real time in which the last words of a server that ended are there. */
const lastMillis = 1000
/** Real time in which the end of a server is known that hears nothing more. */
const endMillis = 10 * lastMillis

export interface Options {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env: Record<string, string>
}

export interface Stdio {
  readonly transport: Transport
  /** How it ended, as a phrase. */
  readonly ended: () => string | undefined
  readonly log: () => string
}

const phrase = (exit: ProcessGroup.Exit): string =>
  exit._tag === "Exited" ? `exited with ${exit.code}` : `was ended by ${exit.signal}`

/** How it ended, with everything that it said until then; what it has started may still hold its pipes. */
const over = ({ closed, exit }: ProcessGroup.ProcessGroup) =>
  Effect.tap(exit, () =>
    Effect.timeoutOption(closed, lastMillis).pipe(Effect.provideService(Clock.Clock, Clock.Clock.defaultValue()))
  )

/** Lives as long as the scope; then no process of its group is left. */
export const make = (options: Options): Effect.Effect<Stdio, ProcessGroup.SpawnError, Scope.Scope> =>
  Effect.gen(function* () {
    let log = ""
    let ended: string | undefined
    let pieces: Array<string> = []
    let length = 0
    const known = Promise.withResolvers<void>()
    const close = (how: string): void => {
      if (ended !== undefined) return
      ended = how
      known.resolve()
      transport.onclose?.()
    }
    const receive = (line: string): void => {
      if (line.trim() === "") return
      try {
        transport.onmessage?.(JSONRPCMessageSchema.parse(JSON.parse(line)))
      } catch (cause) {
        // A server that prints to its standard output says so with every line: it is no reason to end it.
        transport.onerror?.(cause instanceof Error ? cause : new Error(String(cause)))
      }
    }
    const read = (chunk: string): void => {
      let from = 0
      for (let at = chunk.indexOf("\n"); at >= 0; at = chunk.indexOf("\n", from)) {
        pieces.push(chunk.slice(from, at))
        receive(pieces.join(""))
        pieces = []
        length = 0
        from = at + 1
      }
      if (from === chunk.length) return
      pieces.push(chunk.slice(from))
      length += chunk.length - from
      if (length > longestLine) {
        pieces = []
        length = 0
        close("said more than 16 MB in one message")
      }
    }
    const started = Invocation.of(options, yield* Machine.Current)
    if (typeof started === "string") {
      return yield* new ProcessGroup.SpawnError({ program: options.program, cause: started })
    }
    const group = yield* ProcessGroup.spawn({
      ...options,
      ...started,
      input: true,
      onOutput: (chunk, stream) => {
        if (ended !== undefined) return
        if (stream === "stdout") read(chunk)
        else log = (log + chunk).slice(-longestLog)
      }
    })
    yield* Effect.forkScoped(Effect.map(over(group), (exit) => close(phrase(exit))))
    const transport: Transport = {
      start: () => Promise.resolve(),
      send: (message: JSONRPCMessage) =>
        ended === undefined
          ? group.write(`${JSON.stringify(message)}\n`).catch(async (cause) => {
              await Promise.race([known.promise, passed(endMillis, undefined, { ref: false })])
              throw cause
            })
          : Promise.reject(new Error(`The server ${ended}.`)),
      close: () => {
        close("was stopped")
        return Promise.resolve()
      }
    }
    return { transport, ended: () => ended, log: () => log }
  })
