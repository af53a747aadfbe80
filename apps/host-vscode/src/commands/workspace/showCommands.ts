/** Belay: Show commands in a terminal: of the task of the row, else of the one that is picked. */
import * as Effect from "effect/Effect"
import { command } from "../../vscode/Bridge.ts"
import { CommandTerminals } from "../../transcript/CommandTerminals.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"

export const showCommands = command("belay.showCommands", (given) =>
  Effect.gen(function* () {
    const entry = yield* TaskChoice.of(given, {
      title: "The commands of which task?",
      none: "No task runs in this window. Start or resume one.",
      fits: ({ here }) => here
    })
    yield* (yield* CommandTerminals).show(entry)
  })
)
