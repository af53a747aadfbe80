/** `belay rescue copy`: tasks of other programs, repaired, in a new folder. The histories stay as they are. */
import { Rescue } from "@belay/history-interop"
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import { type Parsed, text } from "../../cli/Arguments.ts"
import { type ExitCode, type Failure, fromError } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import * as Looking from "./Looking.ts"

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const [folder = "", ...refs] = parsed.args
    const { found, looked } = yield* Looking.look(parsed, sink)
    const tree = yield* Looking.chosen(found, refs)
    const report = yield* Effect.mapError(Rescue.Copy.run(folder, looked, tree), fromError)
    const tasks = found.tasks.filter(({ ref }) => tree.has(ref))
    const left = Rescue.Chosen.leftOver(found, tree)
    if (text(parsed, "output") === "json") {
      sink.data(`${JSON.stringify({ ...found, tasks, written: report.written })}\n`)
      return left.length > 0 ? 1 : 0
    }
    const count = tree.size - report.before - report.left.length
    const lines = [
      `Copied ${count} ${count === 1 ? "task" : "tasks"} to ${folder}. The histories are as they were.`,
      ...(report.before > 0 ? [`${report.before} were there already.`] : []),
      ...report.left.map((ref) => `left alone  ${ref}: nothing of it can be read`),
      ...left.map(
        ({ damages, ref }) => `not helped  ${ref}: ${damages.find(({ repair }) => repair === "none")?.evidence ?? ""}`
      )
    ]
    sink.out(`${lines.map((line) => Words.printable(line)).join("\n")}\n`)
    return left.length > 0 ? 1 : 0
  })
