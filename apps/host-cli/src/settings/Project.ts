/**
 * The settings of a folder, and its MCP servers, once a person trusts it: they choose and they narrow, and never widen what may run.
 *
 * In a terminal it is asked once for each content. Where nobody can be asked, and until it is trusted, nothing of it
 * counts and one line says so.
 */
import { Approvals } from "@belay/approval-policy"
import { Words } from "@belay/task-engine/protocol"
import { decode, type Document, refusal } from "@belay/task-engine/settings-file"
import * as Effect from "effect/Effect"
import * as Trust from "@belay/task-engine/trust"
import * as DataFolder from "@belay/history-store/data-folder"
import * as path from "node:path"
import { type Failure, usage } from "../Failure.ts"
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

type Whole = Extract<Trust.Content, { readonly _tag: "Whole" }>

/** What of a folder counts only once it is trusted; empty when there is nothing. */
const named = ({ files, servers, settings }: Whole): string => {
  const parts = [
    ...(settings === undefined ? [] : ["settings"]),
    ...(files.length === 0 || settings !== undefined ? [] : ["rules, skills and commands"]),
    ...(servers === undefined ? [] : ["MCP servers"])
  ]
  return parts.join(" and ")
}

const question = ({ files, servers, settings }: Whole): string =>
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
    ...(files.length === 0 && settings === undefined ? [] : ["They cannot allow more than yours do. "]),
    "1 Trust this content   2 Ignore it\n> "
  ].join("")

const isTrusted = (workspace: string, content: Whole, ask: Ask | undefined) =>
  Effect.gen(function* () {
    const directory = DataFolder.directory()
    const said = yield* Trust.said(directory, workspace, content.hash)
    if (said !== undefined || ask === undefined) return said === true
    const answer = yield* ask(question(content))
    if (answer === "1" || answer === "2") yield* Trust.say(directory, workspace, content.hash, answer === "1")
    return answer === "1"
  }).pipe(Effect.mapError(failure))

const parse = (file: string, text: string): Effect.Effect<unknown, Failure> =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => usage(`the settings are no JSON (${file})`, "Correct them.")
  })

/** What would widen something whatever its value is. */
const widening = ({ checkpoints, model, models, sandbox, strictPlanMode }: Document): string | undefined => {
  if (checkpoints !== undefined) return "checkpoints"
  if (model?.baseUrl !== undefined) return "model.baseUrl"
  if (models !== undefined) return "models"
  if (sandbox === "off") return "sandbox"
  return strictPlanMode === false ? "strictPlanMode" : undefined
}

/** The settings of a workspace that count. Errors: one line for trusted settings that cannot be used. */
export const load = (workspace: string, ask: Ask | undefined, sink: Sink): Effect.Effect<Document, Failure> =>
  Effect.gen(function* () {
    const content = Trust.content(workspace)
    if (content._tag === "Unreadable") sink.err(`Restricted: ${content.why}. Its settings are ignored.\n`)
    if (content._tag !== "Whole" || named(content) === "") return {}
    if (!(yield* isTrusted(workspace, content, ask))) {
      sink.err(`Restricted: this folder is not trusted. Its ${named(content)} are ignored.\n`)
      return {}
    }
    if (content.settings === undefined) return {}
    const file = path.join(workspace, ".belay", "settings.json")
    const document = yield* Effect.mapError(decode(yield* parse(file, content.settings)), (wrong) =>
      failure(refusal(file, wrong))
    )
    const wide = widening(document)
    return wide === undefined
      ? document
      : yield* usage(`a project may not set ${wide} (${file})`, "Take it out; set it for yourself: belay config set.")
  })

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (approvals: unknown): Fields =>
  typeof approvals === "object" && approvals !== null ? { ...approvals } : {}

/** Fields left out have the user's value; whatever is said, it is never wider than the user's. */
export const narrowed = (
  user: Approvals.Approvals,
  project: unknown
): Effect.Effect<Approvals.Approvals, Approvals.InvalidApprovals> => {
  if (project === undefined) return Effect.succeed(user)
  const said = fieldsOf(project)
  const commands = { ...user.commands, ...fieldsOf(said["commands"]) }
  const whole = typeof project === "string" ? project : { ...user, ...said, commands }
  return Effect.map(Approvals.decode(whole), (own) => Approvals.narrow(own, user))
}
