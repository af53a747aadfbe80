/**
 * Keeps `attention.json` of the data folder up to date while an engine lives.
 *
 * It is looked at when something happened that may change it: an ask, a stop, a resume, a new title, a deletion; or when
 * another process has written, or this one has repaired something. A turn that asks nobody costs nothing.
 */
import { AttentionFile, TaskHistory } from "@belay/history-store"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type { TaskEvent } from "../active/LiveEvent.ts"
import { TaskEvents } from "../active/TaskEvents.ts"
import { EngineOptions } from "../EngineOptions.ts"

const matters = (event: TaskEvent): boolean => {
  switch (event.type) {
    case "ask":
    case "ask.settled":
    case "task.deleted":
    case "task.undeleted":
    case "task.renamed":
    case "repaired":
      return true
    case "task.status":
      return event.from === "interrupted" || event.to === "interrupted" || event.to === "completed"
    default:
      return false
  }
}

export class AttentionKeeper extends Context.Service<
  AttentionKeeper,
  {
    /** Looks again, for changes that came without an event of this process. The end of the engine is the last look. */
    readonly look: Effect.Effect<void>
  }
>()("@belay/task-engine/AttentionKeeper") {
  static readonly layer = Layer.effect(
    AttentionKeeper,
    Effect.gen(function* () {
      const { home } = yield* EngineOptions
      const history = yield* TaskHistory
      const events = yield* TaskEvents
      const asked = yield* Queue.sliding<undefined>(1)
      const refresh = AttentionFile.refresh(home).pipe(
        Effect.provideService(TaskHistory, history),
        Effect.ignore,
        Effect.uninterruptible
      )
      const look = Effect.asVoid(Queue.offer(asked, undefined))
      yield* Effect.addFinalizer(() => refresh)
      yield* events.listen((event) => {
        if (matters(event)) Queue.offerUnsafe(asked, undefined)
      })
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(asked), refresh)))
      return AttentionKeeper.of({ look })
    })
  )
}
