/** Random sequences of what owners of one history do; a seed gives the same one every time. */
import { Memory, Protocol, type TaskId, TaskRecord } from "@belay/task-state"
import { Result } from "effect"
import { id, limits } from "../scenario.ts"

/** Something that one of the owners does, by its place. */
export type Action =
  | { readonly _tag: "Ask"; readonly slot: number; readonly request: Protocol.Request }
  /** As `Ask`, and the owner dies meanwhile: at one of its statements, or once it is done. */
  | {
      readonly _tag: "AskAndDie"
      readonly slot: number
      readonly request: Protocol.Request
      readonly statement: number
    }
  /** A runner writes, of an attempt that may be over. */
  | {
      readonly _tag: "Write"
      readonly slot: number
      readonly taskId: TaskId.TaskId
      readonly attempt: number
      readonly text: string
    }
  | { readonly _tag: "Reconcile"; readonly slot: number }
  /** The runner of a task is gone, and its owner lives. */
  | { readonly _tag: "Lose"; readonly slot: number; readonly taskId: TaskId.TaskId }
  /** Another owner takes the place of one that dies. */
  | { readonly _tag: "Die"; readonly slot: number }

export type Random = () => number

/** mulberry32 (public domain): the same numbers for the same seed. */
export const random =
  (seed: number): Random =>
  () => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

/** Tasks of one walk. */
const most = 8

const idOf = (walk: string, n: number): TaskId.TaskId => id(`${walk}-${n}`)

/** What ends tasks or stops them is asked less often, so that trees grow. */
const seldom: { readonly [Tag in Protocol.Request["_tag"]]?: number } = {
  Delete: 0.05,
  Close: 0.15,
  Interrupt: 0.2,
  Fork: 0.1,
  Continue: 0.1,
  TakeOver: 0.3,
  Abandon: 0.3
}

const freeOf = (used: ReadonlySet<TaskId.TaskId>, walk: string): ReadonlyArray<TaskId.TaskId> =>
  Array.from({ length: most }, (_, n) => idOf(walk, n)).filter((one) => !used.has(one))

const delegations = (taskId: TaskId.TaskId, attempt: number, free: ReadonlyArray<TaskId.TaskId>) => {
  const child = (one: TaskId.TaskId, wait: TaskRecord.Awaited["wait"]) => ({ id: one, callId: `call-${one}`, wait })
  const [first, second] = free
  if (first === undefined) return []
  const one = child(first, "foreground")
  const found: Array<Protocol.Request> = [
    { _tag: "Delegate", taskId, attempt, limits, children: [one] },
    { _tag: "DelegateBackground", taskId, attempt, limits, children: [child(first, "background")] }
  ]
  if (second === undefined) return found
  for (const wait of ["foreground", "background"] as const) {
    found.push({ _tag: "Delegate", taskId, attempt, limits, children: [one, child(second, wait)] })
  }
  const both = [child(first, "background"), child(second, "background")]
  found.push({ _tag: "DelegateBackground", taskId, attempt, limits, children: both })
  return found
}

/** What may be asked about a task: by its runner, with an attempt that may be over, and by people. */
const requestsOn = (
  memory: Memory.Memory,
  taskId: TaskId.TaskId,
  free: ReadonlyArray<TaskId.TaskId>,
  next: Random
): ReadonlyArray<Protocol.Request> => {
  const record = memory.tasks.get(taskId)
  if (record === undefined) return [{ _tag: "Create", taskId }]
  const awaited = TaskRecord.awaitedIds(record)
  const attempt = Math.max(0, record.attempt - (next() < 0.1 ? 1 : 0))
  const outcome = next() < 0.2 ? "failed" : "succeeded"
  const byRunner: ReadonlyArray<Protocol.Request> = [
    { _tag: "Collect", taskId, attempt, children: awaited },
    { _tag: "Complete", taskId, attempt, outcome, result: `result of ${taskId}` },
    { _tag: "Interrupt", taskId, attempt, reason: "host" },
    ...delegations(taskId, attempt, free)
  ]
  const byPerson: ReadonlyArray<Protocol.Request> = [
    { _tag: "Start", taskId },
    { _tag: "Resume", taskId },
    { _tag: "TakeOver", taskId },
    { _tag: "Interrupt", taskId, reason: "user" },
    { _tag: "Close", taskId, outcome: "cancelled", note: "closed" },
    { _tag: "Delete", taskId, subtasks: next() < 0.5 ? "delete" : "keep", ...(next() < 0.3 ? { forever: true } : {}) },
    { _tag: "Undelete", taskId },
    { _tag: "CollectUnowned", taskId, children: awaited },
    ...awaited.map((child) => ({ _tag: "Abandon" as const, taskId, child })),
    ...free
      .slice(0, 1)
      .flatMap((to): ReadonlyArray<Protocol.Request> => [
        { _tag: "Continue", taskId, as: to },
        { _tag: "Fork", taskId, as: to },
        ...awaited.map((child) => ({ _tag: "Restart" as const, taskId, child, to }))
      ])
  ]
  return record.status === "created" || record.status === "interrupted"
    ? byPerson
    : [...byRunner, ...byRunner, ...byPerson]
}

const changes = (view: Protocol.View, request: Protocol.Request): boolean => {
  const decided = Protocol.decide(view, request)
  return Result.isSuccess(decided) && decided.success.changes.length > 0
}

/** What is done next in a walk; nothing when the dice say so. */
export const draw = (
  memory: Memory.Memory,
  owners: ReadonlyArray<string>,
  used: ReadonlySet<TaskId.TaskId>,
  walk: string,
  next: Random
): Action | undefined => {
  const pick = <A>(list: ReadonlyArray<A>): A | undefined => list[Math.floor(next() * list.length)]
  const any = Math.floor(next() * owners.length)
  const kind = next()
  if (owners.length > 1 && kind < 0.01) return { _tag: "Die", slot: any }
  if (kind < 0.1) return { _tag: "Reconcile", slot: any }
  const taskId = used.size === 0 ? idOf(walk, 0) : pick([...used])
  if (taskId === undefined) return undefined
  // Mostly who has the task.
  const holder = owners.indexOf(memory.leases.get(taskId)?.ownerId ?? "")
  const slot = holder >= 0 && next() < 0.7 ? holder : any
  if (kind < 0.17) {
    const attempt = Math.max(0, (memory.tasks.get(taskId)?.attempt ?? 0) - Math.floor(next() * 2))
    return { _tag: "Write", slot, taskId, attempt, text: `said ${Math.floor(next() * 1e9)}` }
  }
  if (kind < 0.2) return { _tag: "Lose", slot, taskId }
  const all = requestsOn(memory, taskId, freeOf(used, walk), next)
  // Most of what is asked changes something.
  const view = Memory.view(memory, owners[slot] ?? "")
  const request = pick(next() < 0.3 ? all : all.filter((one) => changes(view, one)))
  if (request === undefined || next() > (seldom[request._tag] ?? 1)) return undefined
  if (owners.length > 1 && next() < 0.025) {
    return { _tag: "AskAndDie", slot, request, statement: Math.floor(next() * 30) }
  }
  return { _tag: "Ask", slot, request }
}

/** The tasks that a request may make. */
export const makes = (request: Protocol.Request): ReadonlyArray<TaskId.TaskId> => {
  switch (request._tag) {
    case "Create":
      return [request.taskId]
    case "Continue":
    case "Fork":
      return [request.as]
    case "Restart":
      return [request.to]
    case "Delegate":
    case "DelegateBackground":
      return request.children.map((child) => child.id)
    default:
      return []
  }
}
