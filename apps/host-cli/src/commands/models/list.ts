/** `belay models`: what is known of models, by the table and by your settings. */
import { Models } from "@belay/task-engine"
import { modelsOf } from "@belay/task-engine/settings-file"
import { ModelTable } from "@belay/model-client"
import * as Effect from "effect/Effect"
import { type Parsed, text } from "../../Arguments.ts"
import type { ExitCode, Failure } from "../../Failure.ts"
import * as Appearance from "../../output/Appearance.ts"
import type { Sink } from "../../output/Sink.ts"
import * as Table from "../../output/Table.ts"
import * as User from "../../settings/User.ts"

const columns: ReadonlyArray<Table.Column> = [
  { title: "MODEL", shrinksTo: 16 },
  { title: "SHORT", drop: 4 },
  { title: "READS", align: "right" },
  { title: "ANSWERS", align: "right", drop: 2 },
  { title: "$/M IN", align: "right" },
  { title: "$/M OUT", align: "right" },
  { title: "CACHE READ", align: "right", drop: 3 },
  { title: "CACHE WRITE", align: "right", drop: 3 },
  { title: "THINKS", drop: 5 },
  { title: "FROM", drop: 1 }
]

const figure = (value: number | undefined): string => (value === undefined ? "?" : value.toLocaleString("en-US"))

/** A model of the table, or one that only the settings name: an id, or a pattern. */
const described = (models: ReturnType<typeof modelsOf>, id: string) => {
  const { isKnown: _, maxOutput, price, thinking, ...known } = Models.of({ models }, id)
  const row = ModelTable.find(id)
  const alias = Object.entries(ModelTable.aliases).find(([, of]) => of === id)?.[0]
  return {
    id,
    alias: alias ?? null,
    ...known,
    maxOutput: maxOutput ?? null,
    price: price ?? null,
    thinking: thinking?.kind ?? "none",
    from: Models.entryOf({ models }, id) === undefined ? "table" : "settings",
    source: row?.source ?? null,
    date: row?.date ?? null
  }
}

type Described = ReturnType<typeof described>

const cells = ({ alias, from, id, inputLimit, maxOutput, price, thinking }: Described): Table.Row =>
  [
    id,
    alias ?? "",
    figure(inputLimit),
    figure(maxOutput ?? undefined),
    figure(price?.input),
    figure(price?.output),
    figure(price?.cacheRead),
    figure(price?.cacheWrite),
    thinking,
    from
  ].map((cell) => ({ text: cell }))

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const models = modelsOf(yield* User.load)
    const ids = new Set([...Object.keys(models), ...ModelTable.models.map(({ id }) => id)])
    const rows = [...ids].map((id) => described(models, id))
    if (text(parsed, "output") === "json") {
      sink.data(`${JSON.stringify({ models: rows })}\n`)
    } else {
      const lines = Table.render(columns, rows.map(cells), [], Appearance.of(parsed))
      sink.out(lines.map((line) => `${line}\n`).join(""))
      sink.err(
        `Prices and limits of ${ModelTable.models[0]?.date ?? "?"}; any other: belay config set models.ID.price\n`
      )
    }
    return 0 as const
  })
