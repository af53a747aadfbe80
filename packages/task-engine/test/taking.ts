/** Tasks that another process takes over. */
import { TaskHistory } from "@belay/history-store"
import * as Effect from "effect/Effect"
import { TaskEngine } from "../src/index.ts"

export const sub = (message: string, id: string, more: object = {}) => ["new_task", { message, ...more }, id] as const

/** A task that this session runs. */
export const begun = (task: Parameters<TaskEngine["Service"]["create"]>[0]) =>
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    const id = yield* engine.create(task)
    return { engine, id, old: yield* Effect.forkChild(engine.run(id)) }
  })

export const childrenOf = (id: Parameters<TaskHistory["Service"]["children"]>[0]) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.children(id)),
    (rows) => rows.map(({ record }) => record.id)
  )
