/** `belay rescue import`: takes lost tasks over as `history import` does, with the trees that they belong to. */
import { ReportText, Rescue } from "@belay/history-interop"
import * as DataFolder from "@belay/history-store/data-folder"
import { Words } from "@belay/interaction"
import { Settings } from "@belay/settings"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import { type Parsed, text } from "../../cli/Arguments.ts"
import { type ExitCode, type Failure, fromError } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import * as Progress from "../history/Progress.ts"
import * as Snapshot from "../../settings/Snapshot.ts"
import * as User from "../../settings/User.ts"
import { layer as history } from "../../tasks/History.ts"
import * as Looking from "./Looking.ts"

const importAll = (looked: ReadonlyArray<Rescue.Look.Looked>, refs: ReadonlySet<string>, sink: Sink) =>
  Effect.gen(function* () {
    const settings = yield* Snapshot.of(yield* User.load, {})
    const options = {
      quarantine: path.join(DataFolder.directory(), "quarantine"),
      settings: (mode: "plan" | "act") => ({ settings, model: Settings.modelFor(settings, mode) }),
      progress: Progress.teller(sink, "Importing")
    }
    const taken = Rescue.TakeOver.run(looked, refs, options)
    return yield* taken.pipe(Effect.provide(history()), Effect.mapError(fromError))
  })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const { found, looked } = yield* Looking.look(parsed, sink)
    const tree = yield* Looking.chosen(found, parsed.args)
    const report = yield* importAll(looked, tree, sink)
    const left = Rescue.Chosen.leftOver(found, tree)
    if (text(parsed, "output") === "json") {
      sink.data(`${JSON.stringify(report)}\n`)
      return left.length > 0 ? 1 : 0
    }
    const count = report.imported.length
    const lines = [
      `Imported ${count} ${count === 1 ? "task" : "tasks"}. Go on with one: belay task resume ID`,
      ...ReportText.lines(report)
    ]
    sink.out(`${lines.map((line) => Words.printable(line)).join("\n")}\n`)
    return left.length > 0 ? 1 : 0
  })
