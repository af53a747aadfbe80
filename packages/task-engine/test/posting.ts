/** Requests that another process posts, and tasks that wait for them. */
import { Approvals } from "@belay/approval-policy"
import { Inbox, type InboxRequestBody, TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerSqlite } from "./history.ts"
import { UserPort, TaskEngine } from "../src/index.ts"
import { calls, completes, eventually, script, type World } from "./world.ts"

/** Somebody who is there and says nothing. */
export const silent = Layer.succeed(UserPort, {
  attended: true,
  approve: () => Effect.never,
  answer: () => Effect.never
})

export const asking = { approvals: Approvals.ask }

export const openAsk = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.asks(id)),
    (asks) => asks.find((ask) => ask.open)?.askId ?? ""
  )

/** Another process asks for something. */
export const post = (world: World, id: string, taskId: TaskId.TaskId, attempt: number, body: InboxRequestBody) =>
  Effect.flatMap(Inbox, (inbox) => inbox.post({ ...body, id, taskId, attempt, by: "other" })).pipe(
    Effect.provide(layerSqlite({ directory: world.home, kind: "other" }))
  )

/** A task of this session that waits with an ask. */
export const waiting = (task: Parameters<TaskEngine["Service"]["create"]>[0]) =>
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    const asked = yield* eventually((event) => event.type === "ask")
    const id = yield* engine.create(task)
    const fiber = yield* Effect.forkChild(engine.run(id))
    yield* asked
    return { engine, id, fiber, askId: yield* openAsk(id) }
  })

export const write = script("write", calls(["write_to_file", { path: "one.txt", content: "1" }, "w"]), completes("x"))
