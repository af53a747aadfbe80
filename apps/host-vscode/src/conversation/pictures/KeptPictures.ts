/**
 * The images of drafts as files of the extension, so that they are there again in another window or after a restart.
 *
 * Together they take at most `most` bytes: those of the drafts that were left alone longest go first. What cannot be
 * written is lost with the window, and what cannot be read is as if it had not been kept.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"

/** Of all drafts, as files. */
const most = 100_000_000

export const Kept = Schema.Struct({
  /** Its place among those of its draft. */
  at: Schema.Natural,
  id: Schema.String,
  name: Schema.String,
  /** base64 */
  data: Schema.String
})
export type Kept = typeof Kept.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Kept))

const nameOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32)

const quietly = <A>(work: () => Promise<A>, otherwise: A): Effect.Effect<A> =>
  Effect.promise(() => work().catch(() => otherwise))

interface File {
  readonly file: string
  readonly size: number
  readonly changed: number
}

const filesIn = async (folder: string): Promise<ReadonlyArray<File>> => {
  const found = await fs.readdir(folder, { recursive: true, withFileTypes: true })
  const files = found.filter((one) => one.isFile()).map(({ name, parentPath }) => path.join(parentPath, name))
  return Promise.all(
    files.map(async (file) => {
      const { mtimeMs, size } = await fs.stat(file)
      return { file, size, changed: mtimeMs }
    })
  )
}

/** Takes away what is too much, the oldest first, but nothing of the draft in `spared`. */
const bound = async (folder: string, spared: string, atMost: number): Promise<void> => {
  const files = await filesIn(folder)
  let total = files.reduce((sum, { size }) => sum + size, 0)
  for (const { file, size } of files.toSorted((left, right) => left.changed - right.changed)) {
    if (total <= atMost) return
    if (path.dirname(file) === spared) continue
    await fs.rm(file, { force: true })
    total -= size
  }
}

/** In a folder of the extension's; `null` names the first message of a new task. */
export const make = (folder: string, atMost = most) => {
  const folderOf = (task: string | null): string => path.join(folder, nameOf(task ?? ""))
  const fileOf = (task: string | null, id: string): string => path.join(folderOf(task), `${nameOf(id)}.json`)
  return {
    /** In the order in which they were attached. */
    read: (task: string | null): Effect.Effect<ReadonlyArray<Kept>> =>
      quietly(async () => {
        const names = await fs.readdir(folderOf(task))
        const texts = await Promise.all(names.map((name) => fs.readFile(path.join(folderOf(task), name), "utf8")))
        return texts.flatMap((text) => Option.toArray(decode(text))).toSorted((left, right) => left.at - right.at)
      }, []),
    write: (task: string | null, kept: Kept): Effect.Effect<void> =>
      quietly(async () => {
        await fs.mkdir(folderOf(task), { recursive: true, mode: 0o700 })
        await fs.writeFile(fileOf(task, kept.id), JSON.stringify(kept), { mode: 0o600 })
        await bound(folder, folderOf(task), atMost)
      }, undefined),
    remove: (task: string | null, ids: ReadonlyArray<string>): Effect.Effect<void> =>
      quietly(async () => {
        for (const id of ids) await fs.rm(fileOf(task, id), { force: true })
        // As long as there is something in it, it stays.
        await fs.rmdir(folderOf(task))
      }, undefined)
  }
}
