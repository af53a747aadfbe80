/**
 * What stands in a message for a file, a folder, lines or a problem: `@/src/a.ts`, with quotes where it has blanks.
 *
 * Paths are relative to their folder, with `/`; in a window with several folders they begin with its name.
 */
export interface Place {
  /** The name of its folder, where the window has several. */
  readonly root?: string
  /** Relative to the folder, empty for the folder itself. */
  readonly path: string
  readonly isFolder?: boolean
  /** First and last line, from 1. */
  readonly lines?: readonly [number, number]
}

export interface Problem extends Place {
  readonly severity: string
  readonly message: string
  /** Such as `ts 2304`. */
  readonly source?: string
}

const printable = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu, " ").trim()

export const place = ({ isFolder, lines, path, root }: Place): string => {
  const folder = isFolder === true && path !== "" ? "/" : ""
  const whole = printable(`${root === undefined ? "" : `${root}:`}/${path}${folder}`)
  const name = /[\s"]/u.test(whole) ? `"${whole.replaceAll('"', '\\"')}"` : whole
  if (lines === undefined) return `@${name}`
  const [first, last] = lines
  return `@${name}:${first}${last === first ? "" : `-${last}`}`
}

export const problem = (of: Problem): string =>
  `${place(of)} ${of.severity}: ${printable(of.message)}${of.source === undefined ? "" : ` (${printable(of.source)})`}`

/** What was printed in a terminal, as a block that nothing in it ends. */
export const output = (text: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length))
  const fence = "`".repeat(longest + 1)
  return `Terminal output:\n${fence}\n${text.trimEnd()}\n${fence}`
}
