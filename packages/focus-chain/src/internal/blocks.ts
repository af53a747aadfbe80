/**
 * Which lines of a Markdown text are inside a fenced block or a comment of several lines, and so are no items.
 *
 * A block that is never closed is none. No item line opens or closes a block, so adding, changing or removing items
 * beside other items never changes what the other lines are.
 */

interface Fence {
  readonly char: string
  readonly length: number
  /** Nothing but the marker: it may close a block. */
  readonly bare: boolean
}

const fenceOf = (line: string): Fence | undefined => {
  const match = /^[ \t]*(`{3,}|~{3,})(.*)$/su.exec(line)
  const marker = match?.[1]
  const info = match?.[2]?.trim() ?? ""
  // an info string with a backtick makes it code within a line (CommonMark 0.31, section 4.5)
  return marker === undefined || (marker.startsWith("`") && info.includes("`"))
    ? undefined
    : { char: marker.slice(0, 1), length: marker.length, bare: info === "" }
}

const opensComment = (line: string): boolean => {
  const text = line.trimStart()
  return text.startsWith("<!--") && !text.includes("-->", 2)
}

const closesComment = (line: string): boolean => {
  const end = line.indexOf("-->")
  const start = line.indexOf("<!--")
  return end >= 0 && (start < 0 || end < start)
}

/** The index of the first line at or after `from` that holds, in time proportional to the lines passed over. */
const indexFrom = (count: number, from: number, holds: (index: number) => boolean): number => {
  for (let index = from; index < count; index++) {
    if (holds(index)) return index
  }
  return -1
}

/** True at each line that belongs to a fenced block or a comment of several lines, their first and last line included. */
export const inBlock = (lines: ReadonlyArray<string>): ReadonlyArray<boolean> => {
  const inside = lines.map(() => false)
  const fences = lines.map(fenceOf)
  const closers = lines.map(closesComment)
  // what was looked for once in vain need not be looked for again: a text of openers only stays cheap
  const unclosed = new Map<string, number>()
  const closerOf = (index: number): number => {
    const fence = fences[index]
    if (fence !== undefined) {
      if (fence.length >= (unclosed.get(fence.char) ?? Infinity)) return -1
      const end = indexFrom(lines.length, index + 1, (at) => {
        const other = fences[at]
        return other !== undefined && other.bare && other.char === fence.char && other.length >= fence.length
      })
      if (end < 0) unclosed.set(fence.char, fence.length)
      return end
    }
    if (!opensComment(lines[index] ?? "") || unclosed.has("<!--")) return -1
    const end = indexFrom(lines.length, index + 1, (at) => closers[at] === true)
    if (end < 0) unclosed.set("<!--", 0)
    return end
  }
  for (let index = 0; index < lines.length; index++) {
    const end = closerOf(index)
    if (end < 0) continue
    inside.fill(true, index, end + 1)
    index = end
  }
  return inside
}
