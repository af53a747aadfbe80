/**
 * The tables on a Postgres server: those of the file, and what several machines need besides.
 *
 * Each row is of one project, the one that the session names; policies show and take no other, and a session that names
 * none sees nothing. A row that belongs to a task is of the project of its task. So the statements of the history name no
 * project, and an id alone gives nothing.
 */

import { parts } from "./partTables.ts"
import { beginning, ofProject } from "./projectTables.ts"
import { tasks } from "./taskTables.ts"

const scripts = [tasks, parts, ofProject]

/** A statement ends with `;` at the end of a line, and nothing else does. */
const statementsOf = (script: string): ReadonlyArray<string> =>
  script
    .split(/;\n/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "")

const named = scripts.flatMap((script) =>
  [...script.matchAll(/CREATE TABLE (\w+)/g)].flatMap(([, name]) =>
    name === undefined || name === "meta" ? [] : [name]
  )
)

const guarded = named.flatMap((name) => [
  `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY`,
  `ALTER TABLE ${name} FORCE ROW LEVEL SECURITY`,
  `CREATE POLICY of_project ON ${name} USING (project = current_setting('belay.project', true))
    WITH CHECK (project = current_setting('belay.project', true))`
])

/** Migration n, a list of statements, brings a database from version n to n + 1; it is never changed once it is out. */
export const migrations: ReadonlyArray<ReadonlyArray<string>> = [
  [...scripts.flatMap(statementsOf), ...guarded, beginning]
]

export const current = migrations.length
