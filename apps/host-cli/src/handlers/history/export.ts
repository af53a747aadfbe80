/** `belay history export`: every task as files of Zoo Code or Roo Code. Nothing is changed. */
import { Export } from "@belay/history-interop"
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import { statSync } from "node:fs"
import * as path from "node:path"
import { type Parsed, text } from "../../cli/Arguments.ts"
import { type ExitCode, type Failure, fromError, usage } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import { reading } from "../../tasks/Reading.ts"

const counted = (count: number): string => `${count} ${count === 1 ? "task" : "tasks"}`

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const [named = ""] = parsed.args
    const folder = path.resolve(named)
    if (statSync(folder, { throwIfNoEntry: false })?.isFile() === true) {
      return yield* usage(`the place to export to is not a folder (${folder})`, "Name a folder.")
    }
    const report = yield* reading(
      Effect.mapError(Export.run(folder, text(parsed, "to") === "roo" ? "roo" : "zoo"), fromError)
    )
    if (text(parsed, "output") === "json") {
      sink.data(`${JSON.stringify(report)}\n`)
      return 0 as const
    }
    const left = report.skipped.map(({ reason, taskId }) => `left alone  ${taskId}: ${reason}`)
    const lines = [`Exported ${counted(report.exported.length)} to ${path.join(folder, "tasks")}.`, ...left]
    sink.out(`${lines.map((line) => Words.printable(line)).join("\n")}\n`)
    return 0 as const
  })
