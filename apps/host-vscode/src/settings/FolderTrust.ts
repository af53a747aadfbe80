/**
 * Whether the rules, skills and commands of a folder count: the editor trusts the folder, and a person has trusted exactly
 * the content that it has now. Both hosts remember that in the same file.
 *
 * A content that nobody has been asked about counts for nothing, and a window asks about it once; no task waits for that.
 */
import * as Trust from "@belay/settings/trust"
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as vscode from "vscode"
import { Bridge, perform, tell } from "../vscode/Bridge.ts"
import * as TrustDocument from "./TrustDocument.ts"

const look = "Look at it"
const trust = "Trust this content"
const ignore = "Ignore it"

const listed = 3

const named = (files: ReadonlyArray<string>): string => {
  const more = files.length > listed ? ` and ${files.length - listed} more` : ""
  return `${files.slice(0, listed).map(Words.printable).join(", ")}${more}`
}

/** All that a yes is for. */
const lineOf = (workspace: string, content: Trust.Whole, seen: boolean): string => {
  const { files, servers, settings, shared } = content
  const folder = Words.printable(path.basename(workspace))
  return [
    seen
      ? `Trust the ${Trust.count(content)} of the folder ${folder}, as they are shown? Its tasks follow its instructions from their next step on.`
      : `The folder ${folder} has instructions for the model (${named(files)}). Look at its ${Trust.count(content)}: they count once you trust this content.`,
    ...(settings === undefined ? [] : ["Its settings (.belay/settings.json) are trusted with it."]),
    ...(servers === undefined && shared === undefined
      ? []
      : [
          "Its MCP servers (.belay/mcp.json, .mcp.json) are trusted with it: their programs run on this machine, without a sandbox."
        ])
  ].join(" ")
}

/** `directory`: the data folder. */
export const make = (directory: string) =>
  Effect.gen(function* () {
    const { log } = yield* Bridge
    yield* TrustDocument.provide
    const asked = new Set<string>()

    /** A yes is offered once all texts are open, and is never the first button. */
    const ask = (workspace: string, content: Trust.Whole, seen: boolean): Effect.Effect<void, unknown> =>
      Effect.gen(function* () {
        const line = lineOf(workspace, content, seen)
        const buttons = seen ? [ignore, trust] : [look, ignore]
        const answer = yield* perform(() => vscode.window.showInformationMessage(line, ...buttons))
        if (answer === look) {
          yield* TrustDocument.show(content)
          return yield* ask(workspace, content, true)
        }
        // What was shown is what is trusted: another content by now is asked about again.
        if (answer !== undefined) yield* Trust.say(directory, workspace, content, answer === trust)
      })

    const askOnce = (workspace: string, content: Trust.Whole) =>
      Effect.suspend(() => {
        const key = `${workspace}\n${Trust.key(content)}`
        if (asked.has(key)) return Effect.void
        asked.add(key)
        const question = Effect.catchCause(ask(workspace, content, false), (cause) =>
          Effect.sync(() => tell(log, cause))
        )
        return Effect.asVoid(Effect.forkDetach(question))
      })

    const looked = new Set<string>()

    /** Asks about what nobody has said anything of. Below a folder it is looked once for each content of its own. */
    const askedAbout = (workspace: string, own: Trust.Content) =>
      Effect.gen(function* () {
        const key = `${workspace}\n${own._tag === "Whole" ? own.hash : own._tag}`
        if (looked.has(key)) return
        looked.add(key)
        const all = Trust.everything(workspace)
        if (all._tag !== "Whole") return
        if ((yield* Trust.saidOfAll(directory, workspace, all)) === undefined) yield* askOnce(workspace, all)
      })

    const isTrusted = (workspace: string, told: string): Effect.Effect<boolean> =>
      Effect.gen(function* () {
        if (!vscode.workspace.isTrusted) return false
        const content = Trust.content(workspace)
        if (content._tag !== "Whole") return false
        const said = yield* Trust.said(directory, workspace, content.hash)
        yield* askedAbout(workspace, content)
        return said === true && content.told === told
      }).pipe(Effect.orElseSucceed(() => false))

    const trustedBelow = (workspace: string) =>
      Effect.gen(function* () {
        if (!vscode.workspace.isTrusted) return {}
        yield* askedAbout(workspace, Trust.content(workspace))
        return yield* Trust.below(directory, workspace)
      }).pipe(Effect.orElseSucceed(() => ({})))

    return { isTrusted, trustedBelow }
  })
