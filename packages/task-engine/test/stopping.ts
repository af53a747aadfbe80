/** Tasks that are stopped, and what is left of them. */
import * as Effect from "effect/Effect"
import { TaskEngine } from "../src/index.ts"
import { check } from "./sound.ts"

export const sub = (message: string, id: string) => ["new_task", { message }, id] as const

export const created = (task: Parameters<TaskEngine["Service"]["create"]>[0]) =>
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    const id = yield* engine.create(task)
    return { engine, id, running: yield* Effect.forkChild(engine.run(id)) }
  })

export const statuses = (tasks: Effect.Success<ReturnType<typeof check>>) =>
  tasks.map(({ meta, record }) => [
    meta.title,
    record.status === "interrupted" ? `${record.interruption.reason} from ${record.interruption.from}` : record.status
  ])
