/** `belay mcp list`: the MCP servers of the user and of this folder; none is started. */
import * as DataFolder from "@belay/history-store/data-folder"
import { Words } from "@belay/interaction"
import { McpServers } from "@belay/tool-executor/mcp"
import * as Effect from "effect/Effect"
import { type Parsed, text } from "../../cli/Arguments.ts"
import type { ExitCode, Failure } from "../../cli/Failure.ts"
import * as Home from "../../settings/Home.ts"
import * as Mcp from "../../settings/Mcp.ts"
import * as Appearance from "../../output/Appearance.ts"
import type { Sink } from "../../output/Sink.ts"
import * as Table from "../../output/Table.ts"

const columns = [{ title: "NAME" }, { title: "FROM" }, { title: "RUNS", shrinksTo: 20 }, { title: "STATE" }]

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const workspace = yield* Effect.fromResult(Home.workspace(text(parsed, "cwd")))
    const { notes, problems, servers } = yield* Effect.flatMap(McpServers, ({ list }) => list(workspace))
    if (text(parsed, "output") === "json") {
      const rows = servers.map((server) => ({
        name: server.name,
        from: server.origin,
        runs: Mcp.where(server.definition),
        state: Mcp.stateText(server)
      }))
      sink.data(`${JSON.stringify({ servers: rows, problems, notes })}\n`)
    } else {
      const rows = servers.map((server) =>
        [server.name, server.origin, Mcp.where(server.definition), Mcp.stateText(server)].map((cell) => ({
          text: cell
        }))
      )
      if (rows.length > 0) {
        const lines = Table.render(columns, rows, [], Appearance.of(parsed))
        sink.out(lines.map((line) => `${line}\n`).join(""))
      }
      for (const line of [...problems, ...notes]) sink.err(`belay: ${Words.printable(line)}\n`)
      if (rows.length === 0 && problems.length === 0) {
        sink.err("There are no MCP servers. Add one: belay mcp add NAME -- COMMAND\n")
      }
    }
    return problems.length === 0 ? (0 as const) : (2 as const)
  }).pipe(Effect.provide(Mcp.layer(DataFolder.directory())))
