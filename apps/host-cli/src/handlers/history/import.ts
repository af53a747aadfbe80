/**
 * `belay history import`: takes the tasks of another program over, from a folder that is named or from the only one that is
 * found; `--dry-run` says what that would do and writes nothing.
 */
import * as DataFolder from "@belay/history-store/data-folder"
import { Agent, Folder, Import, type Plan, Places, ReportText } from "@belay/history-interop"
import { Settings } from "@belay/settings"
import { Copy, Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import { isSet, type Parsed, text } from "../../cli/Arguments.ts"
import { type ExitCode, type Failure, fromError, usage } from "../../cli/Failure.ts"
import { layer as history } from "../../tasks/History.ts"
import type { Sink } from "../../output/Sink.ts"
import * as Progress from "./Progress.ts"
import { reading } from "../../tasks/Reading.ts"
import * as Snapshot from "../../settings/Snapshot.ts"
import * as User from "../../settings/User.ts"

interface Source {
  readonly path: string
  readonly agent?: Agent.Agent
}

/** The folders of tasks that are meant; a place can have those of two versions. */
const sources = (parsed: Parsed): Effect.Effect<ReadonlyArray<Source>, Failure> =>
  Effect.gen(function* () {
    const [named] = parsed.args
    const given = text(parsed, "from") as Agent.Agent | undefined
    const of = (folder: string): ReadonlyArray<Source> =>
      Folder.within(folder).map((root) => ({ path: root, ...(given === undefined ? {} : { agent: given }) }))
    if (named !== undefined) return of(path.resolve(named))
    const found = Places.find().filter(({ agent }) => given === undefined || agent === given)
    // Those of two versions of one program lie beside each other.
    const programs = new Set(found.map(({ agent, path: folder }) => `${agent} ${path.dirname(folder)}`))
    if (programs.size === 1) return found.flatMap((place) => of(place.path))
    return yield* usage(
      found.length === 0
        ? "no history of another program was found"
        : `several histories were found (${found.map((place) => place.path).join(", ")})`,
      "Name one: belay history import DIR."
    )
  })

interface Done {
  readonly planned: Plan.Plan
  readonly report: Import.Report
}

const planOf = ({ agent, path: folder }: Source, parsed: Parsed, sink: Sink) =>
  Effect.mapError(
    Import.plan(folder, agent, { progress: Progress.teller(sink, "Reading the tasks"), again: isSet(parsed, "again") }),
    fromError
  )

/** Imported tasks have the settings that a new one would have here. */
const imported = (from: ReadonlyArray<Source>, parsed: Parsed, sink: Sink) =>
  Effect.gen(function* () {
    const settings = yield* Snapshot.of(yield* User.load, {})
    const made = Effect.forEach(from, (source) =>
      Effect.gen(function* () {
        const planned = yield* planOf(source, parsed, sink)
        const report = yield* Import.run(planned, {
          quarantine: path.join(DataFolder.directory(), "quarantine"),
          settings: (mode) => ({ settings, model: Settings.modelFor(settings, mode) }),
          progress: Progress.teller(sink, "Importing")
        })
        const done: Done = { planned, report }
        return done
      })
    )
    return yield* made.pipe(Effect.provide(history()), Effect.mapError(fromError))
  })

const preview = (from: ReadonlyArray<Source>, parsed: Parsed, sink: Sink) =>
  reading(
    Effect.forEach(from, (source) =>
      Effect.map(planOf(source, parsed, sink), (planned): Done => ({ planned, report: Import.previewed(planned) }))
    )
  )

const summary = ({ planned: { counts, folder }, report }: Done, dry: boolean): string =>
  dry ? Copy.importFound(counts) : Copy.importDone({ imported: report.imported.length, of: Agent.names[folder.agent] })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const dry = isSet(parsed, "dry-run")
    const from = yield* sources(parsed)
    const all = yield* dry ? preview(from, parsed, sink) : imported(from, parsed, sink)
    if (text(parsed, "output") === "json") {
      const report: Import.Report = {
        imported: all.flatMap((one) => one.report.imported),
        skipped: all.flatMap((one) => one.report.skipped),
        repairs: all.flatMap((one) => one.report.repairs),
        quarantined: all.flatMap((one) => one.report.quarantined)
      }
      sink.data(`${JSON.stringify(report)}\n`)
      return 0 as const
    }
    for (const one of all) {
      const lines = ReportText.lines(one.report).map((line) => Words.printable(line))
      sink.out([summary(one, dry), ...lines, ""].join("\n"))
    }
    return 0 as const
  })
