/**
 * What was approved of each server: the hash of every tool as it described itself, kept in a file of the data folder.
 *
 * The first description of a server that the user has defined or trusted is approved with it. From then on a tool that is
 * new or describes itself otherwise is not approved until a person says so. A definition that changed is another server.
 * A file that cannot be read approves nothing.
 */
import { ReplaceFile } from "@belay/machine"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { createHash, randomUUID } from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Fingerprint } from "@belay/approval-policy"

const Entry = Schema.Struct({
  /** Of the definition. */
  definition: Schema.String,
  /** Of each tool, by name. */
  tools: Schema.Record(Schema.String, Schema.String)
})
type Entry = typeof Entry.Type

const File = Schema.fromJsonString(Schema.Record(Schema.String, Entry))
const decode = Schema.decodeUnknownOption(File)

/** SHA-256 of a plain value whatever the order of its keys, hexadecimal. */
export const hashOf = (value: unknown): string =>
  createHash("sha256").update(Fingerprint.canonicalArguments(value)).digest("hex")

export type Tools = ReadonlyMap<string, string>

export interface Approved {
  /** What was approved of a server with this definition; nothing when it was never seen. */
  readonly get: (key: string, definition: string) => Effect.Effect<Tools | undefined>
  /** Approves tools, besides those that were; all others are forgotten when `whole`. */
  readonly add: (key: string, definition: string, tools: Tools, whole?: boolean) => Effect.Effect<void>
  readonly forget: (key: string) => Effect.Effect<void>
}

const largest = 4 * 1024 * 1024

type Entries = Readonly<Record<string, Entry>>

export const make = (file: string): Approved => {
  const one = Semaphore.makeUnsafe(1)
  const read: Effect.Effect<Entries> = Effect.tryPromise(async () => {
    const found = await fs.stat(file)
    return found.isFile() && found.size <= largest ? await fs.readFile(file, "utf8") : ""
  }).pipe(
    Effect.map((text) => Option.getOrElse(decode(text), (): Entries => ({}))),
    Effect.orElseSucceed((): Entries => ({}))
  )
  /** Whole or not at all; where it cannot be written, people are asked again. */
  const write = (entries: Entries) =>
    Effect.ignore(
      Effect.tryPromise(async () => {
        await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
        const temporary = `${file}.${randomUUID()}.tmp`
        await fs.writeFile(temporary, `${JSON.stringify(entries, undefined, 2)}\n`, { mode: 0o600, flag: "wx" })
        ReplaceFile.rename(temporary, file)
      })
    )
  const change = (by: (entries: Entries) => Entries) =>
    one.withPermit(Effect.flatMap(read, (entries) => write(by(entries))))
  const own = (entries: Entries, key: string): Entry | undefined =>
    Object.hasOwn(entries, key) ? entries[key] : undefined
  return {
    get: (key, definition) =>
      Effect.map(read, (entries) => {
        const entry = own(entries, key)
        return entry?.definition === definition ? new Map(Object.entries(entry.tools)) : undefined
      }),
    add: (key, definition, tools, whole = false) =>
      change((entries) => {
        const entry = own(entries, key)
        const before = !whole && entry?.definition === definition ? entry.tools : {}
        return { ...entries, [key]: { definition, tools: { ...before, ...Object.fromEntries(tools) } } }
      }),
    forget: (key) => change((entries) => Object.fromEntries(Object.entries(entries).filter(([name]) => name !== key)))
  }
}
