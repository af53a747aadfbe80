/** Calls of tools as a client is shown them; their ids follow from the history alone. */
import type { Event } from "@belay/history-store"
import { CallEnd, Words } from "@belay/interaction"
import type { TaskId } from "@belay/task-state"
import * as path from "node:path"
import * as CallText from "../progress/CallText.ts"
import type { Call, Kind } from "./Update.ts"

type EventOf<Type extends Event.EventType> = Extract<Event.StoredEvent, { readonly type: Type }>

const kinds: Readonly<Record<string, Kind>> = {
  read_file: "read",
  list_files: "read",
  list_code_definition_names: "read",
  load_skill: "read",
  read_command_output: "read",
  search_files: "search",
  write_to_file: "edit",
  replace_in_file: "edit",
  apply_patch: "edit",
  execute_command: "execute",
  fetch_url: "fetch"
}

const kindOf = (tool: string): Kind => kinds[tool] ?? "other"

const unknown = "Stopped while it ran. It is not known whether it took effect."

/** The same in every process. */
export const idOf = (taskId: TaskId.TaskId, id: string): string => `${taskId.slice(-8)}/${id}`

const titleOf = (tool: string, args: unknown): string => {
  const line = CallText.begun(tool, args)
  return tool === "execute_command" ? line.replace(/^\$/u, "Run") : line
}

const pathsOf = (args: unknown, workspace: string): ReadonlyArray<string> => {
  const given = typeof args === "object" && args !== null && "path" in args ? args.path : undefined
  return typeof given === "string" && given !== "" ? [path.resolve(workspace, given)] : []
}

/** A call that begins. */
export const begun = (
  { args, callId: id, name }: Pick<EventOf<"tool.requested">, "args" | "callId" | "name">,
  taskId: TaskId.TaskId,
  workspace: string
): Call & { readonly title: string } => ({
  id: idOf(taskId, id),
  title: titleOf(name, args),
  name,
  kind: kindOf(name),
  status: "pending",
  input: args,
  paths: pathsOf(args, workspace)
})

const textOf = (result: EventOf<"tool.finished">["result"]): string =>
  Words.printableLines(result.map((block) => (block.type === "text" ? block.text : "(image)")).join("\n"))

/** How a call ended; `row`: as people read it, which is shortened. */
export const ended = (event: EventOf<"tool.finished">, began: boolean, output?: string): Call => {
  const end = CallEnd.endOf(event, began)
  const id = idOf(event.taskId, event.callId)
  if (end === "unknown") {
    return { id, status: "failed", content: [{ type: "text", text: unknown }] }
  }
  const text = output ?? textOf(event.result)
  return {
    id,
    status: end === "done" ? "completed" : "failed",
    ...(text === "" ? {} : { content: [{ type: "text", text }] })
  }
}
