/**
 * Which lines differ between two texts, and the unified form of it.
 *
 * The shortest script, by Myers' algorithm, as long as that is affordable; texts with very much that differs are taken to
 * differ in one piece, from the first to the last line that is not the same.
 * Source: E. W. Myers, An O(ND) Difference Algorithm and Its Variations, Algorithmica 1 (1986).
 */

/** Lines `[from, fromEnd)` of the old text become lines `[to, toEnd)` of the new one; counted from 0. */
export interface Hunk {
  readonly from: number
  readonly fromEnd: number
  readonly to: number
  readonly toEnd: number
}

/** Insertions and deletions that are looked for; memory grows with the square. */
const affordable = 1000

/** With their line breaks, so that a missing one at the end is a difference. */
const linesOf = (text: string): ReadonlyArray<string> => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

const commonPrefix = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  let same = 0
  while (same < a.length && same < b.length && a[same] === b[same]) same++
  return same
}

const commonSuffix = (a: ReadonlyArray<string>, b: ReadonlyArray<string>, least: number): number => {
  let same = 0
  while (same < a.length - least && same < b.length - least && a[a.length - 1 - same] === b[b.length - 1 - same]) same++
  return same
}

/** How far each diagonal reaches with 0, 1, 2... edits; `undefined` when there are too many. */
const furthest = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): ReadonlyArray<Int32Array> | undefined => {
  const most = Math.min(a.length + b.length, affordable)
  const reached: Array<Int32Array> = []
  let before = new Int32Array(1)
  for (let edits = 0; edits <= most; edits++) {
    const now = new Int32Array(2 * edits + 1)
    for (let k = -edits; k <= edits; k += 2) {
      // Index `k + edits - 1` of the round before is diagonal `k`.
      const down = k === -edits || (k !== edits && (before[k + edits - 2] ?? 0) < (before[k + edits] ?? 0))
      let x = edits === 0 ? 0 : down ? (before[k + edits] ?? 0) : (before[k + edits - 2] ?? 0) + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      now[k + edits] = x
      if (x >= a.length && x - k >= b.length) return [...reached, now]
    }
    reached.push(now)
    before = now
  }
  return undefined
}

/** The edits of a path, from the last to the first, joined where they touch. */
const hunksOf = (rounds: ReadonlyArray<Int32Array>, a: number, b: number): ReadonlyArray<Hunk> => {
  const hunks: Array<Hunk> = []
  let [x, y] = [a, b]
  for (let edits = rounds.length - 1; edits > 0; edits--) {
    const before = rounds[edits - 1] ?? new Int32Array()
    const k = x - y
    const down = k === -edits || (k !== edits && (before[k + edits - 2] ?? 0) < (before[k + edits] ?? 0))
    const [px, py] = down
      ? [before[k + edits] ?? 0, (before[k + edits] ?? 0) - k - 1]
      : [before[k + edits - 2] ?? 0, (before[k + edits - 2] ?? 0) - k + 1]
    const one = { from: px, fromEnd: down ? px : px + 1, to: py, toEnd: down ? py + 1 : py }
    const next = hunks.at(-1)
    const touches = next?.from === one.fromEnd && next.to === one.toEnd
    if (touches) hunks.pop()
    hunks.push(touches ? { ...one, fromEnd: next.fromEnd, toEnd: next.toEnd } : one)
    ;[x, y] = [px, py]
  }
  return hunks.toReversed()
}

/** Gives what differs between two lists of lines, in order. */
export const hunks = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): ReadonlyArray<Hunk> => {
  const start = commonPrefix(a, b)
  const end = commonSuffix(a, b, start)
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  if (left.length === 0 && right.length === 0) return []
  const rounds = furthest(left, right)
  const found =
    rounds === undefined
      ? [{ from: 0, fromEnd: left.length, to: 0, toEnd: right.length }]
      : hunksOf(rounds, left.length, right.length)
  return found.map(({ from, fromEnd, to, toEnd }) => ({
    from: from + start,
    fromEnd: fromEnd + start,
    to: to + start,
    toEnd: toEnd + start
  }))
}

/** Counts lines. */
export interface Counts {
  readonly added: number
  readonly removed: number
}

/** Gives what differs between two texts. */
export const between = (before: string, after: string): ReadonlyArray<Hunk> => hunks(linesOf(before), linesOf(after))

/** Counts the lines that a change adds and removes. */
export const count = (before: string, after: string): Counts =>
  between(before, after).reduce(
    ({ added, removed }, { from, fromEnd, to, toEnd }) => ({
      added: added + toEnd - to,
      removed: removed + fromEnd - from
    }),
    { added: 0, removed: 0 }
  )

const context = 3

/** Hunks whose surroundings touch are shown as one. */
const grouped = (all: ReadonlyArray<Hunk>): ReadonlyArray<ReadonlyArray<Hunk>> => {
  const groups: Array<Array<Hunk>> = []
  for (const hunk of all) {
    const last = groups.at(-1)
    if (last !== undefined && hunk.from - (last.at(-1)?.fromEnd ?? 0) <= 2 * context) last.push(hunk)
    else groups.push([hunk])
  }
  return groups
}

const marked = (sign: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.map((line) => (line.endsWith("\n") ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`))

const range = (from: number, end: number): string => `${end === from ? from : from + 1},${end - from}`

const shown = (group: ReadonlyArray<Hunk>, a: ReadonlyArray<string>, b: ReadonlyArray<string>): string => {
  const [first] = group
  const last = group.at(-1)
  if (first === undefined || last === undefined) return ""
  const lead = Math.min(context, first.from)
  const trail = Math.min(context, a.length - last.fromEnd)
  const out: Array<string> = [
    `@@ -${range(first.from - lead, last.fromEnd + trail)} +${range(first.to - lead, last.toEnd + trail)} @@\n`
  ]
  let at = first.from - lead
  for (const { from, fromEnd, to, toEnd } of group) {
    out.push(
      ...marked(" ", a.slice(at, from)),
      ...marked("-", a.slice(from, fromEnd)),
      ...marked("+", b.slice(to, toEnd))
    )
    at = fromEnd
  }
  out.push(...marked(" ", a.slice(at, at + trail)))
  return out.join("")
}

/** The unified diff of two texts, empty when they are the same. */
export const unified = (path: string, before: string, after: string): string => {
  const [a, b] = [linesOf(before), linesOf(after)]
  const groups = grouped(hunks(a, b)).map((group) => shown(group, a, b))
  return groups.length === 0 ? "" : `--- ${path}\n+++ ${path}\n${groups.join("")}`
}
