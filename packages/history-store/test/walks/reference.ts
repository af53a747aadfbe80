/** The history that all others are compared with: pure decisions in memory. */
import { Derived, Memory, type Protocol, type TaskId, type TaskRecord } from "@belay/task-state"
import type { Step } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { describeStep, lifecycle, settled, turn } from "../scenario.ts"
import { makes } from "./sequence.ts"

/** What can be seen of one task; owners by their names, without times. */
export interface Seen {
  readonly record: unknown
  readonly derived: Derived.Derived
  readonly lease: { readonly owner: string; readonly attempt: number } | null
}

const times = new Set(["at", "since", "deletedAt", "takenAt"])

/** The same text for the same record: keys in order, times left out, owners by their names. */
const plain = (value: unknown, names: ReadonlyMap<string, string>): unknown => {
  if (typeof value === "string") return names.get(value) ?? value
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((one) => plain(one, names))
  const entries = Object.entries(value).filter(([key, one]) => one !== undefined && !times.has(key))
  const kept = entries.map(([key, one]) => [key, plain(one, names)] as const)
  return Object.fromEntries(kept.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

export const seen = (
  record: TaskRecord.TaskRecord,
  derived: Derived.Derived,
  lease: { readonly ownerId: string; readonly attempt: number } | undefined,
  names: ReadonlyMap<string, string>
): Seen => ({
  record: plain(record, names),
  derived,
  lease: lease === undefined ? null : { owner: names.get(lease.ownerId) ?? lease.ownerId, attempt: lease.attempt }
})

const noNames: ReadonlyMap<string, string> = new Map()

export const look = (memory: Memory.Memory, taskId: TaskId.TaskId): Seen | undefined => {
  const record = memory.tasks.get(taskId)
  if (record === undefined) return undefined
  const living = (of: TaskId.TaskId) => {
    const lease = memory.leases.get(of)
    return lease === undefined || memory.dead.has(lease.ownerId) ? undefined : lease
  }
  const derived = Derived.derive(record, {
    task: (of) => memory.tasks.get(of),
    running: (of) => living(of) !== undefined
  })
  return seen(record, derived, living(taskId), noNames)
}

export const copy = (memory: Memory.Memory): Memory.Memory => ({
  tasks: new Map(memory.tasks),
  leases: new Map(memory.leases),
  dead: new Set(memory.dead),
  runners: new Map([...memory.runners].map(([owner, tasks]) => [owner, new Set(tasks)])),
  settled: [...memory.settled],
  transcripts: new Set(memory.transcripts),
  now: memory.now
})

export const refusal = (error: unknown): string => {
  if (typeof error === "object" && error !== null && "rule" in error) return String(error.rule)
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** The turn in which a runner asks for subtasks; those in the background are answered at once. */
const asking = ({ attempt, children, taskId }: Extract<Protocol.Request, { readonly _tag: "Delegate" }>) => {
  const background = children.filter(({ wait }) => wait === "background")
  const results = background.map(({ callId }) => ({ callId, text: "it runs" }))
  const calls = children.map(({ callId }) => ({ callId, name: "new_task" }))
  return {
    before: turn(taskId, attempt, calls),
    after: results.length === 0 ? [] : [settled(taskId, attempt, ...results)]
  }
}

/** Does what is asked; gives the rule that forbids it, or the steps that a store does the same with. */
export const ask = (
  memory: Memory.Memory,
  me: string,
  request: Protocol.Request
): { readonly rule: string | undefined; readonly steps: ReadonlyArray<Step.Step> } => {
  try {
    const { changes } = Memory.request(memory, me, request)
    if (changes.length === 0) return { rule: undefined, steps: [lifecycle(request)] }
    const described = makes(request).map(describeStep)
    if (request._tag === "Complete") {
      // The model reads all that was said, and answers, before its task completes.
      const { attempt, taskId } = request
      const deliver = { _tag: "Deliver", taskId, attempt } as const
      return { rule: undefined, steps: [deliver, ...turn(taskId, attempt, []), lifecycle(request)] }
    }
    if (request._tag !== "Delegate" && request._tag !== "DelegateBackground") {
      return { rule: undefined, steps: [lifecycle(request), ...described] }
    }
    memory.transcripts.add(request.taskId)
    const { after, before } = asking({ ...request, _tag: "Delegate" })
    return { rule: undefined, steps: [...before, lifecycle(request), ...described, ...after] }
  } catch (error) {
    return { rule: refusal(error), steps: [lifecycle(request)] }
  }
}

/** A runner may write while its owner has the task for its attempt; gives the rule that forbids it. */
export const write = (
  memory: Memory.Memory,
  me: string,
  taskId: TaskId.TaskId,
  attempt: number
): string | undefined => {
  const lease = memory.leases.get(taskId)
  const record = memory.tasks.get(taskId)
  if (record === undefined) return "NotFound"
  if (record.attempt !== attempt || lease?.ownerId !== me) return "LeaseLost"
  memory.transcripts.add(taskId)
  return undefined
}

/** Repairs until nothing is left to repair. */
export const reconcile = (memory: Memory.Memory, me: string): void => {
  for (let round = 0; round < 100; round++) if (Memory.repair(memory, me).length === 0) return
  throw new Error("reconciliation does not come to rest")
}

/** What a task was told. */
export interface Heard {
  readonly log: ReadonlyArray<Message.Message>
  /** The ids of the calls that have a result, in the log or kept until the turn has all of them. */
  readonly settled: ReadonlySet<string>
}

/** What is wrong with what a task was told: of each call one result at most, and of each report of a subtask one. */
export const wrongResults = (
  memory: Memory.Memory,
  taskId: TaskId.TaskId,
  { log, settled: answered }: Heard,
  written: ReadonlyArray<string>
): string | undefined => {
  const results = log.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []))
  )
  if (new Set(results).size !== results.length) return `${taskId}: two results of one call: ${results.join()}`
  const open = memory.settled.filter((one) => one.taskId === taskId && !answered.has(one.callId))
  if (open.length > 0) return `${taskId}: no result of ${open.map(({ callId }) => callId).join()}`
  const said = log.map((message) => Message.textOf(message)).filter((text) => text.startsWith("said "))
  if (said.join() !== written.join()) return `${taskId}: written is ${written.join()}, and it has ${said.join()}`
  const told = log.flatMap((message) => [...Message.textOf(message).matchAll(/\[task \S+: \w+\]/gu)].map(String))
  return new Set(told).size === told.length ? undefined : `${taskId}: told twice: ${told.join()}`
}
