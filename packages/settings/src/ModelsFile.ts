/**
 * What was found out about models on this machine: `models.json` in the data folder.
 *
 * It only helps: what cannot be read is taken for nothing, and what cannot be written is found out again.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as path from "node:path"
import type { ModelLimits, TaskSettings } from "./Settings.ts"
import * as Models from "./Models.ts"
import { read as readFile, write as writeFile } from "./SettingsFile.ts"

/** Describes what a model did at a service when it was tested, by the name of the probe. */
export const Tested = Schema.Struct({
  service: Schema.String,
  model: Schema.String,
  /** Milliseconds of the clock. */
  at: Schema.Natural,
  works: Schema.Record(Schema.String, Schema.Boolean)
})
export type Tested = typeof Tested.Type

/** Holds what was found out about models. */
const Known = Schema.Struct({
  /** Models that the user was told are not in the table. */
  told: Schema.optionalKey(Schema.Array(Schema.String)),
  tested: Schema.optionalKey(Schema.Array(Tested))
})
export type Known = typeof Known.Type

/** Returns the path of the file in a data folder. */
export const file = (directory: string): string => path.join(directory, "models.json")

const decode = Schema.decodeUnknownEffect(Known)

/** Reads the file. A file that is absent or cannot be read holds nothing. */
export const read = (directory: string): Effect.Effect<Known> =>
  readFile(file(directory)).pipe(
    Effect.flatMap((found) => decode(found ?? {})),
    Effect.orElseSucceed(() => ({}))
  )

const change = (directory: string, to: (known: Known) => Known): Effect.Effect<void> =>
  Effect.flatMap(read(directory), (known) => Effect.ignore(writeFile(file(directory), to(known))))

/** Says whether the user has not been told of the model yet; from then on they have. */
export const isNews = (directory: string, model: string): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const { told = [] } = yield* read(directory)
    if (told.includes(model)) return false
    yield* change(directory, (known) => ({ ...known, told: [...told, model] }))
    return true
  })

/** Keeps the newest test of a model at a service. */
export const keep = (directory: string, tested: Tested): Effect.Effect<void> =>
  change(directory, (known) => {
    const others = (known.tested ?? []).filter(
      ({ model, service }) => model !== tested.model || service !== tested.service
    )
    return { ...known, tested: [...others, tested] }
  })

/** The settings with what tests have found of these models, where the user does not say otherwise. */
export const applied = (
  settings: TaskSettings,
  known: Known,
  used: ReadonlyArray<{ readonly service: string; readonly model: string }>
): TaskSettings => {
  let { models, toolCallsPerRequest } = settings
  for (const { model, service } of used) {
    const test = known.tested?.find((one) => one.model === model && one.service === service)
    if (test?.works["parallel"] === false) toolCallsPerRequest = "one"
    const own: ModelLimits = Models.entryOf(settings, model) ?? {}
    const images = test?.works["image"]
    if (images !== undefined && own.images === undefined) models = { ...models, [model]: { ...own, images } }
  }
  return { ...settings, models, toolCallsPerRequest }
}
