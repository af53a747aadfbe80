/** `belay task fork`: a new task that has the conversation of another up to a message, and goes on from there. */
import { TaskHistory } from "@belay/history-store"
import { Words } from "@belay/interaction"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Parsed, text } from "../../cli/Arguments.ts"
import { type ExitCode, type Failure, usage } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import * as Fork from "../../session/Fork.ts"
import * as Stdin from "../../terminal/Stdin.ts"

const goOn = "Go on from here."

/** Messages are counted from 0, as `task show --messages --output json` does. */
const point = (parsed: Parsed, id: TaskId.TaskId, sink: Sink) =>
  Effect.gen(function* () {
    const row = yield* (yield* TaskHistory).row(id)
    const count = Option.isSome(row) ? row.value.messageCount : 0
    const title = Option.isSome(row) ? `"${Words.printable(row.value.meta.title)}"` : id
    const given = text(parsed, "to") ?? ""
    const at = /^\d+$/.test(given) ? Number(given) : Number.NaN
    if (!(at < count)) {
      return yield* usage(`${title} has the messages 0 to ${count - 1}`, "Say after which one: --to MESSAGE.")
    }
    const said = yield* Stdin.message(parsed.args.slice(1), sink)
    return { at, text: said === "" ? goOn : said }
  })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Fork.run(parsed, sink, (id) => point(parsed, id, sink))
