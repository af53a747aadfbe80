/**
 * Stored files of one task, each in its best version: the file itself, or what an interrupted writer left beside it.
 *
 * A file that is whole counts, unless a whole one was written after it and never took its place. Of what is damaged the
 * version with the most whole entries counts.
 */
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import { Elements, salvage, tail } from "./elements.ts"
import { fieldsOf } from "./fields.ts"
import * as Files from "./files.ts"
import { parse, salvageFields, textOf } from "./json.ts"
import { packed } from "./layout.ts"
import { LongTexts } from "./longTexts.ts"
import * as Packed from "./packed.ts"
import * as Shortened from "./shortened.ts"

/** A file that could not be read whole. */
export interface Damage {
  readonly path: string
  readonly reason: string
}

/** Something that was put right, by the rule that says how. */
export interface Note {
  readonly rule: string
  readonly detail: string
}

export interface List {
  readonly list: ReadonlyArray<unknown> | undefined
  readonly whole: boolean
}

/** The lines of a file, each a value. */
export interface Lines {
  readonly rows: ReadonlyArray<unknown>
  /** How many lines cannot be read. */
  readonly broken: number
}

/** A record: whole, or what is whole of it. */
export interface Stored {
  readonly value: unknown
  readonly fields: unknown
}

interface Version extends List {
  readonly name: string
  readonly modifiedAt: number
  readonly reason: string | undefined
}

/** Bytes. A longer log is read in pieces, and made smaller where only a look at it is needed. */
const large = 8 * 1024 * 1024

/** The turns of a stored log: a list, or one in the field `messages`. */
const turnsOf = (value: unknown): ReadonlyArray<unknown> | undefined => {
  if (Array.isArray(value)) return value
  const { messages } = fieldsOf(value)
  return Array.isArray(messages) ? messages : undefined
}

/** A file that a writer had finished before it was to take the place of the other one. */
const isNewer = (name: string): boolean => /\.new_|\.tmp/u.test(name) && !/\.bak|\.acl\./u.test(name)

/** Names beside a file that hold an older or a newer state of it. */
export const versionsOf = (names: ReadonlyArray<string>, name: string): ReadonlyArray<string> => {
  const stem = name.replace(/\.jsonl?$/u, "")
  return names.filter((other) => {
    const bare = other.startsWith(".") ? other.slice(1) : other
    if (other === name || bare.endsWith(".lock")) return false
    const rest = bare.startsWith(`${name}.`)
      ? bare.slice(name.length)
      : bare.startsWith(`${stem}.`)
        ? bare.slice(stem.length)
        : ""
    return /\.(?:tmp|bak|backup|old|orig|new_|corrupt)/u.test(rest)
  })
}

/** What is read of the long texts of long logs: all, nothing but a few beginnings and ends, or the places where they are. */
export type Extent = "whole" | "brief" | "left"

/** Reads the files of one task, and keeps what was wrong with them. */
export class Reading {
  readonly damage: Array<Damage> = []
  readonly notes: Array<Note> = []
  readonly hash = createHash("sha256")
  readonly folder: string
  readonly names: ReadonlyArray<string>
  /** ms since 1970: when its files were written last. */
  readonly written: Array<number> = []

  /** What is left in long logs. */
  readonly texts = new LongTexts()
  readonly #extent: Extent
  readonly #isShut: boolean

