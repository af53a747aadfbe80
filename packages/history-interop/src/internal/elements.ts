/**
 * The elements of a stored list, found in its bytes one after the other: of a list of any length, torn off, or damaged in
 * the middle. Everything that is whole is found; memory is that of the elements.
 *
 * The list is the text itself or a field of an object: `messages` of a log, `entries` of an index. Brackets and quotes are single bytes in every encoding
 * that is read here, so that an element is decoded alone.
 */
import * as Result from "effect/Result"
import { parse, textOf } from "./json.ts"

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [squareOpen, squareClose, curlyOpen, curlyClose] = [0x5b, 0x5d, 0x7b, 0x7d]

const isOpening = (byte: number): boolean => byte === squareOpen || byte === curlyOpen
const isClosing = (byte: number): boolean => byte === squareClose || byte === curlyClose
const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)

/** An entry of a log begins like this; inside a text its quotes would be escaped. */
const beginning = /\{\s*"(?:role|ts|id)"\s*:/gu

/** So many elements at the end are left as they are. */
export const tail = 64

/** As often is it begun again after damage. */
const mostRestarts = 1000

/** The fields that hold a list. */
const fields: ReadonlySet<string> = new Set(['"messages"', '"entries"'])

export class Elements {
  readonly found: Array<unknown> = []
  /** Nothing was left out and the list has its end. */
  isWhole = true
  #depth = 0
  /** How deep the list is; -1 before it has begun. */
  #list = -1
  #inString = false
  #escaped = false
  #ended = false
  /** The bytes of the element that is read. */
  #kept: Array<Uint8Array> = []
  #inElement = false
  /** The newest text of the object around the list, and whether a colon follows it. */
  #key: Array<number> = []
  #isMessages = false
  #restarts = 0
  readonly #shorten: ((value: unknown) => unknown) | undefined
  readonly #leave: ((bytes: Uint8Array, at: number) => Uint8Array) | undefined
  /** Where the bytes that are read now begin, and the element that is read; unknown after damage. */
  #place = 0
  #began: number | undefined = 0

  /** `shorten` makes elements smaller that are not among the last ones; `leave` leaves long texts where they are. */
  constructor(shorten?: (value: unknown) => unknown, leave?: (bytes: Uint8Array, at: number) => Uint8Array) {
    this.#shorten = shorten
    this.#leave = leave
  }

  /** The next bytes. They are copied where they have to be kept. */
  take(bytes: Uint8Array): void {
    let start = this.#inElement ? 0 : -1
    for (let at = 0; at < bytes.length; at++) {
      if (this.#inString && this.#list !== -1) {
        at = this.#skip(bytes, at)
        continue
      }
      const byte = bytes[at] ?? 0
      if (this.#inString) {
        this.#text(byte)
        continue
      }
      if (this.#ended) {
        this.#after(byte)
        if (this.#ended) continue
      }
      const began = this.#inElement
      this.#step(byte)
      if (!began && this.#inElement) {
        start = at
        if (this.#began !== undefined) this.#began = this.#place + at
      }
      if (began && !this.#inElement) {
        this.#finish(bytes.subarray(start, at + 1))
        start = this.#inElement ? at + 1 : -1
      }
    }
    if (this.#inElement) this.#keep(bytes.subarray(start))
    this.#place += bytes.length
  }

  /** No more bytes. What is left of an element that has no end is searched for entries that are whole. */
  end(): void {
    if (this.#list === -1 || !this.#ended) this.isWhole = false
    while (this.#inElement) this.#again()
  }

  /** Looks for the next entry inside of what was to be one and is not whole. */
  #again(): void {
    const rest = Buffer.concat(this.#kept)
    beginning.lastIndex = 1
    const next = this.#restarts++ < mostRestarts ? beginning.exec(rest.toString("latin1"))?.index : undefined
    this.#kept = []
    this.#began = undefined
    this.#inElement = false
    this.#inString = false
    this.#escaped = false
    this.#ended = false
    this.#depth = this.#list
    if (next !== undefined) this.take(rest.subarray(next))
  }

  #keep(bytes: Uint8Array): void {
    // A `slice` of a buffer is no copy.
    if (bytes.length > 0) this.#kept.push(new Uint8Array(bytes))
  }

  /** The place of the quote that ends a text of an element, or the end of these bytes. */
  #skip(bytes: Uint8Array, from: number): number {
    let start = from
    if (this.#escaped) {
      this.#escaped = false
      start++
    }
    for (let at = start; ; at++) {
      const found = bytes.indexOf(quote, at)
      const end = found === -1 ? bytes.length : found
      let before = end
      while (before > start && bytes[before - 1] === backslash) before--
      const isEscaped = (end - before) % 2 === 1
      if (found === -1) {
        this.#escaped = isEscaped
        return end
      }
      if (!isEscaped) {
        this.#inString = false
        return end
      }
      at = end
    }
  }

  #text(byte: number): void {
    if (this.#key.length < 64) this.#key.push(byte)
    if (this.#escaped) this.#escaped = false
    else if (byte === backslash) this.#escaped = true
    else if (byte === quote) this.#inString = false
  }

  /** After the end of the list: the end of the object around it, and blanks; entries that follow are read, too. */
  #after(byte: number): void {
    if (isSpace(byte) || byte === 0) return
    if (this.#depth > 0 && (byte === curlyClose || byte === comma || byte === colon || byte === quote)) {
      if (byte === curlyClose) this.#depth--
      if (byte === quote) this.#inString = true
      return
    }
    this.isWhole = false
    if (byte !== curlyOpen || this.#list !== 1) return
    this.#ended = false
    this.#depth = this.#list
  }

  #step(byte: number): void {
    if (byte === quote) {
      this.#inString = true
      if (this.#list === -1) this.#key = [byte]
      return
    }
    if (this.#list === -1) return this.#before(byte)
    if (isOpening(byte)) {
      if (this.#depth === this.#list) this.#inElement = true
      this.#depth++
      return
    }
    if (!isClosing(byte)) return
    if (this.#depth > this.#list) {
      this.#depth--
      if (this.#depth === this.#list) this.#inElement = false
    } else if (byte === squareClose) {
      this.#ended = true
      this.#depth--
    } else this.isWhole = false
  }

  /** Looks for the list. */
  #before(byte: number): void {
    if (byte === colon) this.#isMessages = this.#depth === 1 && fields.has(Buffer.from(this.#key).toString())
    else if (byte === squareOpen && (this.#depth === 0 || (this.#depth === 1 && this.#isMessages))) {
      this.#depth++
      this.#list = this.#depth
    } else if (isOpening(byte)) {
      this.#depth++
      this.#isMessages = false
    } else if (isClosing(byte)) this.#depth--
    else if (!isSpace(byte)) this.#isMessages = false
  }

  /** `last` are the newest of its bytes. Those of one that came in one piece are not copied. */
  #finish(last: Uint8Array): void {
    const whole = this.#kept.length === 0 ? last : Buffer.concat([...this.#kept, last])
    const left = this.#leave === undefined || this.#began === undefined ? whole : this.#leave(whole, this.#began)
    const value = parse(textOf(left))
    if (Result.isFailure(value)) {
      this.#kept = []
      this.#keep(whole)
      this.isWhole = false
      this.#again()
      return
    }
    this.#kept = []
    // A bracket that was written twice.
    if (Array.isArray(value.success)) {
      this.isWhole = false
      this.found.push(...(value.success as ReadonlyArray<unknown>))
    } else this.found.push(value.success)
    const behind = this.found.length - tail
    if (this.#shorten !== undefined && behind >= 0) this.found[behind] = this.#shorten(this.found[behind])
  }
}

/** All whole elements of a list. */
export const salvage = (bytes: Uint8Array): ReadonlyArray<unknown> => {
  const elements = new Elements()
  elements.take(bytes)
  elements.end()
  return elements.found
}
