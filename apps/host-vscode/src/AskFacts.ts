/**
 * What an ask is about, in words: what will really happen, by which rule it is asked, and last what the model says.
 *
 * All of it is printable: what could steer the display, or pass for another row, is shown as an escape.
 */
import { CommandText } from "@belay/approval-policy"
import type { Event, History } from "@belay/history-store"
import { Copy, Transcript, Words } from "@belay/task-engine/protocol"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { realpathSync } from "node:fs"
import * as path from "node:path"

export interface Fact {
  readonly label: string
  readonly text: string
}

export interface Facts {
  /** One line. */
  readonly heading: string
  readonly facts: ReadonlyArray<Fact>
}

const Args = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
const decodeArgs = Schema.decodeUnknownOption(Args)

const Paths = Schema.optionalKey(Schema.Array(Schema.String))
const Resolved = Schema.Struct({
  programs: Paths,
  paths: Paths,
  writes: Paths,
  sandbox: Schema.optionalKey(Schema.Literals(["confined", "unavailable"]))
})
const decodeResolved = Schema.decodeUnknownOption(Resolved)

type Arguments = typeof Args.Type

/** A call as the ask shows it: its tool, a blank, and its arguments as JSON. */
const callOf = (question: string): { readonly tool: string; readonly args: Arguments } => {
  const blank = question.indexOf(" ")
  const args = blank < 0 ? Option.none() : decodeArgs(question.slice(blank + 1))
  return { tool: blank < 0 ? question : question.slice(0, blank), args: Option.getOrElse(args, (): Arguments => ({})) }
}

const textOf = (args: Arguments, name: string): string | undefined => {
  const value = args[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

/** Begins and ends as the text does: a long one is shortened in its middle. */
const ends = (text: string): string => {
  const line = Words.printable(text.trim().replaceAll(/\s*\n\s*/g, " ⏎ "))
  return line.length <= 160 ? line : `${line.slice(0, 100)} … ${line.slice(-55)}`
}

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

const headingOf = (tool: string, args: Arguments, edits: ReadonlyArray<Event.EditSummary>): string => {
  const [first] = edits
  if (edits.length > 1) return `Edit ${edits.length} files`
  if (first !== undefined)
    return `${first.deletes === true ? "Delete" : first.exists ? "Edit" : "Write"} ${Words.printable(first.path)}`
  const command = CommandText.ofArguments(args)
  if (tool === "execute_command" && command !== undefined) return `Run ${ends(command)}`
  if (tool === "new_task") return `Start a subtask: ${ends(textOf(args, "message") ?? "")}`
  const subject = ["path", "url", "tool", "uri", "message"].map((name) => textOf(args, name)).find((text) => text)
  return subject === undefined ? `Use ${Words.printable(tool)}` : `Use ${Words.printable(tool)}: ${ends(subject)}`
}

const subtask = (args: Arguments): ReadonlyArray<Fact> => {
  const { budget, mode } = args
  const limit = Words.limit(typeof budget === "object" ? budget : undefined)
  return [
    { label: "Instructions", text: textOf(args, "message") ?? "" },
    ...(mode === "plan" || mode === "act" ? [{ label: "Mode", text: Words.modes[mode] }] : []),
    ...(limit === undefined ? [] : [{ label: "Limit", text: limit }]),
    { label: "Checklist", text: textOf(args, "todos") ?? "" }
  ]
}

const callFacts = (ask: History.Ask, workspace: string): ReadonlyArray<Fact> => {
  const { edits = [], grants, question = "", resolved } = ask.payload
  const { args, tool } = callOf(question)
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
  return [
    { label: "Command", text: command ?? "" },
    { label: "Runs", text: programs.join(" ") },
    { label: "In", text: command === undefined ? "" : folderOf(textOf(args, "cwd") ?? ".", workspace) },
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

/** A yes or no, and not words. */
export const decides = ({ callId, kind }: History.Ask): boolean =>
  kind === "approval" || (kind === "mistakes" && callId !== null)

/** `said`: the model's own words with the call. */
export const of = (ask: History.Ask, workspace: string, said = ""): Facts => {
  const { edits = [], question = ask.kind } = ask.payload
  const call = callOf(question)
  const own = decides(ask) ? callFacts(ask, workspace) : [{ label: "Asks", text: question }]
  const model = { label: "The model says", text: said.trim() === "" ? "" : `"${said.trim()}"` }
  return {
    heading: decides(ask) ? headingOf(call.tool, call.args, edits) : ends(question),
    facts: [...own, ...why(ask), model]
      .filter(({ text }) => text !== "")
      .map(({ label, text }) => ({ label, text: lines(text) }))
  }
}
