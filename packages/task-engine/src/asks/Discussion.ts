/** The phase of a plan that begins with asking the user something. */
import type { Step } from "@belay/history-store"
import type { Message } from "@belay/message-state"
import { DeepPlanning } from "@belay/modes"
import * as Prompt from "../prompt/Prompt.ts"
import { fence, type ActiveTask } from "../active/ActiveTask.ts"

export interface Discussion {
  readonly steps: ReadonlyArray<Step.Step>
  /** What the model is told of it. */
  readonly notes: ReadonlyArray<Message.TextBlock>
}

/** Empty where no phase begins. */
export const of = (running: ActiveTask): Discussion => {
  const before = running.planning
  if (before === undefined) return { steps: [], notes: [] }
  const to = DeepPlanning.after(before, "asked")
  if (to === before) return { steps: [], notes: [] }
  return { steps: [{ _tag: "PlanningChanged", ...fence(running), to }], notes: [Prompt.planning(to)] }
}
