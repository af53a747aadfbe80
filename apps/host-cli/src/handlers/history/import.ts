/**
 * `belay history import`: takes the tasks of a folder of Cline, Roo Code or Zoo Code over; `--dry-run` says what that would
 * do and writes nothing.
 */
import * as DataFolder from "@belay/history-store/data-folder"
import { Agent, Import, type Plan, ReportText } from "@belay/history-interop"
import { Settings } from "@belay/settings"
import { Copy, Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import { isSet, type Parsed, text } from "../../cli/Arguments.ts"
import { type ExitCode, type Failure, fromError } from "../../cli/Failure.ts"
import { layer as history } from "../../tasks/History.ts"
import type { Sink } from "../../output/Sink.ts"
import { reading } from "../../tasks/Reading.ts"
import * as Snapshot from "../../settings/Snapshot.ts"
import * as User from "../../settings/User.ts"

const plan = (parsed: Parsed) => {
  const [named = ""] = parsed.args
  return Import.plan(path.resolve(named), text(parsed, "from") as Agent.Agent | undefined)
}

/** Imported tasks have the settings that a new one would have here. */
const imported = (parsed: Parsed) =>
  Effect.gen(function* () {
    const settings = yield* Snapshot.of(yield* User.load, {})
    const made = Effect.gen(function* () {
      const planned = yield* Effect.mapError(plan(parsed), fromError)
      const report = yield* Import.run(planned, {
        quarantine: path.join(DataFolder.directory(), "quarantine"),
        settings: (mode) => ({ settings, model: Settings.modelFor(settings, mode) })
      })
      return { planned, report }
    })
    return yield* made.pipe(Effect.provide(history()), Effect.mapError(fromError))
  })

const preview = (parsed: Parsed) =>
  reading(
    Effect.map(Effect.mapError(plan(parsed), fromError), (planned) => ({
      planned,
      report: Import.previewed(planned)
    }))
  )

const summary = ({ counts, folder }: Plan.Plan, report: Import.Report, dry: boolean): string =>
  dry ? Copy.importFound(counts) : Copy.importDone({ imported: report.imported.length, of: Agent.names[folder.agent] })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const dry = isSet(parsed, "dry-run")
    const { planned, report } = yield* dry ? preview(parsed) : imported(parsed)
    if (text(parsed, "output") === "json") {
      sink.data(`${JSON.stringify(report)}\n`)
      return 0 as const
    }
    const lines = ReportText.lines(report).map((line) => Words.printable(line))
    sink.out([summary(planned, report, dry), ...lines, ""].join("\n"))
    return 0 as const
  })
