/**
 * Words as a search compares them: small letters and digits without accents. SQLite finds them itself; for Postgres they
 * are found here, since its own parser makes words of whole paths and addresses.
 */

/** Longer ones are no words that anybody types, and Postgres takes none of 2 KiB. */
const longest = 200

/** So many places of words Postgres tells apart in one text. */
const most = 16_383

/** Bytes of the words of one text: Postgres takes 1 MiB with their places. */
const largest = 900_000

const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

const short = (word: string): string => word.slice(0, longest)

/** The words of a text with their places, as a `tsvector`; of a very long text those at its beginning. */
export const vectorOf = (text: string): string => {
  const words = wordsOf(text).slice(0, most).map(short)
  let room = largest
  const end = words.findIndex((word) => (room -= Buffer.byteLength(word)) < 0)
  return (end === -1 ? words : words.slice(0, end)).map((word, at) => `'${word}':${at + 1}`).join(" ")
}

/** A phrase for each of what was typed, its last word as a beginning, as a `tsquery`; nothing when there is no word. */
export const queryOf = (typed: ReadonlyArray<string>): string =>
  typed
    .map(wordsOf)
    .filter((words) => words.length > 0)
    .map((words) => `(${words.map((word) => `'${short(word)}'`).join(" <-> ")}:*)`)
    .join(" & ")

/** The same for SQLite: each as it was typed. */
export const matchOf = (typed: ReadonlyArray<string>): string =>
  typed
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .map((word) => `"${word.replaceAll('"', '""')}"*`)
    .join(" ")
