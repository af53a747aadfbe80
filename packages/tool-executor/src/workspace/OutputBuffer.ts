/**
 * The head and the tail of a text of any length, in constant memory.
 *
 * Guarantees: the first and the last 24,000 characters are kept, a shorter text is kept whole, and the characters between
 * are counted exactly.
 */
export const kept = 24_000

export interface OutputBuffer {
  readonly push: (chunk: string) => void
  readonly finish: () => { readonly head: string; readonly tail: string; readonly omitted: number }
}

export const make = (): OutputBuffer => {
  let head = ""
  let tail = ""
  let total = 0
  return {
    push: (chunk) => {
      total += chunk.length
      const room = kept - head.length
      head += chunk.slice(0, room)
      if (chunk.length <= room) return
      tail += chunk.slice(room)
      if (tail.length > 4 * kept) tail = tail.slice(-kept)
    },
    finish: () => {
      const end = tail.slice(-kept)
      return { head, tail: end, omitted: total - head.length - end.length }
    }
  }
}
