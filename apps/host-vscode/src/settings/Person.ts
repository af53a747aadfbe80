/**
 * The person at this editor: always there, and answers asks by their ids, in whatever view they like.
 *
 * Asks are records: views show what is open, and the first answer counts wherever it is given. So nothing is put to the
 * person here, and nothing waits for a view.
 */
import { UserPort } from "@belay/task-engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import { UserApprovals } from "./UserApprovals.ts"

export const layer: Layer.Layer<UserPort, never, UserApprovals> = Layer.effect(
  UserPort,
  Effect.map(UserApprovals, ({ kept }) =>
    UserPort.of({
      attended: true,
      approve: () => Effect.never,
      answer: () => Effect.never,
      allowed: (said) => Effect.asVoid(PubSub.publish(kept, said))
    })
  )
)