  constructor(folder: string, extent: Extent = "whole") {
    this.folder = folder
    this.#extent = extent
    this.names = Files.names(folder)
    this.#isShut = Files.isDenied(folder)
    if (this.#isShut) this.damage.push({ path: folder, reason: Files.denied })
  }

  damaged(name: string, reason: string): void {
    // What is said of the folder holds for all that is in it.
    if (this.#isShut && reason === Files.denied) return
    this.damage.push({ path: Files.at(this.folder, name), reason })
  }

  #list(name: string): Version | undefined {
    const path = Files.at(this.folder, name)
    const seen = Files.seen(path)
    const version = (list: List["list"], reason?: string): Version => ({
      name,
      list,
      whole: reason === undefined,
      reason,
      modifiedAt: seen._tag === "File" ? seen.modifiedAt : 0
    })
    if (seen._tag === "Absent") return undefined
    if (seen._tag === "Unreadable") return version(undefined, seen.reason)
    const found = seen.bytes > large ? ({ _tag: "Long" } as const) : Files.read(path)
    if (found._tag === "Absent") return undefined
    if (found._tag === "Unreadable") return version(undefined, found.reason)
    this.hash.update(`${name}\n`)
    if (found._tag === "Long") {
      const isWide = textOf(Files.part(path, 2, "start")) === ""
      const isLeft = this.#extent === "left" && !isWide
      const shorten = this.#extent === "brief" ? Shortened.turns() : undefined
      const elements = new Elements(shorten, isLeft ? this.texts.of(path) : undefined)
      Files.pieces(path, (bytes) => {
        this.hash.update(bytes)
        elements.take(bytes)
      })
      elements.end()
      this.hash.update("\n")
      const { found: list, isWhole } = elements
      return version(isWhole || list.length > 0 ? list : undefined, isWhole ? undefined : "it is not whole")
    }
    this.hash.update(found.bytes).update("\n")
    const value = parse(textOf(found.bytes))
    const list = Result.isSuccess(value) ? turnsOf(value.success) : undefined
    if (list !== undefined) return version(list)
    const saved = salvage(found.bytes)
    const reason = Result.isFailure(value) ? value.failure.message : "it is not a list"
    return version(saved.length === 0 ? undefined : saved, reason)
  }

  /** The lines of a file, or of one of this name that is compressed, but those that cannot be read. */
  lines(name: string): Lines {
    const path = Files.at(this.folder, name)
    const rows: Array<unknown> = []
    let broken = 0
    let rest: ReadonlyArray<Uint8Array> = []
    const size = Files.seen(path)
    const isLong = size._tag === "File" && size.bytes > large
    const shorten = this.#extent === "brief" && isLong ? Shortened.rows() : undefined
    const leave = this.#extent === "left" && isLong ? this.texts.of(path) : undefined
    const line = (bytes: Uint8Array, at: number): void => {
      const found = textOf(leave === undefined ? bytes : leave(bytes, at)).replaceAll("\0", "")
      if (found.trim() === "") return
      const value = parse(found)
      if (Result.isFailure(value)) {
        broken++
        return
      }
      rows.push(value.success)
      const behind = rows.length - tail
      if (shorten !== undefined && behind >= 0) rows[behind] = shorten(rows[behind])
    }
    this.hash.update(`${name}\n`)
    /** Where the line that is read begins. */
    let place = 0
    const take = (bytes: Uint8Array): void => {
      this.hash.update(bytes)
      let from = 0
      for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, from)) {
        const own = rest.length === 0 ? bytes.subarray(from, end) : Buffer.concat([...rest, bytes.subarray(from, end)])
        line(own, place)
        place += own.length + 1
        rest = []
        from = end + 1
      }
      if (from < bytes.length) rest = [...rest, new Uint8Array(bytes.subarray(from))]
    }
    const seen = size._tag === "Absent" ? Packed.pieces(path + packed, take) : Files.pieces(path, take)
    if (rest.length > 0) line(Buffer.concat(rest), place)
    if (seen._tag === "Unreadable") this.damaged(name, seen.reason)
    if (seen._tag === "File") this.written.push(seen.modifiedAt)
    if (broken > 0) this.damaged(name, `${broken} of its lines are not whole`)
    return { rows, broken }
  }

  /** A list of entries; of one that is damaged, all that is whole. */
  list(name: string): List {
    const own = this.#list(name)
    if (own !== undefined && own.modifiedAt > 0) this.written.push(own.modifiedAt)
    const others = versionsOf(this.names, name).flatMap((other) => this.#list(other) ?? [])
    const best = bestOf(own, others)
    if (own?.reason !== undefined) this.damaged(name, own.reason)
    if (best === undefined) return { list: undefined, whole: own === undefined }
    const { list, name: used, reason, whole } = best
    const count = list?.length ?? 0
    const [counted, kept] = count === 1 ? ["1 entry", "was kept"] : [`${count} entries`, "were kept"]
    if (used !== name) this.notes.push({ rule: "salvaged", detail: `${name}: its ${counted} came from ${used}` })
    else if (reason !== undefined && count > 0) {
      this.notes.push({ rule: "salvaged", detail: `${name}: ${reason}; ${counted} of it ${kept}` })
    }
    return { list, whole }
  }

  /**
   * An object for which something holds; of one that is damaged, the newest other state of it. `fields` are those that are
   * whole of one that is torn off.
   */
  object(name: string, holds: (value: unknown) => boolean, lacks: string): Stored {
    let fields: unknown
    const states = [name, ...versionsOf(this.names, name)].flatMap((one) => {
      const path = Files.at(this.folder, one)
      const seen = Files.seen(path)
      const found = Files.read(path)
      if (found._tag === "Unreadable" && one === name) this.damaged(name, found.reason)
      if (found._tag !== "Bytes") return []
      this.hash.update(`${one}\n`).update(found.bytes).update("\n")
      const text = textOf(found.bytes)
      const value = parse(text)
      const modifiedAt = seen._tag === "File" ? seen.modifiedAt : 0
      if (Result.isSuccess(value) && holds(value.success)) return [{ name: one, value: value.success, modifiedAt }]
      if (Result.isFailure(value)) {
        const saved = salvageFields(text)
        if (holds(saved)) fields ??= saved
      }
      if (one === name) this.damaged(name, Result.isFailure(value) ? value.failure.message : lacks)
      return []
    })
    const own = states.find((state) => state.name === name)
    const newest = states
      .filter((state) => state.name !== name && (own === undefined || isNewer(state.name)))
      .reduce((best, state) => (best === undefined || state.modifiedAt > best.modifiedAt ? state : best), own)
    if (newest !== undefined && newest !== own) {
      this.notes.push({ rule: "salvaged", detail: `${name}: it was taken from ${newest.name}` })
    }
    return { value: newest?.value, fields }
  }
}

const bestOf = (own: Version | undefined, others: ReadonlyArray<Version>): Version | undefined => {
  const size = (version: Version | undefined) => version?.list?.length ?? 0
  if (own?.whole === true && size(own) > 0) {
    return others
      .filter((other) => other.whole && size(other) > 0 && isNewer(other.name) && other.modifiedAt > own.modifiedAt)
      .reduce((best, other) => (other.modifiedAt > best.modifiedAt ? other : best), own)
  }
  const better = (best: Version | undefined, other: Version) =>
    size(other) > size(best) ||
    (size(other) === size(best) && size(other) > 0 && other.modifiedAt > (best?.modifiedAt ?? 0))
      ? other
      : best
  return others.reduce<Version | undefined>(better, own)
}
