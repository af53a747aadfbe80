/**
 * Long texts of long logs, left in their files until they are needed: a mark stands for each, and is read from the place
 * that it names. So a log of any length takes the memory of what is short in it, and of one message at a time.
 */
import * as Schema from "effect/Schema"
import { randomUUID } from "node:crypto"
import type { Message } from "./blocks.ts"
import { parse, textOf } from "./json.ts"
import * as Files from "./files.ts"
import * as Result from "effect/Result"

/** A file is not any more what it was when it was read. */
export class ChangedError extends Schema.TaggedError<ChangedError>()("ChangedError", { path: Schema.String }) {
  override get message() {
    return `${this.path} changed while it was read`
  }
}

/** Bytes. A shorter text is kept. */
const long = 512

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a]
const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** The place after the text that begins at a quote. */
const endOf = (bytes: Uint8Array, from: number): number => {
  for (let at = bytes.indexOf(quote, from + 1); at !== -1; at = bytes.indexOf(quote, at + 1)) {
    let before = at
    while (bytes[before - 1] === backslash) before--
    if ((at - before) % 2 === 0) return at + 1
  }
  return bytes.length
}

/** It is the name of a field, JSON that is read at once, or a picture, which is told by how it begins. */
const isNeeded = (bytes: Uint8Array, from: number, to: number): boolean => {
  let after = to
  while (isSpace(bytes[after])) after++
  if (bytes[after] === colon) return true
  const [before, first] = [bytes.subarray(Math.max(0, from - 20), from), bytes.subarray(from + 1, from + 6)].map(
    (part) => Buffer.from(part).toString("latin1")
  )
  return first === "data:" || /"arguments"\s*:\s*$/u.test(before ?? "")
}

export class LongTexts {
  readonly #files: Array<string> = []
  #newest: { readonly of: object; readonly content: Message["content"] } | undefined
  /** No text of a file can hold it. */
  readonly #sign = `belay-${randomUUID()}`
  readonly #marks = new RegExp(`${this.#sign}:(\\d+):(\\d+):(\\d+);`, "gu")

  /** Gives what takes the place of long texts in some JSON of a file; `at`: where that JSON begins there. */
  of(file: string): (bytes: Uint8Array, at: number) => Uint8Array {
    const own = this.#files.push(file) - 1
    return (bytes, at) => {
      if (bytes.length <= long) return bytes
      const parts: Array<Uint8Array> = []
      let kept = 0
      for (let from = bytes.indexOf(quote); from !== -1 && from < bytes.length;) {
        const to = endOf(bytes, from)
        if (to - from > long && !isNeeded(bytes, from, to)) {
          parts.push(bytes.subarray(kept, from), Buffer.from(`"${this.#sign}:${own}:${at + from}:${to - from};"`))
          kept = to
        }
        from = bytes.indexOf(quote, to)
      }
      return parts.length === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(kept)])
    }
  }

  /** True when a mark may stand for something. */
  get isUsed(): boolean {
    return this.#files.length > 0
  }

  #text(place: string, from: string, length: string): string {
    const path = this.#files[Number(place)] ?? ""
    const value = parse(textOf(Files.range(path, Number(from), Number(length))))
    if (Result.isFailure(value) || typeof value.success !== "string") throw new ChangedError({ path })
    return value.success
  }

  /** A value with its texts. Throws `ChangedError`. */
  whole<A>(value: A): A {
    const read = (inner: unknown): unknown => {
      if (typeof inner === "string") {
        return inner.includes(this.#sign)
          ? inner.replaceAll(this.#marks, (_, place: string, from: string, length: string) =>
              this.#text(place, from, length)
            )
          : inner
      }
      if (Array.isArray(inner)) return inner.map(read)
      if (typeof inner !== "object" || inner === null) return inner
      return Object.fromEntries(Object.entries(inner).map(([name, one]) => [name, read(one)]))
    }
    return this.isUsed ? (read(value) as A) : value
  }

  /** A message whose content is read when it is asked for; the newest of all that were asked for is kept. */
  later(message: Message): Message {
    const { content: marked, role } = message
    if (!this.isUsed || !JSON.stringify(marked).includes(this.#sign)) return message
    const newest = (): { readonly of: object; readonly content: Message["content"] } => {
      if (this.#newest?.of !== marked) this.#newest = { of: marked, content: this.whole(marked) }
      return this.#newest
    }
    return {
      role,
      get content() {
        return newest().content
      }
    }
  }
}
