/** The list of tasks that older versions kept in the editor's own state, beside the extension's folder. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import * as Agent from "../Agent.ts"
import * as Copies from "./copies.ts"
import * as Files from "./files.ts"
import { fieldsOf, isFields, listOf, text } from "./fields.ts"
import { parse } from "./json.ts"

/** Bytes. Editors keep much else in it: what is larger is not copied. */
const largest = 64 * 1024 * 1024

const valuesIn = (db: DatabaseSync, agent: Agent.Agent): ReadonlyArray<string> => {
  const found = db.prepare("SELECT value FROM ItemTable WHERE lower(key) = ?").all(Agent.folders[agent])
  return found.flatMap(({ value }) =>
    value instanceof Uint8Array ? [new TextDecoder().decode(value)] : typeof value === "string" ? [value] : []
  )
}

/**
 * What is in the list. The editor may have it open: it is copied with its log into a folder of ours and read there, so that no
 * lock and no file is made beside it, and what was written last is read, too. A large one is read as it lies, without its log.
 */
const rows = async (file: string, agent: Agent.Agent): Promise<ReadonlyArray<string>> => {
  const { DatabaseSync } = await import("node:sqlite")
  const seen = Files.seen(file)
  if (seen._tag !== "File") return []
  if (seen.bytes > largest) {
    const db = new DatabaseSync(`${pathToFileURL(file).href}?immutable=1`, { readOnly: true })
    try {
      return valuesIn(db, agent)
    } finally {
      db.close()
    }
  }
  const folder = mkdtempSync(path.join(tmpdir(), "belay-state-"))
  try {
    const copy = path.join(folder, "state.vscdb")
    if (!Copies.copy(file, copy)) return []
    if (existsSync(`${file}-wal`)) Copies.copy(`${file}-wal`, `${copy}-wal`)
    const db = new DatabaseSync(copy)
    try {
      return valuesIn(db, agent)
    } finally {
      db.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** By id; nothing when there is no such list, or none that can be read. */
export const entries = (storage: string, agent: Agent.Agent): Effect.Effect<ReadonlyMap<string, unknown>> => {
  const file = path.join(path.dirname(storage), "state.vscdb")
  if (!existsSync(file)) return Effect.succeed(new Map())
  return Effect.map(
    Effect.orElseSucceed(
      Effect.tryPromise(() => rows(file, agent)),
      () => []
    ),
    (found) => {
      const known = new Map<string, unknown>()
      for (const row of found) {
        const value = parse(row)
        const items = listOf(fieldsOf(Result.isSuccess(value) ? value.success : undefined)["taskHistory"])
        for (const item of items.filter(isFields)) {
          const id = text(item["id"])
          if (id !== undefined && id !== "") known.set(id, item)
        }
      }
      return known
    }
  )
}
