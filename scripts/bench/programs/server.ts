/**
 * The scripted server of the bench, in a process of its own: `node server.ts scenario.json`.
 *
 * Prints `{"url"}`, then answers each line on stdin with one line: when every request came and every answer was sent
 * since the line before (`CLOCK_MONOTONIC`, in ms), and the first request's body when the scenario records.
 */
import { startServer } from "../../../packages/testkit/src/ScriptedServer.ts"
import { subscribe } from "node:diagnostics_channel"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { now, type Served } from "./clock.ts"

let received: Array<number> = []
let sent: Array<number> = []
subscribe("http.server.request.start", () => void received.push(now()))
subscribe("http.server.response.finish", () => void sent.push(now()))

const server = await startServer(JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")))
process.stdout.write(`${JSON.stringify({ url: server.url })}\n`)
createInterface({ input: process.stdin })
  .on("line", () => {
    const served: Served = { received, sent, first: server.requests[0]?.body }
    process.stdout.write(`${JSON.stringify(served)}\n`)
    received = []
    sent = []
  })
  .on("close", () => process.exit(0))
