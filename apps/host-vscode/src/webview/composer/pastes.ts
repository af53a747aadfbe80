/**
 * Long texts that are pasted: a short word stands for each while the message is written, and what is sent and kept has
 * the text itself, byte for byte. A word that was changed is what it reads.
 */
export interface Paste {
  /** Such as `[Pasted text 1 · 214 lines]`. */
  readonly token: string
  readonly text: string
}

/** Characters of a text that is not shortened. */
const longest = 2000

/** The paste, when it is long enough for one; `n` counts from 1. */
export const of = (text: string, n: number): Paste | undefined => {
  if (text.length <= longest) return undefined
  const lines = text.split("\n").length
  return { token: `[Pasted text ${n} · ${lines} line${lines === 1 ? "" : "s"}]`, text }
}

/** The text with each paste in its place. */
export const expanded = (text: string, pastes: ReadonlyArray<Paste>): string => {
  if (pastes.length === 0) return text
  const texts = new Map(pastes.map(({ text, token }) => [token, text]))
  return text.replaceAll(/\[Pasted text \d+ · \d+ lines?\]/gu, (token) => texts.get(token) ?? token)
}
