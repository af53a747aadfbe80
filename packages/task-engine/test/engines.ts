/** Two engines on one history, as two processes have them. */
import { Inbox, type InboxRequestBody, type Ownership, TaskHistory } from "@belay/history-store"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { layerSqlite } from "./history.ts"
import { TaskEngine } from "../src/index.ts"
import { calls, completes, make, requestsOf, script, waitFor, type World } from "./world.ts"

export const sub = (message: string, id: string) => ["new_task", { message }, id] as const

export const held = { hold: "gate", holdAt: 0 } as const

/** An engine of its own, which shares nothing with this one but the history. */
export const apart = <A, E>(world: World, program: Parameters<typeof world.session<A, E>>[0]) =>
  Effect.promise(() => Effect.runPromise(world.session(program)))

/** What another process does with the history. */
export const other = <A, E>(world: World, program: Effect.Effect<A, E, TaskHistory | Inbox | Ownership>) =>
  Effect.provide(program, layerSqlite({ directory: world.home, kind: "other" }))

export const post = (world: World, id: string, taskId: TaskId.TaskId, body: InboxRequestBody) =>
  other(
    world,
    Effect.flatMap(Inbox, (inbox) => inbox.post({ ...body, id, taskId, attempt: 1, by: "other" }))
  )

export const replyTo = (id: string) =>
  Effect.map(
    Effect.flatMap(Inbox, (inbox) => inbox.reply(id)),
    Option.getOrUndefined
  )

export const recordOf = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.row(id)),
    (row) => Option.getOrThrow(row).record
  )

/** A root whose subtasks have all asked the model. */
export const waiting = (world: World, ...parts: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    const history = yield* TaskHistory
    const id = yield* engine.create(world.task("root"))
    const fiber = yield* Effect.forkChild(engine.run(id))
    yield* waitFor(world, () => parts.every((part) => requestsOf(world, part).length > 0))
    const children = (yield* history.children(id)).map(({ record }) => record.id)
    return { engine, id, fiber, children: children as [TaskId.TaskId, TaskId.TaskId] }
  })

/** A root with a subtask that asks, and is held when it goes on, and one that is held from the beginning. */
export const oneAsks = make([
  script("root", calls(sub("ask me", "n1"), sub("part two", "n2")), completes("joined")),
  script("ask me", calls(["ask_followup_question", { question: "which?" }, "q"]), {
    ...completes("answered"),
    hold: "third",
    holdAt: 0
  }),
  script("part two", { ...completes("second"), ...held })
])
