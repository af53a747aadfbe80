/**
 * `belay mcp test`: starts a server, and says what it offers or why it does not.
 *
 * Exit 0 when it can be used and all of its tools are approved. In a terminal a project is asked about first.
 */
import * as DataFolder from "@belay/history-store/data-folder"
import { Words } from "@belay/interaction"
import { variablesOf } from "@belay/settings/file"
import { type McpServerError, McpServers } from "@belay/tool-executor/mcp"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isSet, type Parsed, text } from "../../cli/Arguments.ts"
import { type ExitCode, Failure } from "../../cli/Failure.ts"
import * as Home from "../../settings/Home.ts"
import * as Mcp from "../../settings/Mcp.ts"
import type { Sink } from "../../output/Sink.ts"
import { redaction } from "../../output/Redaction.ts"
import * as Project from "../../settings/Project.ts"
import * as Trusting from "../../settings/Trusting.ts"
import * as User from "../../settings/User.ts"
import * as Terminal from "../../terminal/Terminal.ts"

const plain = (given: string): string => Words.printable(redaction.text(given))

const failed = (name: string, error: McpServerError): Failure =>
  new Failure({
    code: 1,
    tag: "McpServerFailed",
    what: `the server "${name}" cannot be used (${plain(error.message).replace(/\.$/, "")})`,
    hint: "See: belay mcp list"
  })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const [name = ""] = parsed.args
    const workspace = yield* Effect.fromResult(Home.workspace(text(parsed, "cwd")))
    const asking = Terminal.isAttended() ? (prompt: string) => Terminal.readLine(sink, prompt) : undefined
    yield* Project.load(workspace, asking)
    yield* Trusting.advise(workspace, sink)
    const servers = yield* McpServers
    if (isSet(parsed, "approve")) {
      yield* Effect.mapError(servers.approve(workspace, name), (error) => failed(name, error))
    }
    const { resources, tools } = yield* servers.ready(workspace, name).pipe(
      Effect.tapError(() =>
        Effect.sync(() => {
          if (isSet(parsed, "verbose")) sink.err(Words.printableLines(redaction.text(servers.log(workspace, name))))
        })
      ),
      Effect.mapError((error) => failed(name, error))
    )
    const all = [...tools.values()]
    const changed = all.filter(({ approved }) => !approved)
    if (text(parsed, "output") === "json") {
      const rows = all.map(({ approved, description, mark, name: tool }) => ({
        name: tool,
        description,
        approved,
        mark: mark ?? null
      }))
      sink.data(`${JSON.stringify({ name, tools: rows, resources })}\n`)
    } else {
      const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`
      sink.out(`${name} works: ${counted(all.length, "tool")}, ${counted(resources.length, "resource")}.\n`)
      for (const tool of all) {
        const state = Mcp.toolState(tool)
        const about = plain(tool.description.split("\n")[0] ?? "").slice(0, 100)
        sink.out(`  ${plain(tool.name)}${state === "" ? "" : ` (${state})`}: ${about}\n`)
      }
    }
    if (changed.length === 0) return 0 as const
    return yield* new Failure({
      code: 1,
      tag: "McpNotApproved",
      what: `${changed.length} of its tools have changed or are new since they were approved (${plain(changed.map((tool) => tool.name).join(", "))})`,
      hint: `Each call of them asks. Approve them: belay mcp test ${name} --approve`
    })
  }).pipe(
    Effect.provide(
      Layer.unwrap(Effect.map(User.load, (user) => Mcp.layer(DataFolder.directory(), { rules: variablesOf(user) })))
    )
  )
