/** The calls of one answer as the log has them, and what the loop does after them. */
import type { Event, History, Step } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { DeepPlanning, HandOver } from "@belay/modes"
import type { LoopGuard } from "@belay/task-state"
import type { Pipeline, Tool, ToolCatalog } from "@belay/tool-executor"
import * as FileContext from "../active/FileContext.ts"

/** A call of the turn with what the log knows of it. */
export interface Open {
  readonly call: Pipeline.Call
  readonly state: Event.CallState
  readonly tool: Tool.Tool | undefined
}

/** A call that may run at once, and what the loop guard says of it. */
export interface Guarded {
  readonly ready: Pipeline.Ready
  readonly verdict: LoopGuard.Verdict
}

/** What the loop has to do after the calls of an answer. */
export type Next =
  | { readonly _tag: "GoOn" }
  | { readonly _tag: "Delegate"; readonly calls: ReadonlyArray<Pipeline.Ready> }
  | { readonly _tag: "Complete"; readonly callId?: string; readonly result: string }
  /** The user has agreed: the plan is carried out by a task of its own. `before` are steps of the same commit. */
  | {
      readonly _tag: "HandOver"
      readonly callId: string
      readonly steps: ReadonlyArray<string>
      /** What the user said with it. */
      readonly words?: string
      readonly before: ReadonlyArray<Step.Step>
    }
  | Pause

/** The task stops; `detail` is the question that stays open. */
export interface Pause {
  readonly _tag: "Pause"
  readonly reason: "unattended" | "mistakes" | "context"
  readonly detail?: string
}

export const goOn: Next = { _tag: "GoOn" }

/** How one call ended: `rejected` by the user, which ends the turn; a `Pause` leaves it and what follows open. */
export type Outcome = "done" | "rejected" | Pause

export const result = (
  callId: string,
  output: Tool.ToolOutput,
  state: Step.CallResult["state"] = "finished",
  end: Event.CallEnd = {}
): Step.CallResult => ({
  callId,
  content: output.content,
  isError: output.isError,
  state,
  ...(output.timedOut === true ? { outcome: "timedOut" } : {}),
  ...end,
  ...(output.files === undefined ? {} : { files: FileContext.stored(output.files) })
})

/** Of a call that was not run because of a rule: that denied it, or that asked. */
export const denied = (rule: string): Event.CallEnd => ({ outcome: "denied", rule })

const field = (input: unknown, name: string): string => {
  const value: unknown = typeof input === "object" && input !== null ? Reflect.get(input, name) : undefined
  return typeof value === "string" ? value : ""
}

/** When the plan is to be handed over a subtask is meant for that: its steps are in its checklist, or in its message. */
const asMeant = (call: Pipeline.Call, planning: DeepPlanning.Phase | undefined): Pipeline.Call => {
  const name = DeepPlanning.read(planning, call.name)
  if (name === call.name) return call
  const steps = HandOver.stepsIn(`${field(call.input, "todos")}\n${field(call.input, "message")}`)
  return { ...call, name, input: { steps } }
}

/** By call id, what let each start: the rule that decided, and the ask whose answer allowed it. */
export const auditOf = (calls: ReadonlyArray<Pipeline.Ready>) => ({
  rules: Object.fromEntries(calls.map(({ call, decision }) => [call.callId, decision.rule])),
  asks: Object.fromEntries(
    calls.flatMap(({ approvedBy, call }) => (approvedBy === undefined ? [] : [[call.callId, approvedBy]]))
  )
})

/** What the log says of the calls of one answer, by call id; a call that is not in it has not been requested. */
export type States = ReadonlyMap<string, Event.CallState>

/** The calls of an answer as they are about to be stored with it; some are answered at once. */
export const requested = (message: Message.Message, answered: ReadonlyArray<string> = []): States =>
  new Map(Message.toolUses(message).map(({ id }) => [id, answered.includes(id) ? "finished" : "requested"]))

const isSettled = (state: Event.CallState | undefined): boolean => state === "finished" || state === "unknown"

/** The first call of an answer that the log does not know. */
export const unlogged = (message: Message.Message, states: States): Message.ToolUseBlock | undefined =>
  Message.toolUses(message).find(({ id }) => !states.has(id))

/** Every call has been settled. */
export const areSettled = (message: Message.Message, states: States): boolean =>
  Message.toolUses(message).every(({ id }) => isSettled(states.get(id)))

/** The calls of an answer that were requested and have no result yet, in call order. */
export const openCalls = (
  message: Message.Message,
  states: States,
  catalog: ToolCatalog["Service"],
  planning?: DeepPlanning.Phase
): ReadonlyArray<Open> =>
  Message.toolUses(message).flatMap((block): ReadonlyArray<Open> => {
    const state = states.get(block.id)
    if (state === undefined || isSettled(state)) return []
    const call = asMeant({ callId: block.id, name: block.name, input: block.input }, planning)
    return [{ call, state, tool: catalog.get(call.name) }]
  })

/** Runs at once and changes nothing: may run beside others of its turn, and again. */
export const isRead = ({ tool }: Open): boolean => tool?.flow === "run" && tool.readOnly

/** Runs of reads next to each other, and everything else alone. */
export const grouped = (open: ReadonlyArray<Open>): ReadonlyArray<ReadonlyArray<Open>> => {
  const groups: Array<Array<Open>> = []
  for (const item of open) {
    const last = groups.at(-1)
    if (isRead(item) && last?.[0] !== undefined && isRead(last[0])) last.push(item)
    else groups.push([item])
  }
  return groups
}

/** What the log says of the calls of the answer that is this message of it. */
export const statesOf = (calls: ReadonlyArray<History.ToolCall>, messageIndex: number): States =>
  new Map(calls.filter((call) => call.messageIndex === messageIndex).map((call) => [call.callId, call.state]))
