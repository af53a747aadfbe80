/**
 * The entry of the thread that `layerWorker` starts: `@belay/history-store/worker`.
 *
 * A host that is bundled, or has a state machine, an ownership or a reconciler of its own, makes such an entry of its own
 * and gives its address as `workerUrl`. Imported anywhere else than in that thread it does nothing.
 */
import { Reconciler, TaskStateMachine } from "@belay/task-state"
import * as Layer from "effect/Layer"
import { Ownership } from "./ownership/Ownership.ts"
import { serveHistory } from "./serveHistory.ts"

serveHistory((owner) => Layer.mergeAll(TaskStateMachine.layer, Ownership.layerFile(owner), Reconciler.layer))
