/**
 * Waiting for tasks, from the history alone: an answer that is lost on its way has changed nothing, and is asked for again.
 */
import { TaskHistory } from "@belay/history-store"
import type { TaskNode } from "@belay/task-engine/remote"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as StartRunner from "../runner/StartRunner.ts"
import * as Deciding from "./Deciding.ts"
import * as Row from "./Row.ts"
import * as Scope from "./Scope.ts"

export interface Wanted {
  readonly ids?: ReadonlyArray<string> | undefined
  readonly cursor?: string | undefined
  readonly until: "any" | "all"
  readonly timeoutSeconds: number
}

const lookEvery = "250 millis"
const looksPerRunner = 8
const tellEvery = 10_000
/** How long an outcome is told of that nobody names, in ms. */
const recent = 24 * 60 * 60 * 1000
const most = 20

const sinceOf = (cursor: string | undefined, now: number): number => {
  const at = cursor === undefined ? Number.NaN : new Date(cursor).getTime()
  return Number.isNaN(at) ? now - recent : at + 1
}

/** Those that are named, else what is open or ended since the cursor. */
const nodesOf = (scope: Scope.Scope, { cursor, ids }: Wanted, now: number) =>
  ids === undefined || ids.length === 0
    ? Effect.map(Row.list(scope, most), (nodes) =>
        nodes.filter(({ row }) => row.record.status !== "completed" || row.updatedAt >= sinceOf(cursor, now))
      )
    : Effect.forEach(ids, (id) => Row.find(scope, id))

/** There is nothing more to wait for: it has ended, stopped, or asks the model that waits. */
const isSettled = (node: TaskNode.TaskNode) =>
  Effect.gen(function* () {
    const { record } = node.row
    if (record.status === "completed") return true
    if (Row.openIn(node).some(({ ask }) => Row.isForModel(ask))) return true
    if (record.status !== "interrupted") return false
    const queued = Option.getOrUndefined(yield* (yield* TaskHistory).queuedTask(record.id))
    return queued?.waits !== true
  })

const progressOf = (nodes: ReadonlyArray<TaskNode.TaskNode>, settled: number): string => {
  const cost = nodes.reduce((sum, node) => sum + (Row.of(node).costUsd ?? 0), 0)
  return `${settled} of ${nodes.length} done, $${cost.toFixed(2)}`
}

export interface Deciders {
  readonly responses: Record<string, unknown> | undefined
  readonly canAsk: boolean
  readonly left: Set<string>
  readonly unattended: Deciding.Unattended
  readonly progress: (done: number, total: number, said: string) => Effect.Effect<void>
}

/** Rows at the end of the wait, or what a person has to be asked first. */
export const wait = (scope: Scope.Scope, wanted: Wanted, deciders: Deciders) =>
  Effect.gen(function* () {
    const begun = yield* Clock.currentTimeMillis
    let told = begun
    let seen = -1
    let looks = 0
    for (;;) {
      // One that was killed a moment ago, or dies meanwhile, is replaced.
      if (looks++ % looksPerRunner === 0) yield* StartRunner.ifNeeded
      const now = yield* Clock.currentTimeMillis
      const timedOut = now - begun >= wanted.timeoutSeconds * 1000
      const version = yield* (yield* TaskHistory).version
      if (version !== seen || timedOut) {
        seen = version
        const nodes = yield* nodesOf(scope, wanted, begun)
        const put = yield* Deciding.decide(nodes, deciders.responses, deciders)
        if (put !== undefined) return put
        const settled = (yield* Effect.forEach(nodes, isSettled)).filter((is) => is).length
        const isOver = nodes.length === 0 || (wanted.until === "any" ? settled > 0 : settled === nodes.length)
        if (isOver || timedOut) {
          const tasks = nodes.map(Row.of)
          const cursor =
            tasks
              .map(({ updatedAt }) => updatedAt)
              .toSorted()
              .at(-1) ??
            wanted.cursor ??
            null
          return { tasks, timedOut: !isOver, cursor }
        }
        if (now - told >= tellEvery) {
          told = now
          yield* deciders.progress(settled, nodes.length, progressOf(nodes, settled))
        }
      }
      yield* Effect.sleep(lookEvery)
    }
  })
