/** Whether two names are one with a slip of the pen: at most one letter wrong, or two of eight and more. */

/** Letters that are to be inserted, removed, replaced or swapped with their neighbour. */
const distance = (a: string, b: string): number => {
  let before: ReadonlyArray<number> = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let row = 1; row <= a.length; row++) {
    const next = [row]
    for (let at = 1; at <= b.length; at++) {
      const same = a[row - 1] === b[at - 1] ? 0 : 1
      const steps = [(next[at - 1] ?? 0) + 1, (last[at] ?? 0) + 1, (last[at - 1] ?? 0) + same]
      const swapped = row > 1 && at > 1 && a[row - 1] === b[at - 2] && a[row - 2] === b[at - 1]
      if (swapped) steps.push((before[at - 2] ?? 0) + 1)
      next.push(Math.min(...steps))
    }
    before = last
    last = next
  }
  return last[b.length] ?? 0
}

const longest = 80

/** Without case; names of more than 80 letters are like no other. */
export const isLike = (one: string, other: string): boolean => {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()]
  const length = Math.max(a.length, b.length)
  if (length > longest || Math.min(a.length, b.length) < 3) return a === b
  const allowed = length < 8 ? 1 : 2
  return Math.abs(a.length - b.length) <= allowed && distance(a, b) <= allowed
}
