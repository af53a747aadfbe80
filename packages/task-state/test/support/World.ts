/** A history in memory: applies decisions one commit at a time, with the checks that every store has to make. */
import { type Command, type Protocol, Reconcile, TaskId, type TaskRecord } from "@belay/task-state"
import { decide } from "./decide.ts"

export type Id = TaskId.TaskId
export const id = (text: string): Id => TaskId.TaskId.make(text)

export interface World {
  readonly tasks: Map<Id, TaskRecord.TaskRecord>
  readonly leases: Map<Id, TaskRecord.Lease>
  readonly dead: Set<string>
  /** owner -> the tasks it has a runner for */
  readonly runners: Map<string, Set<Id>>
  /** Every settlement in the order of its commit. */
  readonly settled: Array<Protocol.Settlement>
  readonly transcripts: Set<Id>
  now: number
}

export const make = (): World => ({
  tasks: new Map(),
  leases: new Map(),
  dead: new Set(),
  runners: new Map(),
  settled: [],
  transcripts: new Set(),
  now: 1000
})

export const copy = (world: World): World => ({
  tasks: new Map(world.tasks),
  leases: new Map(world.leases),
  dead: new Set(world.dead),
  runners: new Map([...world.runners].map(([owner, tasks]) => [owner, new Set(tasks)])),
  settled: [...world.settled],
  transcripts: new Set(world.transcripts),
  now: world.now
})

export const viewOf = (world: World, me: string): Protocol.View => ({
  task: (taskId) => world.tasks.get(taskId),
  lease: (taskId) => world.leases.get(taskId),
  alive: (owner) => !world.dead.has(owner),
  me,
  now: world.now
})

export const factsOf = (world: World, me: string): Reconcile.Facts => ({
  tasks: world.tasks,
  leases: world.leases,
  alive: (owner) => !world.dead.has(owner),
  me,
  runners: world.runners.get(me) ?? new Set(),
  hasTranscript: (taskId) => world.transcripts.has(taskId),
  now: world.now
})

/** Commits a decision; throws when a record has changed since the decision was made. */
export const commit = (world: World, decision: Protocol.Decision, me: string): void => {
  for (const { before, after, lease } of decision.changes) {
    const taskId = (after ?? before)?.id
    if (taskId === undefined) throw new Error("a change of nothing")
    if (world.tasks.get(taskId)?.rev !== before?.rev) throw new Error(`stale write of ${taskId}`)
    if (after === undefined) world.tasks.delete(taskId)
    else world.tasks.set(taskId, after)
    if (lease !== "keep") {
      world.leases.delete(taskId)
      for (const tasks of world.runners.values()) tasks.delete(taskId)
    }
    if (lease === "take" && after !== undefined) {
      world.leases.set(taskId, { taskId, ownerId: me, attempt: after.attempt, takenAt: world.now })
      world.runners.set(me, (world.runners.get(me) ?? new Set()).add(taskId))
    }
  }
  world.settled.push(...decision.settlements)
  world.now += 1
}

/** Decides and commits; throws the rejection. */
export const run = (world: World, me: string, request: Protocol.Request): Protocol.Decision => {
  const decision = decide(viewOf(world, me), request)
  commit(world, decision, me)
  return decision
}

/** One round of repairs by one process, in a given order; stale ones are dropped. */
export const round = (world: World, me: string, order = (list: ReadonlyArray<Reconcile.Repair>) => list) => {
  const found = order(Reconcile.repairs(factsOf(world, me)))
  for (const repair of found) {
    if (Reconcile.isCurrent(repair, (taskId) => world.tasks.get(taskId))) commit(world, repair.decision, me)
  }
  return found
}

/** Reconciles until no process finds anything. */
export const reconcile = (world: World, owners: ReadonlyArray<string>, order?: Parameters<typeof round>[2]): void => {
  for (let fuel = 0; fuel < 100; fuel++) {
    if (owners.map((owner) => round(world, owner, order).length).every((count) => count === 0)) return
  }
  throw new Error("reconciliation does not come to rest")
}

export const children = (...names: ReadonlyArray<string>): ReadonlyArray<Command.Child> =>
  names.map((name) => ({ id: id(name), callId: `call-${name}`, wait: "foreground" }))

export const limits: Protocol.Limits = { depth: 3, fanOut: 4 }

/** A root `p` that waits for the children named, all owned by one process. */
export const delegated = (owner: string, ...names: ReadonlyArray<string>): World => {
  const world = make()
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

/** The process is gone; nothing of it is cleaned up. */
export const kill = (world: World, owner: string): void => {
  world.dead.add(owner)
  world.runners.delete(owner)
}

export const get = (world: World, name: string): TaskRecord.TaskRecord => {
  const record = world.tasks.get(id(name))
  if (record === undefined) throw new Error(`no task ${name}`)
  return record
}
