/** How a call ended as one line of stderr: the word it begins with, and what follows the task's name. */
import type { LiveEvent } from "@belay/task-engine"
import { CallEnd, Words } from "@belay/interaction"
import { firstLine } from "./firstLine.ts"
import type { Call } from "./OpenCalls.ts"

type Finished = Extract<LiveEvent.TaskEvent, { type: "tool.finished" }>

interface Line {
  readonly word: string
  readonly text: string
}

/** Of the last line that says one: what comes before is the program's own. */
const exitCode = (text: string): string | undefined =>
  text
    .match(/^exit code \d+$/gm)
    ?.at(-1)
    ?.slice("exit code ".length)

/** By which rule it was denied, and that nobody was there to allow it. */
const denialOf = ({ rule }: Finished, { isUnanswered }: Call): string =>
  (rule === undefined ? "" : `  ${Words.printable(rule)}`) +
  (isUnanswered === true ? `: ${Words.interruption("unattended")}` : "")

const command = (event: Finished, call: Call, end: CallEnd.Ended, text: string): Line => {
  const ms = CallEnd.took(event, call.started)
  const took = ms === undefined ? "" : `  ${Words.duration(ms)}`
  const code = exitCode(text)
  const ran = (how: string): Line => ({ word: "command", text: call.subject + how })
  if (end === "unknown") return ran(`  interrupted${took}`)
  if (code !== undefined && (end === "done" || end === "failed")) return ran(`  exit ${code}${took}`)
  if (end === "done") return ran("")
  if (end === "denied") return { word: "denied", text: call.subject + denialOf(event, call) }
  return ran(`  ${CallEnd.endings[end]}${took}`)
}

const wordOf = (name: string): string => {
  if (name.startsWith("read") || name.startsWith("list") || name.startsWith("search")) return "read"
  return name.includes("file") ? "edit" : "tool"
}

const other = (event: Finished, call: Call, end: CallEnd.Ended, text: string): Line => {
  const why = end === "failed" ? `  ${firstLine(text, 120)}` : end === "denied" ? denialOf(event, call) : ""
  const failed = end === "denied" || end === "stopped" ? end : "failed"
  const word = event.isError ? failed : wordOf(call.name)
  return { word, text: `${call.name} ${call.subject}`.trim() + why }
}

/** Nothing of a call whose end has a line of its task. */
export const of = (event: Finished, call: Call): Line | undefined => {
  if (call.name === "new_task" || call.name === "attempt_completion") return undefined
  const text = event.result.map((block) => (block.type === "text" ? block.text : "")).join("\n")
  const end = CallEnd.endOf(event, call.started !== undefined)
  return (call.name === "execute_command" ? command : other)(event, call, end, text)
}
