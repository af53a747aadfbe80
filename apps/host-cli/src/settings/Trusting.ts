/**
 * Whether what a folder brings for its tasks counts: only once a person trusts exactly this content of it.
 *
 * In a terminal it is asked once for each content; elsewhere `belay trust` says it. Until then nothing of it counts, and
 * one line says so and what to do.
 */
import { Words } from "@belay/task-engine/protocol"
import * as Trust from "@belay/task-engine/trust"
import * as DataFolder from "@belay/history-store/data-folder"
import * as Effect from "effect/Effect"
import type { Failure } from "../Failure.ts"
import type { Sink } from "../output/Sink.ts"
import { failure } from "./SettingsFile.ts"

/** Asks one thing of the person at the terminal. */
export type Ask = (prompt: string) => Effect.Effect<string>

const indented = (text: string): string =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => `  ${Words.printable(line)}\n`)
    .join("")

export type Whole = Extract<Trust.Content, { readonly _tag: "Whole" }>

/** What of a folder counts only once it is trusted; empty when there is nothing. */
export const named = ({ files, servers, settings }: Whole): string => {
  const parts = [
    ...(settings === undefined ? [] : ["settings"]),
    ...(files.length === 0 || settings !== undefined ? [] : ["rules, skills and commands"]),
    ...(servers === undefined ? [] : ["MCP servers"])
  ]
  return parts.join(" and ")
}

/** What would count, for the person who is to judge it. */
export const shown = ({ files, servers, settings }: Whole): string =>
  [
    ...(files.length === 0
      ? []
      : [`This folder has instructions for the model:\n${indented(files.slice(0, 20).join("\n"))}`]),
    ...(settings === undefined
      ? []
      : [`This folder has settings of its own (.belay/settings.json):\n${indented(settings)}`]),
    ...(servers === undefined
      ? []
      : [
          `This folder has MCP servers of its own (.belay/mcp.json):\n${indented(servers)}`,
          "Their programs run on this machine without a sandbox. "
        ]),
    ...(files.length === 0 && settings === undefined ? [] : ["They cannot allow more than yours do. "])
  ].join("")

export const choice = "1 Trust this content   2 Ignore it\n> "

/** What was said of it, else what the person says now, which is kept; no without an answer. */
export const isTrusted = (workspace: string, content: Whole, ask: Ask | undefined): Effect.Effect<boolean, Failure> =>
  Effect.gen(function* () {
    const directory = DataFolder.directory()
    const said = yield* Trust.said(directory, workspace, content.hash)
    if (said !== undefined || ask === undefined) return said === true
    const answer = yield* ask(`${shown(content)}${choice}`)
    if (answer === "1" || answer === "2") yield* Trust.say(directory, workspace, content.hash, answer === "1")
    return answer === "1"
  }).pipe(Effect.mapError(failure))

const quoted = (folder: string): string => (/^[\w./-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", "'\\''")}'`)

/** The command that trusts a folder, as it is typed here. */
export const command = (workspace: string): string =>
  workspace === process.cwd() ? "belay trust" : `belay trust --cwd ${quoted(workspace)}`

/** One line where something of a folder is ignored. */
export const advise = (workspace: string, sink: Sink): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const content = Trust.content(workspace)
    if (content._tag === "Unreadable") sink.err(`Restricted: ${content.why}. What it configures is ignored.\n`)
    if (content._tag !== "Whole" || named(content) === "" || (yield* isTrusted(workspace, content, undefined))) return
    const what = `Its ${named(content)} are ignored`
    sink.err(`Restricted: this folder is not trusted. ${what}. To see and trust them: ${command(workspace)}\n`)
  })
