/**
 * The runner as the registry reaches it. Runners launch tasks themselves, so the registry is there before them; a task that
 * is launched before the runner is there waits for it.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ActiveTask, RunResult } from "./ActiveTask.ts"

type Run = (running: ActiveTask) => Effect.Effect<RunResult>

export class RunnerPort extends Context.Service<
  RunnerPort,
  {
    /** Runs a task to its end with the runner that serves. */
    readonly run: Run
    /** Serves from now on; the first one counts. */
    readonly serve: (run: Run) => Effect.Effect<void>
  }
>()("@belay/task-engine/RunnerPort") {
  static readonly layer: Layer.Layer<RunnerPort> = Layer.sync(RunnerPort, () => {
    const served = Deferred.makeUnsafe<Run>()
    return RunnerPort.of({
      run: (running) => Effect.flatMap(Deferred.await(served), (run) => run(running)),
      serve: (run) => Effect.asVoid(Deferred.succeed(served, run))
    })
  })
}
