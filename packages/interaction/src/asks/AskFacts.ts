/**
 * What an ask is about, in words: what will really happen, by which rule it is asked, and last what the model says.
 *
 * All of it is printable: what could steer the display, or pass for another row, is shown as an escape.
 */
import { CommandText } from "@belay/approval-policy"
import type { History } from "@belay/history-store"
import * as AskText from "../text/AskText.ts"
import * as Copy from "../text/Copy.ts"
import * as McpCall from "../text/McpCall.ts"
import * as Transcript from "../conversation/Transcript.ts"
import * as Words from "../text/Words.ts"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { realpathSync } from "node:fs"
import * as path from "node:path"

interface Fact {
  readonly label: string
  readonly text: string
}

/** An ask in words. */
export interface Facts {
  /** One line. */
  readonly heading: string
  readonly facts: ReadonlyArray<Fact>
}

const Paths = Schema.optionalKey(Schema.Array(Schema.String))
const Resolved = Schema.Struct({
  programs: Paths,
  paths: Paths,
  writes: Paths,
  sandbox: Schema.optionalKey(Schema.Literals(["confined", "unavailable"]))
})
const decodeResolved = Schema.decodeUnknownOption(Resolved)

/** Each line by itself, so that a line break shows as one. */
const lines = (text: string): string => text.split("\n").map(Words.printable).join("\n")

const within = (workspace: string, file: string): string => {
  const relative = path.relative(workspace, file)
  return relative === "" || relative.startsWith("..") || path.isAbsolute(relative) ? file : relative
}

/** Where a folder leads, links followed, when that can be told. */
const real = (folder: string): string => {
  try {
    return realpathSync.native(folder)
  } catch {
    return folder
  }
}

const folderOf = (given: string, workspace: string): string => {
  const shown = path.resolve(workspace, given)
  const leads = real(shown)
  return shown === leads ? within(workspace, shown) : `${within(workspace, shown)} -> ${leads}`
}

const subtask = (args: AskText.Arguments): ReadonlyArray<Fact> => {
  const { budget, mode } = args
  const limit = Words.limit(typeof budget === "object" ? budget : undefined)
  return [
    { label: "Instructions", text: AskText.argument(args, "message") ?? "" },
    ...(mode === "plan" || mode === "act" ? [{ label: "Mode", text: Words.modes[mode] }] : []),
    ...(limit === undefined ? [] : [{ label: "Limit", text: limit }]),
    { label: "Checklist", text: AskText.argument(args, "todos") ?? "" }
  ]
}

const called = ({ args, name, server }: McpCall.McpCall): ReadonlyArray<Fact> => [
  { label: "Server", text: server },
  { label: args === undefined ? "Resource" : "Tool", text: name },
  { label: "Arguments", text: args ?? "" }
]

const callFacts = (ask: History.Ask, workspace: string): ReadonlyArray<Fact> => {
  const { edits = [], grants, question = "", resolved } = ask.payload
  const { args, tool } = AskText.callOf(question)
  const {
    paths = [],
    programs = [],
    sandbox,
    writes = []
  } = Option.getOrElse(decodeResolved(resolved), (): typeof Resolved.Type => ({}))
  const command = tool === "execute_command" ? CommandText.ofArguments(args) : undefined
  const reads = paths.filter((file) => !writes.includes(file))
  const named = edits.map(({ resolved }) => resolved)
  const writing = writes.filter((file) => !named.includes(file))
  const list = (files: ReadonlyArray<string>): string => files.map((file) => within(workspace, file)).join("\n")
  const scopes = { once: "Allow once", task: "Allow for this task", always: "Always" } as const
  const mcp = McpCall.of(args)
  return [
    ...(mcp === undefined ? [] : called(mcp)),
    { label: "Command", text: command ?? "" },
    { label: "Runs", text: programs.join(" ") },
    { label: "In", text: command === undefined ? "" : folderOf(AskText.argument(args, "cwd") ?? ".", workspace) },
    { label: "Sandbox", text: sandbox === undefined ? "" : Copy.askSandbox(sandbox).replace(/^Sandbox: /, "") },
    { label: "Changes", text: edits.map(Transcript.editLine).join("\n") },
    { label: "Writes", text: list(writing) },
    { label: "Reads", text: list(reads) },
    ...(tool === "new_task" ? subtask(args) : []),
    ...grants
      .filter(({ allowed }) => !allowed)
      .map(({ reason, scope }) => ({ label: `${scopes[scope]} is not offered`, text: reason ?? "" }))
  ]
}

const why = ({ kind, payload: { reason, rule } }: History.Ask): ReadonlyArray<Fact> =>
  reason === undefined
    ? []
    : [{ label: "Why asked", text: Copy.askWhy({ reason, rule: rule ?? kind }).replace(/^Why asked: /, "") }]

/** `said`: the model's own words with the call. */
export const of = (ask: History.Ask, workspace: string, said = ""): Facts => {
  const { question = ask.kind } = ask.payload
  const own = AskText.decides(ask) ? callFacts(ask, workspace) : [{ label: "Asks", text: question }]
  const model = { label: "The model says", text: said.trim() === "" ? "" : `"${said.trim()}"` }
  return {
    heading: AskText.line(ask),
    facts: [...own, ...why(ask), model]
      .filter(({ text }) => text !== "")
      .map(({ label, text }) => ({ label, text: lines(text) }))
  }
}
