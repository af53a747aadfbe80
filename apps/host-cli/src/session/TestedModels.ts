/**
 * What this machine knows of the models of a run besides table and settings: what tests have found is held to, and that a
 * model is in neither is said once.
 */
import * as DataFolder from "@belay/history-store/data-folder"
import { Models, Settings } from "@belay/settings"
import * as Effect from "effect/Effect"
import type { Failure } from "../cli/Failure.ts"
import * as Key from "../settings/Key.ts"
import type { Sink } from "../output/Sink.ts"

const modes = ["act", "plan"] as const

const unknown = (model: string): string =>
  `${model} is not in the table of models: it is taken to read 200,000 tokens and to answer with 8,192, and its price is unknown. See: belay models test ${model}`

/** The settings of a task that begins now. */
export const applied = (
  settings: Settings.TaskSettings,
  configured: Key.Configured,
  mode: Key.Mode,
  sink: Sink
): Effect.Effect<Settings.TaskSettings, Failure> =>
  Effect.gen(function* () {
    const file = yield* Effect.promise(() => import("@belay/settings/models-file"))
    const directory = DataFolder.directory()
    const used = yield* Effect.forEach(modes, (one) =>
      Effect.map(Key.serverOf(one, configured), ({ host }) => ({
        service: host,
        model: Settings.modelFor(settings, one)
      }))
    )
    const model = Settings.modelFor(settings, mode)
    if (!Models.of(settings, model).isKnown && (yield* file.isNews(directory, model))) {
      sink.err(`${unknown(model)}\n`)
    }
    return file.applied(settings, yield* file.read(directory), used)
  })
