/** Resume: goes on with a task that stopped, exactly where its history ends; or with all that stopped in its tree. */
import { TaskActions, TaskStore } from "@belay/interaction/tasks"
import * as Effect from "effect/Effect"
import { command, Refusal } from "../../vscode/Bridge.ts"
import { TaskRunner } from "../../tasks/TaskRunner.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"
import { Waits } from "../../tasks/Waits.ts"

const resumed = (entries: ReadonlyArray<TaskStore.Entry>) =>
  Effect.gen(function* () {
    const runner = yield* TaskRunner
    const { refresh } = yield* TaskStore.TaskStore
    yield* Effect.forEach(entries, (entry) => runner.resume(TaskStore.idOf(entry)), { discard: true })
    yield* refresh
  })

export const resume = command("belay.resume", (given) => {
  const question = { title: "Resume which task?", none: "No task is stopped.", fits: TaskChoice.allows("resume") }
  return Effect.flatMap(TaskChoice.of(given, question), (entry) => resumed([entry]))
})

export const resumeAll = command("belay.resumeAll", (given) =>
  Effect.gen(function* () {
    const entry = yield* TaskChoice.of(given, {
      title: "Resume the whole tree of which task?",
      none: "No task is stopped.",
      fits: TaskChoice.allows("resume")
    })
    const snapshot = (yield* TaskStore.TaskStore).now()
    const root = snapshot.entries.get(entry.rootId) ?? entry
    yield* resumed(TaskActions.topmostStopped(root, snapshot))
  })
)

/** A task that waits for its service asks it at once. */
export const tryNow = command("belay.tryNow", (given) =>
  Effect.gen(function* () {
    const question = {
      title: "Try the service of which task?",
      none: "No task runs here.",
      fits: TaskChoice.allows("stop")
    }
    const entry = yield* TaskChoice.of(given, question)
    if ((yield* Waits).tryNow(entry.node.row.record.id)) return
    return yield* new Refusal({ line: "This task does not wait for its service.", isNews: true })
  })
)
