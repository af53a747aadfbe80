/**
 * What an ask is about, in one line that is the same wherever it stands: lists, trees, messages, conversations.
 *
 * The line is printable, and a long call keeps its beginning and its end, so that nothing can hide behind its length.
 */
import { CommandText } from "@belay/approval-policy"
import type { History } from "@belay/history-store"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as McpCall from "./McpCall.ts"
import { printable } from "@belay/message-state"

/** The part of an ask that its text is made of. */
export type Ask = Pick<History.Ask, "kind" | "callId"> & {
  readonly payload: Pick<History.Ask["payload"], "question" | "edits">
}

const Args = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
const decodeArgs = Schema.decodeUnknownOption(Args)

/** The arguments of a call, as far as a text shows them. */
export type Arguments = typeof Args.Type

/** A yes or no, and not words. */
export const decides = ({ callId, kind }: Pick<Ask, "kind" | "callId">): boolean =>
  kind === "approval" || (kind === "mistakes" && callId !== null)

/** A call as the ask shows it: its tool, a blank, and its arguments as JSON. */
export const callOf = (question: string): { readonly tool: string; readonly args: Arguments } => {
  const blank = question.indexOf(" ")
  const args = blank < 0 ? Option.none() : decodeArgs(question.slice(blank + 1))
  return { tool: blank < 0 ? question : question.slice(0, blank), args: Option.getOrElse(args, (): Arguments => ({})) }
}

/** A text among the arguments, when it says something. */
export const argument = (args: Arguments, name: string): string | undefined => {
  const value = args[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

const forBackground = ["background", "run_in_background"]

/** A command that is to run on after its call. */
export const runsOn = (args: unknown): boolean =>
  typeof args === "object" && args !== null && forBackground.some((name) => Reflect.get(args, name) === true)

/** Begins and ends as the text does: a long one is shortened in its middle, and many blanks are one. */
const ends = (text: string): string => {
  const line = printable(
    text
      .trim()
      .replaceAll(/\s*\n\s*/g, " ⏎ ")
      .replaceAll(/[^\S\n]{2,}/g, " ")
  )
  return line.length <= 160 ? line : `${line.slice(0, 100)} … ${line.slice(-55)}`
}

const subjects = ["path", "url", "message"]

const callLine = (tool: string, args: Arguments, edits: Ask["payload"]["edits"] = []): string => {
  const [first] = edits
  if (edits.length > 1) return `Edit ${edits.length} files`
  if (first !== undefined) {
    return `${first.deletes === true ? "Delete" : first.exists ? "Edit" : "Write"} ${printable(first.path)}`
  }
  const command = CommandText.ofArguments(args)
  if (tool === "execute_command" && command !== undefined)
    return `Run ${runsOn(args) ? "in the background " : ""}${ends(command)}`
  if (tool === "new_task") return `Start a subtask: ${ends(argument(args, "message") ?? "")}`
  const mcp = McpCall.of(args)
  if (mcp !== undefined) return `Use ${ends(McpCall.line(mcp))}`
  const subject = subjects.map((name) => argument(args, name)).find((text) => text)
  return subject === undefined ? `Use ${printable(tool)}` : `Use ${printable(tool)}: ${ends(subject)}`
}

/** The first line of a text that says something, without the marks of headings, lists, quotes and emphasis. */
export const plain = (text: string): string => {
  const bare = text.split("\n").map((line) =>
    line
      .replace(/^\s*(?:#{1,6}\s+|[-*+]\s+|\d+\.\s+|>\s*)*/u, "")
      .replaceAll(/\*\*|__|`/gu, "")
      .trim()
  )
  return bare.find((line) => /[\p{L}\p{N}]/u.test(line)) ?? text.trim().split("\n")[0] ?? ""
}

/** `Run npm publish`, `Edit src/cli.ts`, or the first line of what is asked in words. */
export const line = (ask: Ask): string => {
  const { edits, question = ask.kind } = ask.payload
  if (!decides(ask)) return ends(plain(question))
  const { args, tool } = callOf(question)
  return callLine(tool, args, edits)
}
