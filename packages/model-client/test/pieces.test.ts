import { assert, describe, it } from "@effect/vitest"
import { ModelClient } from "@belay/model-client"
import * as Effect from "effect/Effect"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { decode } from "./decoding.ts"
import { recorded } from "./fixtures/streams.ts"
import { errorOf, layer, request, run } from "./harness.ts"

/** A server that answers the n-th request as `answer` says, and a client of it. */
const serving = (answer: (response: ServerResponse, number: number) => void) =>
  Effect.gen(function* () {
    let number = 0
    const server = createServer((asked, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      asked.resume().once("end", () => answer(response, number++))
    })
    yield* Effect.acquireRelease(
      Effect.promise(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))),
      () => Effect.sync(() => server.close().closeAllConnections())
    )
    const { port } = server.address() as AddressInfo
    const built = layer(`http://127.0.0.1:${port}`, { maxRetries: 0 })
    return yield* Effect.provide(Effect.service(ModelClient.ModelClient), built)
  })

/** Each piece leaves when the one before it has. */
const inPieces = (response: ServerResponse, bytes: Uint8Array, size: number): void => {
  if (bytes.length === 0) return void response.end()
  response.write(bytes.subarray(0, size), () => setImmediate(() => inPieces(response, bytes.subarray(size), size)))
}

describe("an answer over a connection", () => {
  it.live("is the one that its bytes are, whatever pieces it comes in", () =>
    Effect.gen(function* () {
      const sizes = [16, 200]
      const client = yield* serving((response, number) => {
        const bytes = recorded[Math.floor(number / sizes.length)]?.bytes ?? assert.fail("asked too often")
        inPieces(response, bytes, sizes[number % sizes.length] ?? 16)
      })
      for (const { bytes, name, whole } of recorded) {
        const { end, events } = yield* Effect.promise(() => decode([bytes]))
        const expected = JSON.stringify(typeof end === "string" ? events : [...events, end])
        for (const size of sizes) {
          const outcome = yield* run(client, request())
          assert.strictEqual(JSON.stringify(outcome.events), expected, `${name} in pieces of ${size}`)
          assert.strictEqual(outcome.result._tag === "Success", whole, name)
        }
      }
    }).pipe(Effect.scoped)
  )

  it.live("that does not end is given up, and its connection is closed", () =>
    Effect.gen(function* () {
      const closed = Promise.withResolvers<void>()
      let sent = 0
      const piece = Buffer.alloc(1_000_000, "x")
      const without = (response: ServerResponse) => {
        const more = () => {
          sent += piece.length
          response.write(piece, (failed) => (failed ? undefined : more()))
        }
        response.once("close", () => closed.resolve())
        response.write("data: ")
        more()
      }
      const client = yield* serving(without)
      const error = errorOf(yield* run(client, request()))
      assert.include(error.message, "the answer is longer than 64 MB")
      assert.isBelow(sent, 100_000_000)
      yield* Effect.promise(() => closed.promise)
    }).pipe(Effect.scoped)
  )
})
