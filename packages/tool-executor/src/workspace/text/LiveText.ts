/**
 * What a person sees of a text while it comes: pieces of at most 16,000 characters.
 *
 * Guarantees: of more than that the end is kept, and what is left out is counted; memory is bounded.
 */
const longest = 16_000

export interface LiveText {
  readonly push: (text: string) => void
  /** What came since it was called last; empty when nothing did. */
  readonly take: () => string
}

export const make = (): LiveText => {
  let pending = ""
  let dropped = 0
  const trim = () => {
    if (pending.length <= longest) return
    dropped += pending.length - longest
    pending = pending.slice(-longest)
  }
  return {
    push: (text) => {
      pending += text
      if (pending.length > 4 * longest) trim()
    },
    take: () => {
      trim()
      const piece = dropped === 0 ? pending : `[... ${dropped} characters are not shown ...]\n${pending}`
      pending = ""
      dropped = 0
      return piece
    }
  }
}
