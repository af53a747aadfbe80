/** The tools that a task's model is told of. */
import { Mode } from "@belay/modes"
import type { Tool } from "@belay/tool-executor"
import type { Running } from "./Running.ts"

/** Of these tools those that are offered to a task: the same array for the same mode and settings. */
export const make = (tools: ReadonlyArray<Tool.Tool>): ((running: Running) => ReadonlyArray<Tool.Tool>) => {
  const offered = new Map<string, ReadonlyArray<Tool.Tool>>()
  return ({ mode, planning, settings }) => {
    const { approvals, strictPlanMode } = settings
    const deepPlanning = planning !== undefined
    const mayAskToSwitch = approvals.modeSwitch !== "deny"
    const key = [mode, strictPlanMode, deepPlanning, mayAskToSwitch].join(":")
    const known = offered.get(key)
    if (known !== undefined) return known
    const fresh = Mode.offered(mode, tools, { strictPlanMode, deepPlanning, mayAskToSwitch })
    offered.set(key, fresh)
    return fresh
  }
}
