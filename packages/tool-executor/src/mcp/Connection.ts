/**
 * One server that is connected: its tools and resources, calls with a time limit, and how it ended.
 *
 * Lives as long as its scope. What it is asked is asked once: a call that is lost is never sent again. No capability is
 * offered to the server: it cannot ask for a model, for files or for the user. Schemas of the server are not compiled.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
import { StreamableHTTPClientTransport, StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { RequestOptions } from "@modelcontextprotocol/sdk/shared/protocol.js"
import {
  CallToolResultSchema,
  ErrorCode,
  McpError,
  ReadResourceResultSchema,
  ToolListChangedNotificationSchema
} from "@modelcontextprotocol/sdk/types.js"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as path from "node:path"
import * as CommandEnvironment from "../workspace/process/CommandEnvironment.ts"
import type * as PassedVariables from "../workspace/process/PassedVariables.ts"
import * as PlainText from "../workspace/text/PlainText.ts"
import { limited } from "./limitedFetch.ts"
import { McpServerError } from "./McpServerError.ts"
import * as Offered from "./Offered.ts"
import type { Connection, Lists } from "./ServerConnection.ts"
import * as ServerFile from "./ServerFile.ts"
import * as StdioTransport from "./StdioTransport.ts"

export interface Options {
  readonly name: string
  readonly definition: ServerFile.Definition
  /** With the values of the environment in place. */
  readonly values: Readonly<Record<string, string>>
  readonly workspace: string
  readonly environment: CommandEnvironment.Environment
  /** What the user's settings pass and block. */
  readonly rules?: PassedVariables.Rules
}

const startMillis = 30_000
const defaultSeconds = 120
/** A call that reports progress may go on, but not for ever. */
const longestCallMillis = 3_600_000
/** Of what a server said last. */
const lastLines = 5

interface Wire {
  readonly transport: StdioTransport.Stdio["transport"]
  readonly ended: () => string | undefined
  readonly log: () => string
}

const localWire = (options: Options, definition: ServerFile.Local) =>
  StdioTransport.make({
    program: definition.command,
    args: definition.args ?? [],
    cwd: path.resolve(options.workspace, definition.cwd ?? "."),
    env: {
      // What a server is called is a program of the person, never one of the project with this name.
      ...CommandEnvironment.scrub(options.environment, options.workspace, {
        outside: true,
        ...(options.rules === undefined ? {} : { rules: options.rules })
      }),
      ...options.values
    }
  })

/** The transport of before; closing the client ends it. */
const sseWire = ({ values }: Options, definition: ServerFile.Remote): Wire => ({
  transport: new SSEClientTransport(new URL(definition.url), {
    requestInit: { headers: { ...values } },
    fetch: limited
  }),
  ended: () => undefined,
  log: () => ""
})

const remoteWire = (options: Options, definition: ServerFile.Remote): Effect.Effect<Wire, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const made = new StreamableHTTPClientTransport(new URL(definition.url), {
        requestInit: { headers: { ...options.values } },
        fetch: limited
      })
      const transport = made as unknown as Wire["transport"]
      return { made, wire: { transport, ended: () => undefined, log: () => "" } }
    }),
    ({ made }) =>
      Effect.ignore(
        Effect.timeout(
          Effect.tryPromise(() => made.terminateSession()),
          "2 seconds"
        )
      )
  ).pipe(Effect.map(({ wire }) => wire))

const line = (text: string): string =>
  PlainText.name(text.trim())
    .slice(0, 500)
    .replace(/[.\s]+$/, "")

const textOf = (cause: unknown): string => line(cause instanceof Error ? cause.message : String(cause))

