/**
 * The process that has a task, other than this one, and what it may still run: what a person is told before the task is
 * taken from it. Whatever was begun and not ended there is settled as unknown by the next runner, and not run again.
 */
import { type History, type HistoryError, type Step, TaskHistory } from "@belay/history-store"
import { type TaskId, TaskRecord } from "@belay/task-state"
import * as Effect from "effect/Effect"

/** Says why nobody but a person can know whether a process lives, as the history tells it. */
export type Doubt = "otherMachine" | "otherContainer" | "otherHost" | "sharedDisk" | "noLock"

/** Describes the process that has a task. */
export interface Holder {
  readonly pid: number
  readonly host: string
  /** Absent when it is proven that it lives. */
  readonly doubt?: Doubt
  /** What it had begun and not ended, as people read it. */
  readonly mayRun: ReadonlyArray<string>
}

type Reads<A> = Effect.Effect<A, HistoryError.HistoryError, TaskHistory>

/** A process that is not known to be gone, other than `me`, has it. */
export const isHeldElsewhere = ({ lease }: Pick<History.TaskRow, "lease">, me: string): boolean =>
  lease?.alive === true && lease.ownerId !== me

/** By a person: takes a task from the process that has it. It stops there within a look at the history. */
export const taking = (taskId: TaskId.TaskId): Step.Step => ({
  _tag: "Lifecycle",
  request: { _tag: "TakeOver", taskId }
})

/** What a call does, as people read it: the command, else the name of the tool. */
const textOf = (call: History.ToolCall, input: unknown): string => {
  const command = typeof input === "object" && input !== null && "command" in input ? input.command : undefined
  return typeof command === "string" && command.trim() !== "" ? command : call.name
}

/** Calls that have begun and not ended; a subtask is told by its own. */
const begun = (row: History.TaskRow): Reads<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const { id } = row.record
    const calls = (yield* history.calls(id)).filter(({ name, state }) => state === "started" && name !== "new_task")
    if (calls.length === 0) return []
    const inputs = new Map<string, unknown>()
    for (const { content } of yield* history.messages(id)) {
      for (const block of content) if (block.type === "tool_use") inputs.set(block.id, block.input)
    }
    return calls.map((call) => textOf(call, inputs.get(call.callId)))
  })

/** The awaited tasks of every depth that the task's process has. */
export const below = (
  history: TaskHistory["Service"],
  row: History.TaskRow
): Effect.Effect<ReadonlyArray<History.TaskRow>, HistoryError.HistoryError> =>
  Effect.gen(function* () {
    const awaited = new Set(TaskRecord.awaitedIds(row.record))
    if (awaited.size === 0) return []
    const found: Array<History.TaskRow> = []
    for (const child of yield* history.children(row.record.id)) {
      if (!awaited.has(child.record.id) || child.lease?.ownerId !== row.lease?.ownerId) continue
      found.push(child, ...(yield* below(history, child)))
    }
    return found
  })

/** Says who has the task, when a process other than this one has; a damaged conversation is no reason to say nothing. */
export const of = (row: History.TaskRow): Reads<Holder | undefined> =>
  Effect.gen(function* () {
    const { lease } = row
    const history = yield* TaskHistory
    if (lease === null || !isHeldElsewhere(row, history.me)) return undefined
    const rows = [row, ...(yield* below(history, row))]
    const mayRun = yield* Effect.orElseSucceed(Effect.forEach(rows, begun), () => [])
    const { doubt, owner } = lease
    return { pid: owner.pid, host: owner.host, mayRun: mayRun.flat(), ...(doubt === undefined ? {} : { doubt }) }
  })
