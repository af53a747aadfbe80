/**
 * Writes answers to a response. An answer without delay, gate or disconnection is rendered once and leaves in one write.
 */
import type { ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import type { Answer, Dialect, ErrorSpec, Scenario } from "../Scenario.ts"
import type { Body, Choice } from "./conversations.ts"
import type { Gates } from "./gates.ts"
import * as Wire from "./wire.ts"

const EVENTS = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" }

export const sendJson = (response: ServerResponse, status: number, body: string, headers = {}): void => {
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...headers
  })
  response.end(body)
}

export const sendError = (response: ServerResponse, error: ErrorSpec): void =>
  sendJson(response, error.status, Wire.errorBody(error), {
    ...(error.retryAfter === undefined ? {} : { "retry-after": String(error.retryAfter) }),
    ...(error.retryAfterMs === undefined ? {} : { "retry-after-ms": String(error.retryAfterMs) })
  })

const paced = (answer: Answer, faults: boolean): boolean =>
  answer.delayMs !== undefined || answer.hold !== undefined || (faults && answer.disconnectAtByte !== undefined)

export class Answering {
  readonly #gates: Gates
  readonly #dialect: Dialect | undefined
  readonly #rendered = new Map<string, Buffer>()
  /** Responses that were cut on purpose, which is not an abort by the client. */
  readonly cut = new WeakSet<ServerResponse>()

  constructor(gates: Gates, dialect: Dialect | undefined) {
    this.#gates = gates
    this.#dialect = dialect
  }

  send(response: ServerResponse, choice: Choice, body: Body): void {
    const { answer, faults } = choice
    const place: Wire.Place = {
      script: choice.script,
      answer: choice.index,
      model: body.model ?? "unknown",
      dialect: this.#dialect
    }
    if (faults && answer.error !== undefined) {
      const error = answer.error
      if (answer.hold === undefined) sendError(response, error)
      else void this.#gates.wait(answer.hold).then(() => sendError(response, error))
    } else if (faults && answer.page !== undefined) {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" })
      response.end(answer.page)
    } else if (body.stream !== true) {
      sendJson(response, 200, JSON.stringify(Wire.message(answer, place)))
    } else if (paced(answer, faults)) {
      void this.#pace(response, answer, Wire.render(answer, place, faults), faults)
    } else {
      const bytes = this.#bytes(answer, place, faults)
      response.writeHead(200, EVENTS)
      response.end(bytes)
    }
  }

  #bytes(answer: Answer, place: Wire.Place, faults: boolean): Buffer {
    const key = `${place.script}/${place.answer}/${faults}/${place.model}`
    let bytes = this.#rendered.get(key)
    if (bytes === undefined) {
      bytes = Buffer.from(Wire.render(answer, place, faults).events.join(""))
      this.#rendered.set(key, bytes)
    }
    return bytes
  }

  async #pace(response: ServerResponse, answer: Answer, rendered: Wire.Rendered, faults: boolean): Promise<void> {
    const limit = faults ? (answer.disconnectAtByte ?? Infinity) : Infinity
    const holdAt = Math.min(answer.holdAt ?? rendered.begun, rendered.events.length)
    let sent = 0
    for (const [index, event] of rendered.events.entries()) {
      if (answer.hold !== undefined && index === holdAt) await this.#gates.wait(answer.hold)
      if (answer.delayMs !== undefined) await sleep(answer.delayMs)
      if (response.destroyed) return
      if (!response.headersSent) {
        response.writeHead(200, EVENTS)
        response.flushHeaders()
      }
      const bytes = Buffer.from(event)
      const rest = limit - sent
      sent += bytes.length
      if (bytes.length >= rest) return this.#cutAfter(response, bytes.subarray(0, rest))
      response.write(bytes)
    }
    if (answer.hold !== undefined && holdAt === rendered.events.length) await this.#gates.wait(answer.hold)
    response.end()
  }

  /** The bytes reach the network before the socket goes away, so that the client reads all of them. */
  #cutAfter(response: ServerResponse, bytes: Uint8Array): void {
    this.cut.add(response)
    const destroy = () => response.destroy()
    if (bytes.length > 0) response.write(bytes, destroy)
    else response.socket?.write("", destroy)
  }
}

/** Whether the request carries the scenario's key. */
export const authorized = (scenario: Scenario, headers: { readonly [name: string]: unknown }): boolean =>
  scenario.apiKey === undefined ||
  headers["x-api-key"] === scenario.apiKey ||
  headers["authorization"] === `Bearer ${scenario.apiKey}`
