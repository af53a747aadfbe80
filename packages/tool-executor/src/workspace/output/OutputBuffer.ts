/**
 * The head and the tail of a text of any length, in constant memory.
 *
 * Guarantees: a text of 16,000 characters is kept whole; of a longer one at most the first 4,000 and the last 12,000, cut
 * where a line ends unless lines are very long, and the characters between are counted exactly.
 */
const headRoom = 4000
const tailRoom = 12_000
export const kept = headRoom + tailRoom

export interface OutputBuffer {
  readonly push: (chunk: string) => void
  readonly finish: () => { readonly head: string; readonly tail: string; readonly omitted: number }
}

/** Up to a line's end, where the second half has one. */
const wholeHead = (text: string): string => {
  const end = text.lastIndexOf("\n") + 1
  return end > text.length / 2 ? text.slice(0, end) : text
}

/** From a line's beginning, where the first half has one. */
const wholeTail = (text: string): string => {
  const start = text.indexOf("\n") + 1
  return start < text.length / 2 ? text.slice(start) : text
}

export const make = (): OutputBuffer => {
  let head = ""
  let tail = ""
  let total = 0
  return {
    push: (chunk) => {
      total += chunk.length
      const room = headRoom - head.length
      head += chunk.slice(0, room)
      if (chunk.length <= room) return
      tail += chunk.slice(room)
      if (tail.length > 4 * tailRoom) tail = tail.slice(-tailRoom)
    },
    finish: () => {
      if (total <= kept) return { head, tail, omitted: 0 }
      const first = wholeHead(head)
      const last = wholeTail(tail.slice(-tailRoom))
      return { head: first, tail: last, omitted: total - first.length - last.length }
    }
  }
}
