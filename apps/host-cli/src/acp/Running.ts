/** What runs the tasks of all sessions of a client: loaded with the first request that needs it. */
import type { Checkpoints } from "@belay/checkpoints"
import { TaskStore } from "@belay/interaction/tasks"
import type { Inbox, Ownership, TaskHistory } from "@belay/history-store"
import * as DataFolder from "@belay/history-store/data-folder"
import { checkpointBounds, variablesOf } from "@belay/settings/file"
import type { TaskEngine, TaskEvents } from "@belay/task-engine"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Failpoints from "../cli/Failpoints.ts"
import { running } from "../composition.ts"
import type { ClientServers } from "./ClientServers.ts"
import * as Person from "../interactive/Person.ts"
import * as Key from "../settings/Key.ts"
import * as User from "../settings/User.ts"

export type Services = TaskEngine | TaskHistory | TaskStore.TaskStore | Inbox | Ownership | TaskEvents | Checkpoints

export interface Running {
  readonly services: Context.Context<Services>
  readonly ways: Key.Ways
}

/** Subtasks at once. */
const concurrency = 4

/** `tell`: a line for the person, which no client shows. `own`: the servers that clients pass. */
export const open = (tell: (line: string) => void, own: ClientServers, scope: Scope.Scope) =>
  Effect.gen(function* () {
    const directory = DataFolder.directory()
    const user = yield* User.load
    const ways = yield* Key.both(user.model)
    const failpoints = yield* Effect.fromResult(Failpoints.fromEnvironment())
    const parts = running({
      directory,
      ways,
      bounds: checkpointBounds(user),
      concurrency,
      person: Person.layer(tell),
      failpoints,
      serversOf: (all, history) => own.ofTask(all, history, scope),
      variables: variablesOf(user),
      bash: user.shell?.bash
    })
    const report = (cause: Cause.Cause<unknown>): void => tell(String(Cause.squash(cause)))
    const layer = Layer.provideMerge(TaskStore.TaskStore.layer(report), parts)
    return { services: yield* Layer.buildWithScope(layer, scope), ways } satisfies Running
  })
