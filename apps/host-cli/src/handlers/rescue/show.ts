/** `belay rescue show`: one task of another program, and what is damaged in it. Nothing is written. */
import { Rescue } from "@belay/history-interop"
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import { type Parsed, text } from "../../cli/Arguments.ts"
import type { ExitCode, Failure } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import * as Looking from "./Looking.ts"

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const [ref = ""] = parsed.args
    const { found } = yield* Looking.look(parsed, sink)
    const task = yield* Looking.taskOf(found, ref)
    if (text(parsed, "output") === "json") {
      const tree = Rescue.Chosen.treeOf(found, [task.ref])
      sink.data(`${JSON.stringify({ ...found, tasks: found.tasks.filter((one) => tree.has(one.ref)) })}\n`)
    } else {
      const lines = Rescue.FoundText.one(task, found.tasks)
      sink.out(`${lines.map((line) => Words.printable(line)).join("\n")}\n`)
    }
    return task.damages.length > 0 ? 1 : 0
  })
