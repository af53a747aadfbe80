/** What a run leaves on disk: commits and bytes of its log, and the growth of its database beyond content. */
import { readFileSync, rmSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"

export interface Written {
  readonly commits: number
  readonly walBytes: number
}

/**
 * Commits and bytes of a write-ahead log: a frame that ends a transaction names the size of the database after it.
 * Format: https://www.sqlite.org/fileformat2.html#walformat
 */
const readLog = (bytes: Buffer): Written => {
  const page = bytes.readUInt32BE(8)
  const salt = bytes.subarray(16, 24)
  let commits = 0
  let end = 32
  for (let at = 32; at + 24 + page <= bytes.length; at += 24 + page) {
    if (!bytes.subarray(at + 8, at + 16).equals(salt)) break
    if (bytes.readUInt32BE(at + 4) !== 0) commits++
    end = at + 24 + page
  }
  return { commits, walBytes: end }
}

/** Runs `work` with a reader beside it, which keeps the whole log of what `work` writes. The database exists. */
export const written = async (database: string, work: () => Promise<unknown>): Promise<Written> => {
  const reader = new DatabaseSync(database, { readOnly: true })
  try {
    reader.exec("BEGIN; SELECT count(*) FROM sqlite_schema")
    await work()
    return readLog(readFileSync(`${database}-wal`))
  } finally {
    reader.close()
  }
}

export interface Size {
  readonly bytes: number
  readonly content: number
}

/** The size of a database without free space, and how much of it is the content of messages. */
export const sizeOf = (database: string, copy: string): Size => {
  rmSync(copy, { force: true })
  const db = new DatabaseSync(database, { readOnly: true })
  try {
    db.prepare("VACUUM INTO ?").run(copy)
    const row = db.prepare("SELECT sum(octet_length(content)) AS content FROM message").get()
    return { bytes: statSync(copy).size, content: Number(row?.["content"]) }
  } finally {
    db.close()
  }
}
