/**
 * The text and the ids of items: a text never leaves its line nor opens or closes a comment, an id never occurs twice.
 */

/** What an id may look like; anything else in a trailing comment is text of the user. */
export const isId = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/u.test(text)

// C0 and C1 controls (a newline, an escape of a terminal) and the line separators of Unicode
// oxlint-disable-next-line no-control-regex
const breaks = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g

/**
 * The text as it may stand in an item or a heading: one line of well-formed Unicode without byte order marks, and its
 * comment marks spaced (`-- >`, `<! --`). A text that was cleaned stays as it is. May be empty.
 */
export const clean = (text: string): string =>
  text
    .replaceAll("\uFEFF", "")
    .toWellFormed()
    .replaceAll(breaks, " ")
    .replaceAll("-->", "-- >")
    .replaceAll("<!--", "<! --")
    .trim()

/** The text before the trailing id comment, and the id. Linear in the length of the line. */
export const splitId = (rest: string): { readonly text: string; readonly id: string | undefined } => {
  const line = rest.trimEnd()
  const start = line.endsWith("-->") ? line.lastIndexOf("<!--") : -1
  const id = start < 0 ? "" : line.slice(start + 4, -3).trim()
  return isId(id) ? { text: line.slice(0, start), id } : { text: line, id: undefined }
}

/** FNV-1a, 32 bits (http://www.isthe.com/chongo/tech/comp/fnv/), over UTF-16 code units. */
const fnv1a = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0
}

/** Gives ids that are not among the taken ones: the same texts in the same order always get the same ids. */
export interface Ids {
  /** False when it was taken before. */
  readonly take: (id: string) => boolean
  readonly fresh: (text: string) => string
}

export const makeIds = (taken: Iterable<string> = []): Ids => {
  const used = new Set(taken)
  const occurrences = new Map<string, number>()
  const take = (id: string): boolean => !used.has(id) && used.add(id) !== undefined
  const fresh = (text: string): string => {
    let occurrence = occurrences.get(text) ?? 0
    let id: string
    do {
      id = fnv1a(`${occurrence++}:${text}`).toString(36).padStart(7, "0")
    } while (!take(id))
    occurrences.set(text, occurrence)
    return id
  }
  return { take, fresh }
}
