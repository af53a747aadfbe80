/** What a hook reads of an event, in the form that Claude Code gives it, and with Belay's own words beside. Pure. */
import type { Approvals } from "@belay/approval-policy"
import type { Judged } from "./Judging.ts"
import * as HookCall from "../hooks/HookCall.ts"

/** Describes the task of the event. */
export interface OfTask {
  readonly id: string
  readonly rootId: string
  readonly parentId?: string | undefined
  readonly attempt: number
  readonly workspace: string
  readonly mode: "plan" | "act"
  readonly approvals: Approvals.Approvals
}

const permissionMode = ({ approvals, mode }: OfTask): string => {
  if (mode === "plan") return "plan"
  const { commands, edit, enabled } = approvals
  if (!enabled || edit !== "allow") return "default"
  return commands.other === "allow" ? "bypassPermissions" : "acceptEdits"
}

/** A subtask is an agent of its root's session. */
const agentOf = ({ id, rootId }: OfTask) => (id === rootId ? {} : { agent_id: id, agent_type: "general-purpose" })

/** Gives the input of PreToolUse. */
export const preToolUse = (task: OfTask, { args, call, tool }: Omit<Judged, "hash">) => {
  const seen = HookCall.of(tool.name, args, task.workspace)
  return {
    session_id: task.rootId,
    cwd: task.workspace,
    hook_event_name: "PreToolUse",
    permission_mode: permissionMode(task),
    ...agentOf(task),
    tool_name: seen.name,
    tool_input: seen.input,
    tool_use_id: call.callId,
    belay: {
      tool: tool.name,
      args,
      task_id: task.id,
      parent_task_id: task.parentId ?? null,
      call_id: call.callId,
      attempt: task.attempt
    }
  }
}
