/**
 * What was denied while a run went on, in its tasks and all below them: calls that nobody was there to allow, and calls
 * that the approvals deny. What a mode does not have, and what the model made wrong, is not among it.
 */
import type { LiveEvent } from "@belay/task-engine"
import { AskText, CallEnd } from "@belay/interaction"

type Event = LiveEvent.TaskEvent
type EventOf<T extends Event["type"]> = Extract<Event, { readonly type: T }>

/** A call that did not run. */
export interface Denied {
  readonly taskId: string
  readonly callId: string
  readonly tool: string
  readonly args: unknown
  /** The rule that asked or denied. */
  readonly rule: string
  readonly reason: string
  readonly resolved: unknown
}

export interface Denials {
  readonly note: (event: Event) => void
  /** In the order in which they were denied. */
  readonly all: () => ReadonlyArray<Denied>
}

/** What a call that the policy denies is answered with: see `Pipeline`. */
const told = /^Not run: (?<reason>[^]*) \(rule: (?<rule>[\w.]+)\)\./u

const isOfPolicy = (rule: string): boolean => rule !== "invalid" && !rule.startsWith("mode.")

export const make = (): Denials => {
  const found: Array<Denied> = []
  const calls = new Map<string, Pick<Denied, "tool" | "args">>()
  const asks = new Map<string, EventOf<"ask">>()
  const answered = new Set<string>()
  const keyOf = (event: Event, callId: string) => `${event.taskId}:${callId}`

  const unattended = ({ callId = "", question = "", reason = "", resolved, rule = "", taskId }: EventOf<"ask">) => {
    const known = calls.get(`${taskId}:${callId}`)
    answered.add(`${taskId}:${callId}`)
    found.push({ taskId, callId, ...(known ?? AskText.callOf(question)), rule, reason, resolved })
  }

  const finished = (event: EventOf<"tool.finished">) => {
    const key = keyOf(event, event.callId)
    const call = calls.get(key)
    calls.delete(key)
    if (answered.delete(key) || call === undefined || !CallEnd.isDenied(event)) return
    const text = event.result.map((block) => (block.type === "text" ? block.text : "")).join("\n")
    const { reason = "", rule = "invalid" } = told.exec(text)?.groups ?? {}
    if (isOfPolicy(rule))
      found.push({ taskId: event.taskId, callId: event.callId, ...call, rule, reason, resolved: {} })
  }

  return {
    all: () => found,
    note: (event) => {
      switch (event.type) {
        case "tool.requested":
          calls.set(keyOf(event, event.callId), { tool: event.name, args: event.args })
          return
        case "ask":
          if (event.kind === "approval") asks.set(event.askId, event)
          return
        case "ask.settled": {
          const ask = asks.get(event.askId)
          asks.delete(event.askId)
          if (ask !== undefined && event.decision === "deny" && event.by === "unattended") unattended(ask)
          return
        }
        case "tool.finished":
          return finished(event)
        default:
      }
    }
  }
}
