/** `belay allowed`: what the person allowed always in this folder, or in every one. */
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as Allowed from "../../settings/Allowed.ts"
import { isSet, type Parsed, text } from "../../cli/Arguments.ts"
import type { ExitCode, Failure } from "../../cli/Failure.ts"
import * as Appearance from "../../output/Appearance.ts"
import type { Sink } from "../../output/Sink.ts"
import * as Table from "../../output/Table.ts"

const columns = [{ title: "N" }, { title: "ALLOWED ALWAYS", shrinksTo: 30 }, { title: "SINCE" }]
const folder = { title: "IN" }

const states = { here: "", moved: " (another folder is there now: it does not hold)", gone: " (gone)" } as const

const day = (givenAt: number): string => new Date(givenAt).toISOString().slice(0, 10)

const cells = ({ entry, n, text: said }: Allowed.Row, all: boolean): ReadonlyArray<string> => [
  String(n),
  all ? said : `${said}${states[entry.state]}`,
  day(entry.givenAt),
  ...(all ? [`${entry.folder}${states[entry.state]}`] : [])
]

const json = ({ entry, n, text: said }: Allowed.Row) => ({
  n,
  folder: entry.folder,
  text: said,
  rule: entry.rule,
  givenAt: new Date(entry.givenAt).toISOString(),
  holds: entry.state === "here"
})

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const { problems, rows } = yield* Allowed.rows(parsed)
    const earlier = yield* Allowed.earlier
    if (text(parsed, "output") === "json") {
      sink.data(`${JSON.stringify({ allowed: rows.map(json), earlier, problems })}\n`)
      return problems.length === 0 ? (0 as const) : (2 as const)
    }
    const all = isSet(parsed, "all")
    if (rows.length > 0) {
      const table = rows.map((row) => cells(row, all).map((cell) => ({ text: cell })))
      const lines = Table.render(all ? [...columns, folder] : columns, table, [], Appearance.of(parsed))
      sink.out(lines.map((line) => `${line}\n`).join(""))
    }
    for (const { command, everywhere } of earlier) {
      const said = `From your settings, of an earlier version: ${Words.printable(command)}`
      const how =
        "It asks in each folder where you have not allowed it. To allow it in all: belay allowed everywhere COMMAND"
      const back = "It holds in every folder, until you take it out of approvals.commands.allow."
      sink.err(`${said}. ${everywhere ? back : how}\n`)
    }
    for (const problem of problems) sink.err(`belay: ${problem}\n`)
    if (rows.length === 0 && problems.length === 0) {
      sink.err(`Nothing was allowed always in ${all ? "any" : "this"} folder.\n`)
    }
    return problems.length === 0 ? (0 as const) : (2 as const)
  })
