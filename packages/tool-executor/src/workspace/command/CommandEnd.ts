/** How a command ended and what is to be known of it, as the model reads it. */
import type { NetworkRule } from "@belay/approval-policy"
import type * as BackgroundProcesses from "./BackgroundProcesses.ts"
import * as Confinement from "../../tool/Confinement.ts"
import type * as CommandRunner from "./CommandRunner.ts"
import * as PlainText from "../text/PlainText.ts"

type End = CommandRunner.CommandResult["end"] | BackgroundProcesses.End

/** Others ended it than itself. */
const isCutOff = ({ _tag }: End): boolean => _tag === "TimedOut" || _tag === "Stopped"

/** `seconds`: the limit of its time. `isWhole`: all that it has started could be told. */
export const ending = (end: End, seconds?: number, isWhole = true): string => {
  const all = isWhole ? "the command and all it had started were ended" : "the command was ended"
  if (end._tag === "Exited") return `exit code ${end.code}`
  if (end._tag === "Signalled") return `ended by ${end.signal}`
  if (end._tag === "Stopped") return "stopped"
  return seconds === undefined ? "timed out" : `timed out after ${seconds} s; ${all}`
}

export const hasFailed = (end: End): boolean => end._tag !== "Exited" || end.code !== 0

const confinedNote = (by: Confinement.By, allowedDomains: NetworkRule.AllowedDomains): string => {
  const network = allowedDomains.length === 0 ? "no network" : `no network but ${allowedDomains.join(", ")}`
  const places = ["the workspace", ...Confinement.temporary(by)].join(" and ")
  return `It ran in a sandbox: ${network}, writes only in ${places}. If it needs more, ask the user.`
}

type Facts = Pick<
  CommandRunner.CommandResult,
  "confined" | "isWhole" | "leftovers" | "outlived" | "refused" | "setAside"
>

/** Lines in brackets. */
export const notes = (
  facts: Facts,
  {
    allowedDomains,
    end,
    failed
  }: { readonly allowedDomains: NetworkRule.AllowedDomains; readonly end: End; readonly failed: boolean }
): ReadonlyArray<string> => {
  const { confined, isWhole, leftovers, outlived, refused, setAside } = facts
  const lines: Array<string> = []
  if (outlived) lines.push("[Processes that it left could not all be ended: some still run.]")
  else if (!isWhole && (leftovers || isCutOff(end))) {
    lines.push("[Processes that it started may still run: this system could not hold them together.]")
  } else if (leftovers) {
    // Elsewhere only a box holds what leaves the group of the command.
    const which = confined !== undefined || process.platform === "linux" ? "Processes" : "Processes of its group"
    lines.push(`[${which} that were still running in the background were ended.]`)
  }
  if (setAside.length > 0) {
    const names = setAside.map(PlainText.name).join(", ")
    lines.push(`[It made protected names, which nobody has approved; they were renamed: ${names}]`)
  }
  for (const host of refused) lines.push(`[The network was refused: ${PlainText.name(host)}]`)
  if (confined !== undefined && failed) lines.push(`[${confinedNote(confined, allowedDomains)}]`)
  return lines
}
