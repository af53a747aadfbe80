/**
 * Where a text that was not found might have been meant: the place whose line is most like the longest line searched.
 *
 * Costs at most 20,000 comparisons of 200 characters. Likeness is the Dice coefficient of character pairs.
 */
const comparedLines = 20_000
const comparedCharacters = 200
const shownLines = 8

const pairs = (line: string): Map<string, number> => {
  const counts = new Map<string, number>()
  const text = line.trim().slice(0, comparedCharacters)
  for (let at = 0; at + 1 < text.length; at++) {
    const pair = text.slice(at, at + 2)
    counts.set(pair, (counts.get(pair) ?? 0) + 1)
  }
  return counts
}

const sizeOf = (counts: Map<string, number>) => [...counts.values()].reduce((sum, count) => sum + count, 0)

const likeness = (a: Map<string, number>, b: Map<string, number>): number => {
  let shared = 0
  for (const [pair, count] of a) shared += Math.min(count, b.get(pair) ?? 0)
  const all = sizeOf(a) + sizeOf(b)
  return all === 0 ? 0 : (2 * shared) / all
}

/** A sentence with up to 8 lines of `text`, or nothing when no line is at least half alike. */
export const closest = (text: string, search: string): string => {
  const wanted = search.split("\n")
  const longest = wanted.reduce((best, line, at) => (line.length > (wanted[best]?.length ?? 0) ? at : best), 0)
  const target = pairs(wanted[longest] ?? "")
  const lines = text.split("\n")
  let best = { at: -1, score: 0.5 }
  for (const [at, line] of lines.slice(0, comparedLines).entries()) {
    const score = likeness(target, pairs(line))
    if (score > best.score) best = { at, score }
  }
  if (best.at === -1) return " No similar lines are in the file: read it again."
  const from = Math.max(0, best.at - longest)
  const shown = lines
    .slice(from, from + Math.min(wanted.length, shownLines))
    .map((line) => line.slice(0, comparedCharacters))
  return ` The closest lines (${from + 1}-${from + shown.length}) are:\n${shown.join("\n")}`
}
