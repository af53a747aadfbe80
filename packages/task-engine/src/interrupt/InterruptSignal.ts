/**
 * The stop that a task was told, or that a task above it was told: from that moment on it begins nothing.
 *
 * The runner of each task stores its own stop, the topmost first. Until that comes down to a task, what it was about to
 * ask of the model is ended here.
 */
import { TaskRecord } from "@belay/task-state"
import * as Deferred from "effect/Deferred"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Journal } from "../active/Journal.ts"
import type { ActiveTask, Stop } from "../active/ActiveTask.ts"

export class InterruptSignal extends Context.Service<
  InterruptSignal,
  {
    /** It, or a task that waits for it here, has been told to stop. */
    readonly isGiven: (running: ActiveTask) => boolean
    /** Runs it unless a stop is given; ends it when one is. Then this waits until the stop comes down to the task. */
    readonly until: <A, E>(running: ActiveTask, effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  }
>()("@belay/task-engine/InterruptSignal") {
  static readonly layer = Layer.effect(
    InterruptSignal,
    Effect.gen(function* () {
      const journal = yield* Journal

      /** The stops of the tasks that wait for it, from its parent up. */
      const above = ({ id, record }: ActiveTask): ReadonlyArray<Deferred.Deferred<Stop>> => {
        const { parentId } = record.lineage
        const parent = parentId === undefined ? undefined : journal.running.get(parentId)
        if (parent === undefined || TaskRecord.awaitedEntry(parent.record, id) === undefined) return []
        return [parent.interrupt.stop, ...above(parent)]
      }

      const until: InterruptSignal["Service"]["until"] = (running, effect) =>
        Effect.suspend(() => {
          const stops = above(running)
          if (stops.length === 0) return effect
          if (stops.some(Deferred.isDoneUnsafe)) return Effect.never
          const told = Effect.as(Effect.raceAllFirst(stops.map(Deferred.await)), Option.none())
          return Effect.flatMap(Effect.raceFirst(told, Effect.asSome(effect)), (made) =>
            Option.isSome(made) ? Effect.succeed(made.value) : Effect.never
          )
        })

      return InterruptSignal.of({
        isGiven: (running) => [running.interrupt.stop, ...above(running)].some(Deferred.isDoneUnsafe),
        until
      })
    })
  )
}
