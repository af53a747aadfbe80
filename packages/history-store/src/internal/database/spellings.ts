/** Folders of tasks that an older version has stored by a short name, in other letters or by a drive of `subst`. */
import { Folder, Machine } from "@belay/machine"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

/** On Windows only: the stored spellings that are not the one of the machine, with it. Nothing of another machine is looked at. */
export const others = Effect.gen(function* () {
  const machine = yield* Machine.Current
  if (!Machine.isWindows(machine)) return []
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ workspace: string }>`SELECT DISTINCT workspace FROM task`
  return rows
    .map(({ workspace }) => ({ stored: workspace, spelt: Folder.known(workspace, machine) }))
    .filter(({ spelt, stored }) => spelt !== stored)
})

/** Stores the one spelling instead. */
export const fold = (found: Effect.Success<typeof others>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const { spelt, stored } of found) yield* sql`UPDATE task SET workspace = ${spelt} WHERE workspace = ${stored}`
  })
