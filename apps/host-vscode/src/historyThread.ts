/** The history's thread, as this host composes it: `TaskStateMachine` decides every change of a task there. */
import { serveHistory } from "@belay/history-store/serve"
import { TaskStateMachine } from "@belay/task-state"

serveHistory(TaskStateMachine.layer)
