/**
 * Whether the rules, skills and commands of a folder count: the editor trusts the folder, and a person has trusted exactly
 * the content that it has now. Both hosts remember that in the same file.
 *
 * A content that nobody has been asked about counts for nothing, and a window asks about it once; no task waits for that.
 */
import * as Trust from "@belay/task-engine/trust"
import { Words } from "@belay/task-engine/protocol"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as vscode from "vscode"
import { Bridge, perform, tell } from "./Bridge.ts"

type Whole = Extract<Trust.Content, { readonly _tag: "Whole" }>

const look = "Look at it"
const trust = "Trust this content"
const ignore = "Ignore it"

const listed = 3

const named = (files: ReadonlyArray<string>): string => {
  const more = files.length > listed ? ` and ${files.length - listed} more` : ""
  return `${files.slice(0, listed).map(Words.printable).join(", ")}${more}`
}

/** All that a yes is for. */
const lineOf = (workspace: string, { files, servers, settings }: Whole): string =>
  [
    `The folder ${Words.printable(path.basename(workspace))} has instructions for the model (${named(files)}). Its tasks follow them from their next step on, once you trust this content.`,
    ...(settings === undefined ? [] : ["Its settings (.belay/settings.json) are trusted with it."]),
    ...(servers === undefined
      ? []
      : [
          "Its MCP servers (.belay/mcp.json) are trusted with it: their programs run on this machine, without a sandbox."
        ])
  ].join(" ")

const show = (workspace: string, files: ReadonlyArray<string>) =>
  Effect.forEach(
    files,
    (file) =>
      perform(() => vscode.window.showTextDocument(vscode.Uri.file(path.resolve(workspace, file)), { preview: false })),
    { discard: true }
  )

/** `directory`: the data folder. */
export const make = (directory: string) =>
  Effect.gen(function* () {
    const { log } = yield* Bridge
    const asked = new Set<string>()

    const ask = (workspace: string, content: Whole): Effect.Effect<void, unknown> =>
      Effect.gen(function* () {
        const line = lineOf(workspace, content)
        const answer = yield* perform(() => vscode.window.showInformationMessage(line, trust, look, ignore))
        if (answer === look) {
          const { files, servers, settings } = content
          const configured = [
            ...(settings === undefined ? [] : [".belay/settings.json"]),
            ...(servers === undefined ? [] : [".belay/mcp.json"])
          ]
          yield* show(workspace, [...files, ...configured])
          return yield* ask(workspace, content)
        }
        // What was asked about is what is trusted: another content by now is asked about again.
        if (answer !== undefined) yield* Trust.say(directory, workspace, content.hash, answer === trust)
      })

    const askOnce = (workspace: string, content: Whole) =>
      Effect.suspend(() => {
        const key = `${workspace}\n${content.hash}`
        if (asked.has(key)) return Effect.void
        asked.add(key)
        const question = Effect.catchCause(ask(workspace, content), (cause) => Effect.sync(() => tell(log, cause)))
        return Effect.asVoid(Effect.forkDetach(question))
      })

    return (workspace: string): Effect.Effect<boolean> =>
      Effect.gen(function* () {
        if (!vscode.workspace.isTrusted) return false
        const content = Trust.content(workspace)
        if (content._tag !== "Whole") return false
        const said = yield* Trust.said(directory, workspace, content.hash)
        if (said === undefined) yield* askOnce(workspace, content)
        return said === true
      }).pipe(Effect.orElseSucceed(() => false))
  })
