/**
 * The words of an answer as they arrive, held against its message once that is stored: what differs is shown whole, and
 * nothing that was shown is taken back.
 */

const again = "The answer began from the beginning."

export interface Streamed {
  /** What is shown of a piece. */
  readonly push: (piece: string) => ReadonlyArray<string>
  /** What had arrived is void. */
  readonly drop: () => void
  /** What is shown besides of the whole message. */
  readonly end: (whole: string) => ReadonlyArray<string>
}

export const make = (): Streamed => {
  let came = ""
  let isVoid = false
  return {
    push: (piece) => {
      const before = isVoid ? [`\n\n${again}\n\n`] : []
      isVoid = false
      came += piece
      return [...before, piece]
    },
    drop: () => {
      isVoid ||= came !== ""
      came = ""
    },
    end: (whole) => {
      const [shown, wasVoid] = [came, isVoid]
      came = ""
      isVoid = false
      if (!wasVoid && whole.trim() === shown.trim()) return []
      return !wasVoid && whole.startsWith(shown) ? [whole.slice(shown.length)] : [`\n\n${again}\n\n${whole}`]
    }
  }
}
