/** Try now: a task that waits for its service asks it at once. */
import * as Effect from "effect/Effect"
import { command, Refusal } from "../../vscode/Bridge.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"
import { Waits } from "../../tasks/Waits.ts"

export const tryNow = command("belay.tryNow", (given) =>
  Effect.gen(function* () {
    const entry = yield* TaskChoice.of(given, {
      title: "Which task?",
      none: "No task waits for its service.",
      fits: () => true
    })
    if ((yield* Waits).tryNow(entry.node.row.record.id)) return
    yield* new Refusal({ line: "This task does not wait for its service." })
  })
)
