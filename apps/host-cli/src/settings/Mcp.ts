/**
 * The MCP servers of this user, and what commands say about one.
 *
 * The user's file is changed only when the whole file is valid afterwards; what else it holds stays.
 */
import * as DataFolder from "@belay/history-store/data-folder"
import { Words } from "@belay/interaction"
import * as Trust from "@belay/settings/trust"
import { McpServers, ServerFile, Servers } from "@belay/tool-executor/mcp"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { type Failure, usage } from "../cli/Failure.ts"
import { redaction } from "../output/Redaction.ts"
import * as SettingsFile from "./SettingsFile.ts"

/** `given` are servers of this run alone, `rules` what the user's settings pass of the environment. */
export const layer = (
  directory: string,
  more: Pick<Servers.Options, "given" | "rules"> = {}
): Layer.Layer<McpServers> =>
  McpServers.layer({
    directory,
    ...more,
    onSecret: redaction.add,
    project: (workspace) => Trust.servers(directory, workspace, "To see and trust it: belay trust")
  })

export const file = (): string => Servers.userFile(DataFolder.directory())

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}

/** Changes the servers of the user's file. Errors: one line; then nothing is changed. */
export const change = (by: (servers: Fields) => Effect.Effect<Fields, Failure>): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const before = fieldsOf((yield* SettingsFile.read(file())) ?? {})
    const after = { ...before, mcpServers: yield* by(fieldsOf(before["mcpServers"])) }
    yield* Effect.mapError(ServerFile.decode(after, { file: file(), whose: "user" }), ({ problem }) =>
      usage(`the MCP servers cannot be used, ${problem} (${file()})`, "Correct it.")
    )
    yield* SettingsFile.write(file(), after)
  })

/** What is run or reached, without what may be secret in it. */
export const where = (definition: ServerFile.Definition): string =>
  Words.printable(
    redaction.text(
      ServerFile.isLocal(definition)
        ? [definition.command, ...(definition.args ?? [])].join(" ")
        : definition.url.replace(/\?.*$/s, "?…")
    )
  )

export const stateText = ({ state }: Servers.Server): string => {
  switch (state._tag) {
    case "Connected": {
      const count = state.tools.length
      return `connected, ${count} ${count === 1 ? "tool" : "tools"}`
    }
    case "Failed":
      return `failed: ${Words.printable(redaction.text(state.reason))}`
    case "Untrusted":
      return "not trusted"
    case "Disabled":
      return "switched off"
    default:
      return "not started"
  }
}

/** What is to know of a tool beside its name. */
export const toolState = ({ approved, mark }: Servers.Tool): string =>
  mark === "disabled"
    ? "switched off"
    : [
        ...(approved ? [] : ["not approved: it has changed or is new"]),
        ...(mark === "readOnly" ? ["read-only"] : [])
      ].join(", ")
