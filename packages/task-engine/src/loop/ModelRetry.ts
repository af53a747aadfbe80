/**
 * A request that the service fails is repeated once by itself, at once; after the second failure the user decides. Where
 * the host is patient, an outage is waited for first.
 *
 * This comes on top of the transport's own tries. Nothing of an answer that failed is stored or run. What the service
 * refuses whenever it is sent, such as a key or a request it does not take, is not repeated.
 */
import { ModelError } from "@belay/model-client"
import { Recovery } from "@belay/task-state"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Journal } from "../active/Journal.ts"
import { type Answered, ModelTurn } from "../model/ModelTurn.ts"
import * as Outage from "./Outage.ts"
import * as Prompt from "../prompt/Prompt.ts"
import { Questions } from "../asks/Questions.ts"
import * as RetryCount from "../active/RetryCount.ts"
import { type CallFailure, type Failure, fence, type ActiveTask } from "../active/ActiveTask.ts"
import * as Sentences from "../text/Sentences.ts"
import * as Transitions from "../active/Transitions.ts"

export class ModelRetry extends Context.Service<
  ModelRetry,
  {
    /** The finished answer. Errors: the second failure, or the first that is not worth repeating. */
    readonly answer: <E>(running: ActiveTask, again: Effect.Effect<void, E>) => Effect.Effect<Answered, CallFailure | E>
    /** Asks whether to try again; fails with the error when nobody is there or the answer is no. */
    readonly failed: (running: ActiveTask, error: ModelError.ModelError) => Effect.Effect<void, Failure>
  }
>()("@belay/task-engine/ModelRetry") {
  static readonly layer = Layer.effect(
    ModelRetry,
    Effect.gen(function* () {
      const model = yield* ModelTurn
      const questions = yield* Questions
      const journal = yield* Journal

      const patience = yield* Outage.Patience

      /** Told once as it is stored, and each time as long as it lasts. */
      const waited = Effect.fnUntraced(function* (
        running: ActiveTask,
        error: ModelError.ModelError,
        inMs: number,
        times: number
      ) {
        const text = Sentences.outage(error.message)
        if (times === 0) {
          const step = { tag: "Outage", message: text, retryInMs: inMs }
          yield* journal.commit([{ _tag: "Failed", ...fence(running), ...step }])
        }
        const until = (yield* Clock.currentTimeMillis) + inMs
        yield* model.live(running, { type: "progress", text, until })
        yield* patience.sleep(running.id, inMs)
        Transitions.repeated(running)
      })

      const made = <E>(
        running: ActiveTask,
        again: Effect.Effect<void, E>,
        times = 0
      ): Effect.Effect<Answered, CallFailure | E> =>
        Effect.catchIf(model.answer(running, again), isModelError, (error) =>
          Effect.gen(function* () {
            if (!isPassing(error)) return yield* error
            const inMs = Outage.delay(patience, error, times)
            if (inMs !== undefined) {
              yield* waited(running, error, inMs, times)
              return yield* made(running, again, times + 1)
            }
            Transitions.noted(running, Recovery.serviceFailed)
            if (running.progress.recovery._tag !== "Working") return yield* error
            Transitions.repeated(running, RetryCount.engine(running.answer.tries))
            const step = {
              tag: error._tag,
              message: RetryCount.line(running.answer.tries, error.message, 0),
              retryInMs: 0
            }
            yield* journal.commit([{ _tag: "Failed", ...fence(running), ...step }])
            return yield* made(running, again, times)
          })
        )

      const answer: ModelRetry["Service"]["answer"] = (running, again) =>
        Effect.suspend(() => {
          Transitions.repeated(running)
          return made(running, again)
        })

      const failed: ModelRetry["Service"]["failed"] = Effect.fn("ModelRetry.failed")(function* (running, error) {
        if (running.progress.recovery._tag !== "NeedsService") return yield* error
        if (!(yield* questions.tryAgain(running, Prompt.tryAgain(error.message)))) return yield* error
      })
      return ModelRetry.of({ answer, failed })
    })
  )
}

const isModelError = (error: unknown): error is ModelError.ModelError => error instanceof ModelError.ModelError

const isPassing = ({ reason }: ModelError.ModelError): boolean =>
  reason._tag !== "Unauthorized" && reason._tag !== "InvalidRequest"
