/**
 * Runs a scripted server as a process of its own: `node server-process.ts scenario.json`.
 *
 * Prints `{"url":"http://127.0.0.1:<port>"}` as its only line and serves until it is killed. A scenario that cannot be
 * read or is not valid ends it with code 1 and one line on stderr.
 */
import { readFileSync } from "node:fs"
import type { Scenario } from "./Scenario.ts"
import { startServer } from "./ScriptedServer.ts"

const fail = (error: unknown): never => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}

const path = process.argv[2]
if (path === undefined) fail("Usage: node server-process.ts <scenario.json>")

await Promise.resolve()
  .then(() => {
    const scenario: Scenario = JSON.parse(readFileSync(path!, "utf8"))
    return startServer(scenario)
  })
  .then((server) => process.stdout.write(`${JSON.stringify({ url: server.url })}\n`), fail)
