/** What a command printed and how it ended, as its result tells it. */
import type { NetworkRule } from "@belay/approval-policy"
import { figure } from "../../internal/figure.ts"
import * as PlainText from "../text/PlainText.ts"
import * as CommandEnd from "./CommandEnd.ts"
import type * as CommandRunner from "./CommandRunner.ts"

/** It failed, or made protected names that were set aside. */
export const isError = ({ end, setAside }: Pick<CommandRunner.CommandResult, "end" | "setAside">): boolean =>
  CommandEnd.hasFailed(end) || setAside.length > 0

const leftOut = ({ head, kept, omitted }: CommandRunner.CommandResult): string => {
  const missing = `${figure(omitted)} characters left out`
  if (kept === undefined) return `[... ${missing} ...]`
  const until = kept.complete ? "" : `; it has the first ${kept.bytes} bytes only`
  const offset = Buffer.byteLength(head)
  return `[... ${missing}: read_command_output with id ${kept.id} and a regex finds lines, with offset ${offset} reads on${until} ...]`
}

/** Output without control characters, what is to be known of it, and in the last line how the command ended. */
export const render = (
  result: CommandRunner.CommandResult,
  seconds: number,
  allowedDomains: NetworkRule.AllowedDomains
): string => {
  const head = PlainText.output(result.head)
  const tail = PlainText.output(result.tail)
  const text = result.omitted === 0 ? head + tail : `${head.replace(/\n$/, "")}\n${leftOut(result)}\n${tail}`
  const lines = [text === "" ? "(no output)" : text.replace(/\n$/, "")]
  const { end, isWhole } = result
  lines.push(...CommandEnd.notes(result, { allowedDomains, end, failed: CommandEnd.hasFailed(end) }))
  return [...lines, CommandEnd.ending(end, seconds, isWhole)].join("\n")
}
