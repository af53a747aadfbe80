/** Histories that do what a walk says, with one owner or several. */
import { type Step, TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import { Effect, ManagedRuntime, Option } from "effect"
import { layerMemory, layerSqlite } from "../history.ts"
import { layerThread } from "../layerThread.ts"
import { type Heard, refusal, type Seen, seen } from "./reference.ts"

/** The rule that forbids it; anything else that went wrong, in words. */
export type Said = string | undefined

export interface Host {
  readonly name: string
  readonly commit: (slot: number, steps: ReadonlyArray<Step.Step>) => Promise<Said>
  readonly reconcile: (slot: number, runners: ReadonlySet<TaskId.TaskId>) => Promise<Said>
  /** Kills the owner; another one takes its place. */
  readonly die: (slot: number, name: string) => Promise<void>
  /** As `commit`, and the owner dies meanwhile; only of processes. */
  readonly commitAndDie?: (
    slot: number,
    steps: ReadonlyArray<Step.Step>,
    statement: number,
    name: string
  ) => Promise<void>
  readonly look: (id: TaskId.TaskId) => Promise<Seen | undefined>
  readonly heard: (id: TaskId.TaskId) => Promise<Heard>
  readonly close: () => Promise<void>
}

type Made = typeof layerMemory

const open = (made: Made) => ManagedRuntime.make(made)

export type Opened = ReturnType<typeof open>

const running = (opened: Opened) => {
  const use = <A, E>(f: (history: TaskHistory["Service"]) => Effect.Effect<A, E>) =>
    opened.runPromise(TaskHistory.use(f))
  const told = <A, E>(f: (history: TaskHistory["Service"]) => Effect.Effect<A, E>): Promise<Said> =>
    use((history) => Effect.match(f(history), { onSuccess: () => undefined, onFailure: refusal })).catch(refusal)
  return { use, told }
}

export const lookIn = (opened: Opened, names: ReadonlyMap<string, string>) => async (id: TaskId.TaskId) => {
  const row = Option.getOrUndefined(await running(opened).use((history) => history.row(id)))
  if (row === undefined) return undefined
  return seen(row.record, row.derived, row.lease?.alive === true ? row.lease : undefined, names)
}

export const heardIn = (opened: Opened) => async (id: TaskId.TaskId) => {
  const log = await running(opened).use((history) => history.messages(id))
  const calls = await running(opened).use((history) => history.calls(id))
  return { log, settled: new Set(calls.flatMap(({ callId, state }) => (state === "finished" ? [callId] : []))) }
}

/** All owners in this process; one that dies leaves at least as much behind as one that leaves. */
const inProcess = async (
  name: string,
  layers: (slot: number) => Made,
  owners: ReadonlyArray<string>
): Promise<Host> => {
  const names = new Map<string, string>()
  const join = async (slot: number, owner: string): Promise<Opened> => {
    const opened = open(layers(slot))
    names.set(await opened.runPromise(TaskHistory.use(({ me }) => Effect.succeed(me))), owner)
    return opened
  }
  const slots: Array<Opened> = []
  for (const [slot, owner] of owners.entries()) slots.push(await join(slot, owner))
  const at = (slot: number): Opened => {
    const opened = slots[slot]
    if (opened === undefined) throw new Error(`no owner at ${slot}`)
    return opened
  }
  return {
    name,
    commit: (slot, steps) => running(at(slot)).told((history) => history.commit(steps)),
    reconcile: (slot, runners) => running(at(slot)).told((history) => history.reconcile(runners)),
    die: async (slot, owner) => {
      await at(slot).dispose()
      slots[slot] = await join(slot, owner)
    },
    look: (id) => lookIn(at(0), names)(id),
    heard: (id) => heardIn(at(0))(id),
    close: async () => {
      for (const opened of slots) await opened.dispose()
    }
  }
}

export const memory = (owners: ReadonlyArray<string>): Promise<Host> => inProcess("memory", () => layerMemory, owners)

/** One connection for each owner. */
export const file = (directory: string, owners: ReadonlyArray<string>): Promise<Host> =>
  inProcess("file", () => layerSqlite({ directory, kind: "walk" }), owners)

/** The first owner has its database in a thread. */
export const thread = (directory: string, owners: ReadonlyArray<string>): Promise<Host> =>
  inProcess(
    "thread",
    (slot) => (slot === 0 ? layerThread(directory) : layerSqlite({ directory, kind: "walk" })),
    owners
  )
