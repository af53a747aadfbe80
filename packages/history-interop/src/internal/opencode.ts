/** The sessions of opencode in a folder: in each of its databases, one for each channel, and in the files of older versions. */
import * as Result from "effect/Result"
import type { DatabaseSync } from "node:sqlite"
import * as Database from "./database.ts"
import { type Fields, fieldsOf, isFields, text } from "./fields.ts"
import * as Files from "./files.ts"
import { parse, textOf } from "./json.ts"

const isDatabase = (name: string): boolean => /^(?:opencode|kilo)(?:-[\w.-]+)?\.db$/u.test(name)

const storage = (root: string): string => Files.at(root, "storage", "session")

/** It has sessions of opencode. */
export const holds = (root: string): boolean => Files.names(root).some(isDatabase) || Files.isFolder(storage(root))

/** Where a session is: in a database, or in files. */
export interface Store {
  readonly root: string
  readonly database: Database.Readable | undefined
  /** The name of the file or the folder that it is in. */
  readonly name: string
  /** It is in the tables of opencode 2, which the older ones do not know. */
  readonly isSecond?: true
  /** It is in the older tables of a database in which opencode 2 keeps others. */
  readonly isLeftBehind?: true
}

export interface Session {
  /** As the file of a session has it. */
  readonly info: Fields
  readonly store: Store
}

const jsonOf = (value: unknown): unknown => {
  const found = parse(text(value) ?? "")
  return Result.isSuccess(found) ? found.success : undefined
}

const infoOf = (row: Fields): Fields => ({
  id: row["id"],
  projectID: row["project_id"],
  directory: row["directory"],
  title: row["title"],
  version: row["version"],
  ...(typeof row["parent_id"] === "string" && row["parent_id"] !== "" ? { parentID: row["parent_id"] } : {}),
  ...(typeof row["revert"] === "string" ? { revert: jsonOf(row["revert"]) } : {}),
  time: { created: row["time_created"], updated: row["time_updated"] }
})

interface Tables {
  readonly first: ReadonlyArray<Fields>
  readonly second: ReadonlyArray<Fields>
}

const sessionsIn = (db: DatabaseSync): Tables => {
  const known = new Set(
    db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all()
      .map(({ name }) => name)
  )
  const rows = (table: string) => (known.has(table) ? db.prepare(`SELECT * FROM ${table}`).all().map(infoOf) : [])
  return { first: rows("session"), second: known.has("session_message") ? rows("session_v2") : [] }
}

const filesIn = (root: string): ReadonlyArray<Fields> =>
  Files.names(storage(root)).flatMap((project) => {
    const folder = Files.at(storage(root), project)
    return Files.names(folder).flatMap((name) => {
      const found = name.endsWith(".json") ? Files.read(Files.at(folder, name)) : undefined
      if (found?._tag !== "Bytes") return []
      const value = parse(textOf(found.bytes))
      // Of a record that cannot be read its name tells the session.
      const info = Result.isSuccess(value) ? fieldsOf(value.success) : {}
      return [{ ...info, id: name.slice(0, -".json".length) }]
    })
  })

/** Copies of databases, each of the newest state of its file, which are there until this process ends. */
const copies = new Map<string, { readonly state: string; readonly database: Database.Readable }>()

const stateOf = (file: string): string =>
  [file, `${file}-wal`]
    .map((one) => {
      const seen = Files.seen(one)
      return seen._tag === "File" ? `${seen.bytes} ${seen.modifiedAt}` : seen._tag
    })
    .join()

/** A database as it can be read; one that has not changed is not copied again. */
const readable = (file: string): Database.Readable | undefined => {
  const state = stateOf(file)
  const known = copies.get(file)
  if (known?.state === state) return known.database
  const database = Database.readable(file)
  if (database === undefined) return undefined
  if (known !== undefined) Database.remove(known.database)
  if (copies.size === 0) process.once("exit", () => copies.forEach((copy) => Database.remove(copy.database)))
  copies.set(file, { state, database })
  return database
}

/** The sessions by id, each from the first store that has it: the database of the program itself comes first. */
export const sessions = (root: string): ReadonlyMap<string, Session> => {
  const found = new Map<string, Session>()
  const add = (infos: ReadonlyArray<Fields>, store: Store): void => {
    for (const info of infos) {
      const id = text(info["id"])
      if (id !== undefined && !found.has(id)) found.set(id, { info, store })
    }
  }
  const names = Files.names(root).filter(isDatabase)
  for (const name of names.toSorted((a, b) => a.length - b.length)) {
    const database = readable(Files.at(root, name))
    const rows = database === undefined ? undefined : Result.try(() => Database.use(database, sessionsIn))
    if (database === undefined || rows === undefined || Result.isFailure(rows)) continue
    const store: Store = { root, database, name }
    const { first, second } = rows.success
    // What was taken over is in both tables.
    add(second, { ...store, isSecond: true })
    add(first, second.length === 0 ? store : { ...store, isLeftBehind: true })
  }
  add(filesIn(root).filter(isFields), { root, database: undefined, name: "storage" })
  return found
}

const isMain = ({ store }: Session): boolean => store.name === "opencode.db" || store.name === "kilo.db"

/** Where a session is that its program does not show: it shows what is in the newest tables of the database of its own name. */
export const elsewhere = (session: Session, all: ReadonlyMap<string, Session>): string | undefined => {
  if (session.store.isLeftBehind === true) return `the tables of opencode 1 in ${session.store.name}`
  return !isMain(session) && [...all.values()].some(isMain) ? session.store.name : undefined
}
