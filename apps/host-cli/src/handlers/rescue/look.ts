/** `belay rescue`: what is lost and damaged in the histories of this computer. Nothing is written. */
import { Rescue } from "@belay/history-interop"
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import { duration, isSet, type Parsed, text } from "../../cli/Arguments.ts"
import type { ExitCode, Failure } from "../../cli/Failure.ts"
import * as Advice from "../../output/Advice.ts"
import type { Sink } from "../../output/Sink.ts"
import * as Looking from "./Looking.ts"

const isDamaged = ({ damages }: Rescue.Found.Task): boolean => damages.length > 0

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const since = yield* Effect.fromResult(duration(parsed, "since"))
    const { found, now, took } = yield* Looking.look(parsed, sink, parsed.args)
    const here = isSet(parsed, "here") ? process.cwd() : undefined
    const tasks = found.tasks.filter(
      (task) =>
        (since === undefined || Date.parse(task.updatedAt) >= now - since) &&
        (here === undefined || task.workspace === here)
    )
    const shown = { ...found, tasks }
    if (text(parsed, "output") === "json") sink.data(`${JSON.stringify(shown)}\n`)
    else {
      const around = { now, took, all: isSet(parsed, "all"), showAll: "--all", next: Advice.rescue }
      const lines = Rescue.FoundText.lines(shown, around)
      sink.out(`${lines.map((line) => Words.printable(line)).join("\n")}\n`)
    }
    return tasks.some(isDamaged) ? 1 : 0
  })
