/** A result in pages that no client cuts: at most 40,000 bytes each, which is some 10,000 tokens of words and never 25,000. */

const mostBytes = 40_000

export interface Page {
  readonly text: string
  readonly offset: number
  /** Where to read on; absent at the end. */
  readonly nextOffset?: number
  readonly length: number
}

/** A place between two whole characters. */
const whole = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}

/** From a place, in characters. */
export const of = (text: string, from: number, limit: number): Page => {
  const offset = whole(text, Math.min(from, text.length))
  let end = whole(text, Math.min(text.length, offset + limit))
  while (Buffer.byteLength(text.slice(offset, end)) > mostBytes) {
    end = whole(text, offset + Math.floor((end - offset) * 0.8))
  }
  const next = end < text.length && end > offset ? { nextOffset: end } : {}
  return { text: text.slice(offset, end), offset, ...next, length: text.length }
}
