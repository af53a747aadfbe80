/** Subtasks in the background and the waits for them. */
import { type History, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { TaskRecord, type TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import { TaskEngine } from "../src/index.ts"
import { calls, requestsOf, type World } from "./world.ts"

export const behind = (message: string, id: string) => ["new_task", { message, background: true }, id] as const

export const sub = (message: string, id: string) => ["new_task", { message }, id] as const

export const waits = (id: string, ids?: ReadonlyArray<string>) =>
  calls(["wait_for_tasks", ids === undefined ? {} : { ids }, id])

export const held = (answer: ReturnType<typeof calls>, gate: string) => ({ ...answer, hold: gate, holdAt: 0 })

export const created = (task: Parameters<TaskEngine["Service"]["create"]>[0]) =>
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    const id = yield* engine.create(task)
    return { engine, id, running: yield* Effect.forkChild(engine.run(id)) }
  })

export const asked = (world: World, prompt: string) => requestsOf(world, prompt).length

/** What the user's side of a log says, results aside. */
export const told = (id: TaskId.TaskId) =>
  Effect.gen(function* () {
    const log = yield* (yield* TaskHistory).messages(id)
    return log
      .slice(1)
      .filter(({ role }) => role === "user")
      .map((message) => Message.textOf(message))
      .filter((text) => text.startsWith("[task "))
  })

export const collected = (row: History.TaskRow | undefined) =>
  row === undefined
    ? []
    : Object.values(TaskRecord.collected(row.record)).map(({ deliveredBy, outcome, summary }) => [
        summary,
        outcome,
        deliveredBy
      ])
