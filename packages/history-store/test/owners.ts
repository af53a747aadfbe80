/** A history that two processes have, or that one has left. */
import { Inbox, TaskHistory } from "@belay/history-store"
import { Effect } from "effect"
import { layerSqlite } from "./history.ts"
import { id, lifecycle, settled, started, turn } from "./scenario.ts"
import { temporary } from "./temporary.ts"

export const open = (directory: string, kind = "test") => layerSqlite({ directory, kind })

/** What another owner does, in the same history and at the same time. */
export const elsewhere = <A, E>(directory: string, effect: Effect.Effect<A, E, TaskHistory | Inbox>, kind = "other") =>
  effect.pipe(Effect.provide(open(directory, kind), { local: true }))

/** The first owner's part, with its history open. */
export const here = <A, E>(body: (directory: string) => Effect.Effect<A, E, TaskHistory | Inbox>) =>
  Effect.flatMap(temporary, (directory) => body(directory).pipe(Effect.provide(open(directory))))

export const interrupt = (taskId: string) => lifecycle({ _tag: "Interrupt", taskId: id(taskId), reason: "user" })

/** A question, an answer of the model with one call, and the call's result. */
export const talked = (taskId: string) => [
  ...started(taskId),
  ...turn(taskId, 1, [{ callId: `c-${taskId}` }]),
  settled(taskId, 1, { callId: `c-${taskId}`, text: "read" }),
  ...turn(taskId, 1, [{ callId: `d-${taskId}` }]),
  settled(taskId, 1, { callId: `d-${taskId}`, text: "read" })
]
