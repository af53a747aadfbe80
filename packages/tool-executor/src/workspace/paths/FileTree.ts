/**
 * Entries of folders as text, one line a folder: `src/: a.ts b.ts`.
 *
 * Guarantees: at most 1,000 entries are shown; when there are more, each folder gets the same room, and what is left
 * out is said where it is missing. A folder with a line of its own is not named again in the line of its parent. Names
 * with a blank or a quote stand in quotes, and none breaks a line.
 */
import { figure } from "../../internal/figure.ts"
import * as PlainText from "../text/PlainText.ts"

const shownEntries = 1000

export interface Entry {
  /** Where it is: a path with `/`, `.` for the workspace. */
  readonly folder: string
  readonly name: string
  /** `/` for a folder, ` -> target` for a link. */
  readonly mark: string
}

const plain = (name: string): string => {
  const text = PlainText.name(name)
  return /[\s"]/u.test(text) ? `"${text}"` : text
}

/** What a link says of where it leads. */
export const link = (target: string): string => ` -> ${plain(target)}`

/** How many entries a folder may show so that all together show `most` at most, and at least one each. */
const roomOf = (sizes: ReadonlyArray<number>, most: number): number => {
  let rest = most
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(rest / (sizes.length - index))
    if (size > share) return Math.max(1, share)
    rest -= size
  }
  return most
}

const lineOf = (folder: string, entries: ReadonlyArray<Entry>, room: number): string => {
  const shown = entries.slice(0, room).map(({ mark, name }) => plain(name) + mark)
  const more = entries.length > room ? [`[${figure(entries.length - room)} more]`] : []
  return [`${plain(`${folder}/`)}:`, ...shown, ...more].join(" ")
}

/** The lines by folder, of entries that come the nearest to the top first; none for no entries. */
export const lines = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> => {
  const all = Map.groupBy(entries, ({ folder }) => folder)
  const own = (entry: Entry) =>
    entry.mark === "/" && all.has(entry.folder === "." ? entry.name : `${entry.folder}/${entry.name}`)
  const folders = [...all].flatMap(([folder, held]): ReadonlyArray<readonly [string, ReadonlyArray<Entry>]> => {
    const named = held.filter((entry) => !own(entry))
    return named.length === 0 ? [] : [[folder, named]]
  })
  const room = roomOf(
    folders.map(([, held]) => held.length),
    shownEntries
  )
  const shown = folders
    .slice(0, shownEntries)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([folder, held]) => lineOf(folder, held, room))
  const left = folders.slice(shownEntries)
  if (left.length === 0) return shown
  const held = left.reduce((sum, [, entries]) => sum + entries.length, 0)
  return [
    ...shown,
    `[Folders that are not shown: ${figure(left.length)}, with ${figure(held)} entries. List one above them.]`
  ]
}
