/**
 * When nothing has come for a while although something is waited for: a model's answer, or what a call does.
 *
 * Each silence is told once. While a person is asked nothing else is waited for. It knows no clock: events have their
 * time, and `tick` says how late it is.
 */
import type { LiveEvent } from "@belay/task-engine"

export interface Silent {
  readonly type: "silence"
  readonly taskId: string
  readonly ts: number
  /** Of the last event of the task: its `seq`, and the live events after it. */
  readonly after: number
  readonly n: number
  /** How long nothing has come. */
  readonly ms: number
  /** What is waited for: this call, else the model. */
  readonly callId?: string
}

export interface Silence {
  readonly take: (event: LiveEvent.TaskEvent) => void
  readonly tick: (now: number) => void
}

const longest = 10_000

interface Waiting {
  after: number
  n: number
  model: boolean
  readonly calls: Set<string>
  readonly asks: Set<string>
}

export const make = (tell: (silent: Silent) => void): Silence => {
  const tasks = new Map<string, Waiting>()
  let last: { readonly taskId: string; readonly ts: number } | undefined
  let isTold = false

  const take = (event: LiveEvent.TaskEvent): void => {
    const task = tasks.get(event.taskId) ?? { after: 0, n: 0, model: false, calls: new Set(), asks: new Set() }
    tasks.set(event.taskId, task)
    const place = "seq" in event ? { after: event.seq, n: 0 } : { after: event.after, n: event.n }
    Object.assign(task, place)
    last = { taskId: event.taskId, ts: event.ts }
    isTold = false
    switch (event.type) {
      case "answer":
        // The first byte has a limit of its own, and is told of by whoever waits for it.
        task.model = event.state === "streaming"
        return
      case "tool.started":
        task.calls.add(event.callId)
        return
      case "tool.finished":
        task.calls.delete(event.callId)
        return
      case "ask":
        task.asks.add(event.askId)
        return
      case "ask.settled":
        task.asks.delete(event.askId)
        return
      case "task.status":
      case "task.completed":
        if (event.type === "task.completed" || event.to === "interrupted") tasks.delete(event.taskId)
        return
      default:
    }
  }

  const tick = (now: number): void => {
    if (last === undefined || isTold || now - last.ts < longest) return
    const all = [...tasks].toSorted(([id]) => (id === last?.taskId ? -1 : 0))
    if (all.some(([, { asks }]) => asks.size > 0)) return
    const found = all.find(([, { calls, model }]) => model || calls.size > 0)
    if (found === undefined) return
    const [taskId, { after, calls, n }] = found
    const [callId] = [...calls].slice(-1)
    isTold = true
    tell({ type: "silence", taskId, ts: now, after, n, ms: now - last.ts, ...(callId === undefined ? {} : { callId }) })
  }

  return { take, tick }
}
