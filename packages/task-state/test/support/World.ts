/** Histories in memory that many tests begin with. */
import { type Command, Memory, type Protocol, TaskId, type TaskRecord } from "@belay/task-state"

export type Id = TaskId.TaskId
export const id = (text: string): Id => TaskId.TaskId.make(text)

export type World = Memory.Memory

export const { commit, facts: factsOf, kill, make, repair: round, view: viewOf } = Memory

export const copy = (world: World): World => ({
  tasks: new Map(world.tasks),
  leases: new Map(world.leases),
  dead: new Set(world.dead),
  runners: new Map([...world.runners].map(([owner, tasks]) => [owner, new Set(tasks)])),
  settled: [...world.settled],
  transcripts: new Set(world.transcripts),
  now: world.now
})

export const run = Memory.request

/** Reconciles until no process finds anything. */
export const reconcile = (
  world: World,
  owners: ReadonlyArray<string>,
  order?: Parameters<typeof Memory.repair>[2]
): void => {
  for (let fuel = 0; fuel < 100; fuel++) {
    if (owners.map((owner) => Memory.repair(world, owner, order).length).every((count) => count === 0)) return
  }
  throw new Error("reconciliation does not come to rest")
}

export const children = (...names: ReadonlyArray<string>): ReadonlyArray<Command.Child> =>
  names.map((name) => ({ id: id(name), callId: `call-${name}`, wait: "foreground" }))

export const limits: Protocol.Limits = { depth: 3, fanOut: 4 }

/** A root `p` that waits for the children named, all owned by one process. */
export const delegated = (owner: string, ...names: ReadonlyArray<string>): World => {
  const world = Memory.make()
  run(world, owner, { _tag: "Create", taskId: id("p") })
  run(world, owner, { _tag: "Start", taskId: id("p") })
  run(world, owner, { _tag: "Delegate", taskId: id("p"), attempt: 1, children: children(...names), limits })
  return world
}

/** Starts and completes a child. */
export const finish = (world: World, owner: string, name: string, result = `${name} done`): void => {
  run(world, owner, { _tag: "Start", taskId: id(name) })
  const attempt = world.tasks.get(id(name))?.attempt ?? 0
  run(world, owner, { _tag: "Complete", taskId: id(name), attempt, outcome: "succeeded", result })
}

export const get = (world: World, name: string): TaskRecord.TaskRecord => {
  const record = world.tasks.get(id(name))
  if (record === undefined) throw new Error(`no task ${name}`)
  return record
}
