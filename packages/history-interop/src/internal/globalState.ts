/** Lists of tasks that programs keep in databases beside their folders. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as path from "node:path"
import type { DatabaseSync } from "node:sqlite"
import * as Agent from "../Agent.ts"
import * as Database from "./database.ts"
import { type Fields, fieldsOf, isFields, listOf, text } from "./fields.ts"
import { parse } from "./json.ts"

const valuesIn =
  (agent: Agent.Agent) =>
  (db: DatabaseSync): ReadonlyArray<string> => {
    const found = db.prepare("SELECT value FROM ItemTable WHERE lower(key) = ?").all(Agent.folders[agent])
    return found.flatMap(({ value }) =>
      value instanceof Uint8Array ? [new TextDecoder().decode(value)] : typeof value === "string" ? [value] : []
    )
  }

const byId = (items: ReadonlyArray<Fields>, name: string): ReadonlyMap<string, unknown> =>
  new Map(
    items.flatMap((item): ReadonlyArray<readonly [string, unknown]> => {
      const id = text(item[name])
      return id === undefined || id === "" ? [] : [[id, item]]
    })
  )

const valueOf = (words: string): unknown => {
  const value = parse(words)
  return Result.isSuccess(value) ? value.success : undefined
}

/** The list that older versions kept in the editor's own state, beside the extension's folder, by id. */
export const entries = (storage: string, agent: Agent.Agent): Effect.Effect<ReadonlyMap<string, unknown>> =>
  Effect.map(
    Database.once<ReadonlyArray<string>>(path.join(path.dirname(storage), "state.vscdb"), [], valuesIn(agent)),
    (rows) =>
      byId(
        rows.flatMap((row) => listOf(fieldsOf(valueOf(row))["taskHistory"]).filter(isFields)),
        "id"
      )
  )

/** The list of sessions of Cline 4, beside the folder of the sessions, by id: each as its own record is. */
export const sessions = (root: string): Effect.Effect<ReadonlyMap<string, unknown>> =>
  Effect.map(
    Database.once<ReadonlyArray<Fields>>(path.join(path.dirname(root), "db", "sessions.db"), [], (db) =>
      // Agents lie in the folders of their sessions.
      db.prepare("SELECT * FROM sessions WHERE is_subagent = 0").all()
    ),
    (rows) =>
      byId(
        rows.map(({ metadata_json, ...row }): Fields => ({ ...row, metadata: valueOf(text(metadata_json) ?? "") })),
        "session_id"
      )
  )
