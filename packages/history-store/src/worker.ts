/**
 * The entry of the thread that `layerWorker` starts: `@belay/history-store/worker`.
 *
 * A host that is bundled makes it an entry of its own and gives its address as `workerUrl`. Imported anywhere else than
 * in that thread it does nothing.
 */
import * as Effect from "effect/Effect"
import { parentPort, workerData } from "node:worker_threads"
import { serve } from "./internal/serve.ts"
import * as Wire from "./internal/wire.ts"

if (parentPort !== null && Wire.isStart(workerData)) {
  // A defect is an uncaught error of the thread, which ends it.
  void Effect.runPromise(serve(parentPort, workerData.belayHistory))
}
