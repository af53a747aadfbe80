/** What a server needs to store tasks and to tell them something: opened with the first call, and it runs none of them. */
import type { FocusChain } from "@belay/focus-chain"
import type { Inbox, Ownership, TaskHistory } from "@belay/history-store"
import * as DataFolder from "@belay/history-store/data-folder"
import { checkpointBounds, variablesOf } from "@belay/settings/file"
import { type TaskEngine, UserPort } from "@belay/task-engine"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Failpoints from "../cli/Failpoints.ts"
import { running } from "../composition.ts"
import * as Key from "../settings/Key.ts"
import * as User from "../settings/User.ts"

export type Services = TaskEngine | TaskHistory | Inbox | Ownership | FocusChain

export interface Opened {
  readonly services: Context.Context<Services>
  readonly ways: Key.Ways
}

/** Its tasks are told that somebody can answer: whoever waits for them, or another host. */
const person = Layer.succeed(UserPort, { attended: true, approve: () => Effect.never, answer: () => Effect.never })

export const open = (scope: Scope.Scope) =>
  Effect.gen(function* () {
    const user = yield* User.load
    const ways = yield* Key.both(user.model)
    const layer = running({
      directory: DataFolder.directory(),
      ways,
      bounds: checkpointBounds(user),
      concurrency: 1,
      person,
      failpoints: yield* Effect.fromResult(Failpoints.fromEnvironment()),
      variables: variablesOf(user),
      bash: user.shell?.bash
    })
    return { services: yield* Layer.buildWithScope(layer, scope), ways } satisfies Opened
  })