export const make = (options: Options): Effect.Effect<Connection, McpServerError, Scope.Scope> =>
  Effect.gen(function* () {
    const { definition, name } = options
    const failed = (reason: McpServerError["reason"], problem: string) =>
      new McpServerError({ server: name, reason, problem })
    const wire: Wire = yield* ServerFile.isLocal(definition)
      ? Effect.mapError(localWire(options, definition), (error) => failed("start", `${line(error.message)}.`))
      : definition.type === "sse"
        ? Effect.succeed(sseWire(options, definition))
        : remoteWire(options, definition)
    const client = new Client({ name: "belay", version: "1" }, { capabilities: {} })
    let gone: string | undefined
    let known: Lists | undefined
    Object.assign(client, {
      onclose: () => {
        gone ??= "was stopped"
      }
    } satisfies Partial<Client>)
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      known = undefined
    })
    const ended = () => wire.ended() ?? gone
    const lastWords = () => {
      const last = wire.log().trim().split("\n").slice(-lastLines).map(line).filter(Boolean)
      return last.length === 0 ? "" : ` It said: ${last.join("; ")}.`
    }
    const limit = Math.min(startMillis, (definition.timeoutSeconds ?? Infinity) * 1000)
    const notThere = (cause: unknown) => {
      const isLate = cause instanceof McpError && cause.code === (ErrorCode.RequestTimeout as number)
      const late = `'${name}' did not answer within ${limit / 1000} s`
      const why = isLate ? late : (wire.ended() ?? `did not start, ${textOf(cause)}`)
      return failed("start", `The server ${why}.${lastWords()}`)
    }
    yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: (signal) => client.connect(wire.transport, { timeout: limit, signal }),
        catch: notThere
      }),
      () => Effect.ignore(Effect.tryPromise(() => client.close()))
    )

    /** Whether it is known that nothing happened. */
    const errorOf = (what: string, seconds: number, cause: unknown): McpServerError => {
      if (cause instanceof McpError && cause.code === (ErrorCode.RequestTimeout as number)) {
        return failed(
          "unknown",
          `${what} of the server '${name}' did not answer within ${seconds} s, and was told to stop. It is not known whether it took effect.${lastWords()}`
        )
      }
      const closed = cause instanceof McpError && cause.code === (ErrorCode.ConnectionClosed as number)
      if (cause instanceof McpError && !closed) return failed("refused", `${what}: ${textOf(cause)}.`)
      // A session that is over, or a server that is not there any more.
      gone ??= cause instanceof StreamableHTTPError ? textOf(cause) : "is not there any more"
      const how = ended() ?? "is not there any more"
      return failed(
        "unknown",
        `The server ${how} while ${what} ran. It is not known whether it took effect.${lastWords()}`
      )
    }

    const within = <A>(
      what: string,
      millis: number,
      request: (options: RequestOptions) => Promise<A>
    ): Effect.Effect<A, McpServerError> =>
      Effect.tryPromise({
        try: (signal) => request({ signal, timeout: millis }),
        catch: (cause) => errorOf(what, millis / 1000, cause)
      })

    const lists: Connection["lists"] = Effect.suspend(() =>
      known === undefined
        ? Effect.tap(Offered.look(client, within), (found) =>
            Effect.sync(() => {
              known = found
            })
          )
        : Effect.succeed(known)
    )

    const seconds = definition.timeoutSeconds ?? defaultSeconds

    const call: Connection["call"] = (tool, args, progress) =>
      within(`'${line(tool)}'`, seconds * 1000, (given) =>
        client.request({ method: "tools/call", params: { name: tool, arguments: { ...args } } }, CallToolResultSchema, {
          ...given,
          resetTimeoutOnProgress: true,
          maxTotalTimeout: longestCallMillis,
          onprogress: ({ message, progress: done, total }) => {
            const part = total === undefined ? `${done}` : `${done} of ${total}`
            progress(`${PlainText.output(message ?? part)}\n`)
          }
        })
      )

    return {
      lists,
      call,
      read: (uri) =>
        within(`the resource '${line(uri)}'`, seconds * 1000, (given) =>
          client.request({ method: "resources/read", params: { uri } }, ReadResourceResultSchema, given)
        ),
      ended,
      log: wire.log
    }
  })
