/**
 * Events of the real processes in plain words: one short line for each thing that has happened.
 *
 * Only what an event says is told; what a model or a tool wrote is escaped.
 */
import { CommandText } from "@belay/approval-policy"
import type { LiveEvent } from "@belay/task-engine"
import { Words } from "@belay/interaction"
import type { DemoOutput } from "./DemoOutput.ts"

type Of<Type extends LiveEvent.TaskEvent["type"]> = Extract<LiveEvent.TaskEvent, { readonly type: Type }>

export interface Narrator {
  readonly hear: (event: LiveEvent.TaskEvent) => void
}

const firstLine = (text: string): string => Words.printable(text.trim().split("\n")[0] ?? "")

const field = (args: unknown, name: string): string => {
  const value: unknown = typeof args === "object" && args !== null ? Reflect.get(args, name) : undefined
  return typeof value === "string" ? firstLine(value) : ""
}

const exitCode = /exit code (\d+)/

const verbs: Readonly<Record<string, string>> = {
  read_file: "reads",
  replace_in_file: "edits",
  write_to_file: "writes"
}

/** The column of names: wide enough for the titles of the demo. */
const nameWidth = 21

export const make = (paper: DemoOutput): Narrator => {
  const titles = new Map<string, string>()
  const calls = new Map<string, { readonly name: string; readonly args: unknown }>()

  const tell = (taskId: string, text: string, state: Words.State = "done"): void => {
    const title = titles.get(taskId)
    const who = title === undefined ? "" : title.padEnd(nameWidth)
    paper.say(`   ${paper.sign(state)} ${who}${text}`)
  }

  const finished = (event: Of<"tool.finished">): void => {
    const call = calls.get(`${event.taskId} ${event.callId}`)
    if (call === undefined) return
    const text = event.result.map((block) => (block.type === "text" ? block.text : "")).join("\n")
    const verb = verbs[call.name]
    if (call.name === "execute_command") {
      const code = exitCode.exec(text)?.[1]
      const how = code === undefined ? "which does not run" : code === "0" ? "passes" : `fails (exit ${code})`
      return tell(
        event.taskId,
        `runs ${firstLine(CommandText.ofArguments(call.args) ?? "")}: ${how}`,
        code === "0" ? "done" : "failed"
      )
    }
    if (verb === undefined) return
    const refused = event.isError ? ", which is refused" : ""
    tell(event.taskId, `${verb} ${field(call.args, "path")}${refused}`, event.isError ? "failed" : "done")
  }

  const checklist = ({ done, items, taskId, total }: Of<"focus-chain.updated">): void => {
    const current = items.find((item) => item.state === "doing")
    const next = current === undefined ? "" : `, now: ${firstLine(current.text)}`
    tell(taskId, `checklist: ${done} of ${total} done${next}`)
  }

  const hear = (event: LiveEvent.TaskEvent): void => {
    switch (event.type) {
      case "task.created": {
        if (event.parentId === undefined) return
        titles.set(event.taskId, firstLine(event.prompt))
        return tell(event.taskId, "starts as a subtask", "running")
      }
      case "tool.requested":
        calls.set(`${event.taskId} ${event.callId}`, { name: event.name, args: event.args })
        return
      case "tool.finished":
        return finished(event)
      case "focus-chain.updated":
        return checklist(event)
      case "ask": {
        if (event.kind !== "plan") return tell(event.taskId, `asks: ${firstLine(event.question ?? "")}`, "needsYou")
        tell(event.taskId, "presents its plan, and waits for your word:", "needsYou")
        for (const line of (event.question ?? "").split("\n")) paper.say(`       ${Words.printable(line)}`)
        return
      }
      case "delegation.collected":
        return tell(event.childId, "reports its result to the task")
      case "task.completed":
        // The report of a subtask is told by `delegation.collected`.
        return titles.has(event.taskId) ? undefined : tell(event.taskId, `finishes: ${firstLine(event.result)}`)
      case "error":
        return tell(event.taskId, firstLine(event.message), "failed")
      default:
    }
  }

  return { hear }
}
