/**
 * The entry of the thread that `layerWorker` starts: `@belay/history-store/worker`.
 *
 * A host that is bundled, or has a state machine of its own, makes such an entry of its own and gives its address as
 * `workerUrl`. Imported anywhere else than in that thread it does nothing.
 */
import { TaskStateMachine } from "@belay/task-state"
import { serveHistory } from "./serveHistory.ts"

serveHistory(TaskStateMachine.layer)
