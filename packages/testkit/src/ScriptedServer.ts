/**
 * A server on loopback that speaks the wire protocol of Anthropic's Messages API and answers from a scenario.
 *
 * It gives the same answer to the same request, whenever it comes: a task that is killed and resumed repeats its request
 * and reads the same bytes. Only faults limited by `times` count. It listens on 127.0.0.1 alone, at a free port.
 * Beside the API it answers `GET /__requests` (what it received, as JSON) and `POST /__release/<gate>`.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Answering, authorized, sendError, sendJson } from "./internal/answering.ts"
import { Conversations, isBody } from "./internal/conversations.ts"
import { counts } from "./internal/dialects.ts"
import { Gates } from "./internal/gates.ts"
import { type Condition, Ledger, type RecordedRequest, redact } from "./internal/ledger.ts"
import { parse, type Scenario, type ScenarioInvalid } from "./Scenario.ts"

export { fingerprint, type Condition, type RecordedRequest } from "./internal/ledger.ts"

/** A server of the Messages API on loopback that answers by its scenario and records every request. */
export interface ScriptedServer {
  /** The base URL, without a slash at the end. */
  readonly url: string
  readonly port: number
  /** What came in, oldest first; it grows while the server runs. */
  readonly requests: ReadonlyArray<RecordedRequest>
  /** How many connections were opened so far. */
  readonly connections: () => number
  /** Opens a gate for good. */
  readonly release: (gate: string) => void
  /** Resolves once so many requests came, or once the predicate holds; rejects when the server is closed before. */
  readonly waitForRequests: (condition: Condition) => Promise<ReadonlyArray<RecordedRequest>>
  /** Stops listening and drops every connection. */
  readonly close: () => Promise<void>
}

const readBody = (request: IncomingMessage, done: (raw: string) => void): void => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => done(chunks.length === 1 ? chunks[0]!.toString() : Buffer.concat(chunks).toString()))
}

const parseBody = (raw: string): unknown => {
  try {
    return JSON.parse(raw)
  } catch {
    return undefined
  }
}

const handler = (scenario: Scenario, gates: Gates, ledger: Ledger) => {
  const conversations = new Conversations(scenario)
  const answering = new Answering(gates, scenario.dialect)
  let served = 0

  const api = (path: string, task: string | undefined, body: unknown, raw: string, response: ServerResponse) => {
    if (!isBody(body)) {
      sendError(response, { status: 400, message: "The request body is not valid JSON" })
    } else if (path === "/v1/messages") {
      const choice = conversations.choose(task, body)
      if (typeof choice === "string") sendError(response, { status: 400, message: choice })
      else answering.send(response, choice, body)
    } else if (path === "/v1/messages/count_tokens" && scenario.countTokens !== false && counts(scenario.dialect)) {
      sendJson(response, 200, JSON.stringify({ input_tokens: scenario.countTokens ?? Math.ceil(raw.length / 4) }))
    } else sendError(response, { status: 404 })
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    const at = performance.timeOrigin + performance.now()
    const path = new URL(request.url ?? "/", "http://127.0.0.1").pathname
    if (request.method === "GET" && path === "/__requests") {
      return sendJson(response, 200, JSON.stringify(ledger.requests))
    }
    readBody(request, (raw) => {
      if (path.startsWith("/__release/")) {
        gates.release(decodeURIComponent(path.slice("/__release/".length)))
        return sendJson(response, 200, "{}")
      }
      const header = request.headers["x-belay-task"]
      const taskId = typeof header === "string" ? header : undefined
      const body = parseBody(raw)
      response.setHeader("request-id", `req_${++served}`)
      if (scenario.record !== false) {
        const recorded = { at, path, taskId, headers: redact(request.headers), body, raw, aborted: false }
        response.on("close", () => {
          if (!response.writableFinished && !answering.cut.has(response)) ledger.abort(recorded)
        })
        ledger.add(recorded)
      }
      if (!authorized(scenario, request.headers)) sendError(response, { status: 401 })
      else api(path, taskId, body, raw, response)
    })
  }
}

const listen = (scenario: Scenario): Promise<ScriptedServer> => {
  const gates = new Gates()
  const ledger = new Ledger()
  const server = createServer(handler(scenario, gates, ledger))
  let opened = 0
  server.on("connection", () => opened++)
  server.keepAliveTimeout = 0
  const { promise, reject, resolve } = Promise.withResolvers<ScriptedServer>()
  const close = () => {
    const closed = Promise.withResolvers<void>()
    ledger.close()
    server.close(() => closed.resolve())
    server.closeAllConnections()
    return closed.promise
  }
  server.once("error", reject)
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    resolve({
      url: `http://127.0.0.1:${port}`,
      port,
      requests: ledger.requests,
      connections: () => opened,
      release: (gate) => gates.release(gate),
      waitForRequests: (condition) => ledger.wait(condition),
      close
    })
  })
  return promise
}

/** Starts a server for scripts; rejects with `ScenarioInvalid`. The caller closes it. */
export const startServer = (scenario: Scenario): Promise<ScriptedServer> =>
  Effect.runPromise(parse(scenario)).then(listen)

/** Starts a server that is closed with its scope. */
export const start = (scenario: Scenario): Effect.Effect<ScriptedServer, ScenarioInvalid, Scope.Scope> =>
  Effect.flatMap(parse(scenario), (valid) =>
    Effect.acquireRelease(
      Effect.promise(() => listen(valid)),
      (server) => Effect.promise(() => server.close())
    )
  )
