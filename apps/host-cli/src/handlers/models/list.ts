/** `belay models`: what is known of models, by the table and by your settings, and which of them are asked where. */
import { Words } from "@belay/interaction"
import { Models, Settings } from "@belay/settings"
import { modelsOf } from "@belay/settings/file"
import { ModelTable } from "@belay/model-client"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Parsed, text } from "../../cli/Arguments.ts"
import type { ExitCode, Failure } from "../../cli/Failure.ts"
import * as Key from "../../settings/Key.ts"
import * as Appearance from "../../output/Appearance.ts"
import type { Sink } from "../../output/Sink.ts"
import * as Table from "../../output/Table.ts"
import * as Snapshot from "../../settings/Snapshot.ts"
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

const figure = (value: number | undefined): string => (value === undefined ? "?" : Words.grouped(value))

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

/** Which model a mode asks where, and with which key. */
interface Used {
  readonly mode: Key.Mode
  readonly model: string
  readonly service: string | null
  readonly host: string
  /** Where the key is; null where none is needed, or the cloud's own package finds it. */
  readonly key: string | null
  /** Why it cannot be asked. */
  readonly problem?: string
}

const usedOf = (settings: Settings.TaskSettings, mode: Key.Mode, { access, server }: Key.Way): Used => ({
  mode,
  model: Settings.modelFor(settings, mode),
  service: server.service?.name ?? null,
  host: server.host,
  key: Result.match(access, { onFailure: () => null, onSuccess: ({ from }) => from ?? null }),
  ...(Result.isFailure(access) ? { problem: `${access.failure.what}. ${access.failure.hint}` } : {})
})

const told = ({ key, model, problem }: Used, { server }: Key.Way, who: string): string => {
  const at = `${who} ask ${model} at ${Key.titled(server)}`
  if (problem !== undefined) return `${at}: ${problem}`
  return `${at}, ${key === null ? "without a key of yours" : `with the key of ${key}`}.`
}

const footer = (): string =>
  `READS and ANSWERS are tokens at most, prices US dollars for a million tokens, of ${ModelTable.models[0]?.date ?? "?"}.\n` +
  `A model that is not listed works, too. To say what it costs: belay config set models.ID.price '{"input":1,"output":4,"cacheRead":0.1,"cacheWrite":1}'\n`

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const user = yield* User.load
    const models = modelsOf(user)
    const settings = yield* Snapshot.of(user, {})
    const ways = yield* Key.both(user.model)
    const used = (["act", "plan"] as const).map((mode) => usedOf(settings, mode, ways[mode]))
    const ids = new Set([...Object.keys(models), ...ModelTable.models.map(({ id }) => id)])
    const rows = [...ids].map((id) => described(models, id))
    if (text(parsed, "output") === "json") {
      sink.data(`${JSON.stringify({ models: rows, used })}\n`)
      return 0 as const
    }
    const lines = Table.render(columns, rows.map(cells), [], Appearance.of(parsed))
    sink.out(lines.map((line) => `${line}\n`).join(""))
    sink.err(footer())
    const [act, plan] = used
    if (act === undefined || plan === undefined) return 0 as const
    const isOne = ways.act === ways.plan && act.model === plan.model
    if (isOne) sink.err(`${told(act, ways.act, "Plan and act")}\n`)
    else sink.err(`${told(plan, ways.plan, "Plans")}\n${told(act, ways.act, "Acts")}\n`)
    return 0 as const
  })
