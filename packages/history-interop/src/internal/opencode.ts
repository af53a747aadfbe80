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
  ...(typeof row["parent_id"] === "string" ? { parentID: row["parent_id"] } : {}),
  ...(typeof row["revert"] === "string" ? { revert: jsonOf(row["revert"]) } : {}),
  time: { created: row["time_created"], updated: row["time_updated"] }
})

const sessionsIn = (db: DatabaseSync): ReadonlyArray<Fields> => db.prepare("SELECT * FROM session").all().map(infoOf)

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

/** A copy that is made of a database is there until this process ends. */
const kept = (database: Database.Readable): Database.Readable => {
  if (database.folder !== undefined) process.once("exit", () => Database.remove(database))
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
    const database = Database.readable(Files.at(root, name))
    const rows = database === undefined ? undefined : Result.try(() => Database.use(database, sessionsIn))
    if (database === undefined || rows === undefined) continue
    if (Result.isSuccess(rows)) add(rows.success, { root, database: kept(database), name })
    else Database.remove(database)
  }
  add(filesIn(root).filter(isFields), { root, database: undefined, name: "storage" })
  return found
}

const isMain = ({ store }: Session): boolean => store.name === "opencode.db" || store.name === "kilo.db"

/** The program shows what is in the database of its own name; what else there is, it does not. */
export const isElsewhere = (session: Session, all: ReadonlyMap<string, Session>): boolean =>
  !isMain(session) && [...all.values()].some(isMain)
