/**
 * Whether what a folder brings for its tasks counts: only once a person trusts exactly this content of it.
 *
 * In a terminal it is asked once for each content; elsewhere `belay trust` says it. Until then nothing of it counts, and
 * one line says so and what to do.
 */
import * as Trust from "@belay/settings/trust"
import * as DataFolder from "@belay/history-store/data-folder"
import * as Effect from "effect/Effect"
import type { Failure } from "../cli/Failure.ts"
import type { Sink } from "../output/Sink.ts"
import { failure } from "./SettingsFile.ts"

/** Asks one thing of the person at the terminal. */
export type Ask = (prompt: string) => Effect.Effect<string | undefined>

export type Whole = Trust.Whole

const hasServers = ({ servers, shared }: Whole): boolean => servers !== undefined || shared !== undefined

/** As the settings are read, however they are written. */
const hasHooks = ({ settings = "" }: Whole): boolean => {
  try {
    return Object.hasOwn(Object(JSON.parse(settings)), "hooks")
  } catch {
    return false
  }
}

/** What of a folder counts only once it is trusted; empty when there is nothing. */
export const named = (content: Whole): string => {
  const { files, settings } = content
  const parts = [
    ...(settings === undefined ? [] : ["settings"]),
    ...(files.length === 0 || settings !== undefined ? [] : ["rules, skills, commands and agents"]),
    ...(hasServers(content) ? ["MCP servers"] : [])
  ]
  return parts.join(" and ")
}

/** Of a folder with so many files, the first lines of each tell what it is. */
const most = ({ texts }: Whole): number => (texts.length <= 20 ? 10 : 3)

/** What a yes means; the last that is read of a list that is longer than the screen. */
const limits = (content: Whole): ReadonlyArray<string> => [
  ...(hasServers(content) ? ["The programs of its MCP servers run on this machine without a sandbox."] : []),
  ...(content.settings === undefined ? [] : ["Its settings cannot allow more than yours do."]),
  ...(hasHooks(content) ? ["Its hooks are commands that run before calls, in the sandbox."] : []),
  ...(content.files.length === 0 ? [] : ["The model is told what its rules, skills, commands and agents say."])
]

/** What would count, for the person who is to judge it: every file, with what it says or how that begins. */
export const shown = (content: Whole, full = false): string =>
  [
    `This folder has ${Trust.count(content)} ${content.texts.length === 1 ? "that counts once it is" : "that count once they are"} trusted:\n`,
    `${Trust.listing(content, full ? undefined : most(content))}\n`,
    [`Listed above: ${Trust.count(content)}.`, ...limits(content)].join("\n")
  ].join("")

const choice = "1 Trust this content   2 Ignore it   3 Show all of it\n> "

const answers: Readonly<Record<string, boolean>> = { "1": true, y: true, yes: true, "2": false, n: false, no: false }

/** What the person says of a content that was shown; nothing where they choose neither. `ask` shows its text first. */
export const judged = (content: Whole, ask: Ask): Effect.Effect<boolean | undefined> =>
  Effect.gen(function* () {
    for (let text = choice; ; text = `${shown(content, true)}\n${choice}`) {
      const answer = yield* ask(text)
      if (answer !== "3") return answers[answer?.toLowerCase() ?? ""]
    }
  })

/** What was said of it, else what the person says now, which is kept; no without an answer. */
export const isTrusted = (workspace: string, content: Whole, ask: Ask | undefined): Effect.Effect<boolean, Failure> =>
  Effect.gen(function* () {
    const directory = DataFolder.directory()
    const own = yield* Trust.said(directory, workspace, content.hash)
    const said = yield* Trust.saidOfAll(directory, workspace, content)
    if (said !== undefined || ask === undefined) return own === true
    const first = shown(content)
    const answer = yield* judged(content, (text) => ask(text === choice ? `${first}\n${choice}` : text))
    if (answer !== undefined) yield* Trust.say(directory, workspace, content, answer)
    return answer ?? own === true
  }).pipe(Effect.mapError(failure))

const quoted = (folder: string): string => (/^[\w./-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", "'\\''")}'`)

/** The command that trusts a folder, as it is typed here. */
export const command = (workspace: string): string =>
  workspace === process.cwd() ? "belay trust" : `belay trust --cwd ${quoted(workspace)}`

/** One line where something of a folder is ignored. */
export const advise = (workspace: string, sink: Sink): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const content = Trust.everything(workspace)
    if (content._tag === "Unreadable") sink.err(`Restricted: ${content.why}. What it configures is ignored.\n`)
    if (content._tag !== "Whole" || named(content) === "") return
    const said = yield* Effect.mapError(Trust.saidOfAll(DataFolder.directory(), workspace, content), failure)
    if (said === true) return
    if (yield* isTrusted(workspace, content, undefined)) {
      const fresh = "Restricted: rules in folders below this one are new or have changed, and are ignored."
      return sink.err(`${fresh} To see and trust them: ${command(workspace)}\n`)
    }
    const what = `Its ${named(content)} are ignored`
    sink.err(`Restricted: this folder is not trusted. ${what}. To see and trust them: ${command(workspace)}\n`)
  })
