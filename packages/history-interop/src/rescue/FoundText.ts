/** What a look found as lines for people: lost subtasks first, then what can be read again, then what cannot be helped. */
import * as Agent from "../Agent.ts"
import type * as Found from "./Found.ts"

const units = ["B", "kB", "MB", "GB", "TB"]

const sizeOf = (bytes: number): string => {
  let [value, unit] = [bytes, 0]
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1]
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit] ?? ""}`
}

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** ms of a day. */
const day = 86_400_000

const ageOf = (task: Found.Task, now: number): string => {
  const ms = Math.max(0, now - Date.parse(task.updatedAt))
  return ms < day ? `${Math.floor(ms / 3_600_000)}h` : `${Math.floor(ms / day)}d`
}

/** Letters of an id that are told at least. */
const least = 4

/** The shortest ends of ids, after their program, that name one task each. */
export const shortRefs = (tasks: ReadonlyArray<Found.Task>): ReadonlyMap<string, string> => {
  const ends = (task: Found.Task, length: number): string => `${task.agent}:${task.id.slice(-length)}`
  const known = new Map(tasks.map((task) => [task.ref, task]))
  const refs = new Map<string, string>()
  for (let length = least, left = [...known.values()]; left.length > 0; length++) {
    const some = Map.groupBy(left, (task) => ends(task, length))
    left = left.filter((task) => {
      const end = ends(task, length)
      const isAlone = some.get(end)?.length === 1 || length >= task.id.length
      if (isAlone) refs.set(task.ref, end)
      return !isAlone
    })
  }
  return refs
}

const isLost = ({ class: kind }: Found.Damage): boolean => kind === "E"

const worst = (task: Found.Task): number => {
  if (task.damages.some((damage) => isLost(damage) && damage.repair !== "none")) return 0
  return task.damages.some(({ repair }) => repair !== "none") ? 1 : 2
}

/** Says whether a task has subtasks that are lost and can be helped. */
export const hasLost = (task: Found.Task): boolean => worst(task) === 0

const headings = ["Lost subtasks", "Can be read again", "Cannot be helped"]

/** Lines of one part; further ones are counted. */
const most = 8

const titled = ({ id, title }: Found.Task): string => (title === "" ? id : `"${title}"`)

const nameOf = (place: Found.Place): string =>
  place.kind !== "tasks" ? counted(place.tasks, "session") : counted(place.tasks, "task")

/** Days within which a deletion is told of. */
const soon = 14

const placeLine = (place: Found.Place, tasks: ReadonlyArray<Found.Task>, now: number): string => {
  const own = tasks.filter((task) => task.place === place.path)
  const lost = own.filter(({ damages }) => damages.some(isLost)).length
  const torn = own.filter(({ damages }) => damages.some(({ class: kind }) => kind === "B")).length
  const other = own.filter(
    ({ damages }) => damages.length > 0 && damages.every((one) => !isLost(one) && one.class !== "B")
  ).length
  const ending = own.filter(
    ({ expiresAt }) => expiresAt !== undefined && Date.parse(expiresAt) - now < soon * day
  ).length
  const said = [
    ...(lost > 0 ? [`${lost} with lost subtasks`] : []),
    ...(torn > 0 ? [`${torn} torn`] : []),
    ...(other > 0 ? [`${other} damaged otherwise`] : [])
  ]
  const sound = said.length === 0 ? ["sound"] : said
  const expiring = ending === 0 ? [] : [`${ending} deleted within ${soon} days (cleanupPeriodDays)`]
  const state =
    place.state === "read"
      ? [nameOf(place), ...sound, ...expiring].join("  ")
      : place.state === "denied"
        ? "cannot be read"
        : "holds nothing"
  return `  ${Agent.names[place.agent].padEnd(12)} ${place.path}  ${state}`
}

const evidenceOf = (task: Found.Task, titles: ReadonlyMap<string, string>): string =>
  task.damages
    .slice(0, 2)
    .map(({ evidence }) => evidence.replaceAll(/\b[a-z]+:[\w-]+/gu, (ref) => titles.get(ref) ?? ref))
    .join("; ")

/** Says when and how it was looked. */
export interface Around {
  /** ms since 1970 */
  readonly now: number
  /** ms that it took. */
  readonly took: number
  readonly all: boolean
  /** How a host is told to show all, and what it offers for the first of what was found. */
  readonly showAll: string
  readonly next: (ref: string) => string
}

/** Describes a task that is damaged, for a list. */
export interface Entry {
  readonly task: Found.Task
  /** The part of the list that it stands in: what can be helped comes first. */
  readonly heading: string
  readonly title: string
  /** How long ago it changed, such as "5d". */
  readonly age: string
  /** What is damaged. */
  readonly evidence: string
  /** The shortest text that means it. */
  readonly ref: string
}

/** The damaged tasks in the order in which they are shown. */
export const entries = (tasks: ReadonlyArray<Found.Task>, now: number): ReadonlyArray<Entry> => {
  const refs = shortRefs(tasks)
  const titles = new Map(tasks.map((task) => [task.ref, titled(task)]))
  const damaged = tasks.filter(({ damages }) => damages.length > 0)
  return headings.flatMap((heading, kind) =>
    damaged
      .filter((task) => worst(task) === kind)
      .map((task) => ({
        task,
        heading,
        title: titled(task),
        age: ageOf(task, now),
        evidence: evidenceOf(task, titles),
        ref: refs.get(task.ref) ?? task.ref
      }))
  )
}

/** Lines for people. */
export const lines = (
  { places, tasks }: Found.Found,
  { all, next, now, showAll, took }: Around
): ReadonlyArray<string> => {
  const bytes = places.reduce((sum, place) => sum + place.bytes, 0)
  const shown = places.filter(({ state }) => state !== "empty" || all)
  const head = `Looked in ${counted(places.length, "place")} (${sizeOf(bytes)}, ${(took / 1000).toFixed(1)} s). Nothing was written.`
  const found = entries(tasks, now)
  const parts = headings.flatMap((heading) => {
    const some = found.filter((entry) => entry.heading === heading)
    if (some.length === 0) return []
    const listed = all ? some : some.slice(0, most)
    const more = some.length - listed.length
    return [
      heading,
      ...listed.map(({ age, evidence, ref, title }) => `  ${age.padStart(4)}  ${title}: ${evidence}  ${ref}`),
      ...(more > 0 ? [`        and ${more} more (${showAll})`] : [])
    ]
  })
  const [first] = found
  const ahead = first === undefined ? [] : [next(first.ref)]
  const none = found.length === 0 && places.length > 0 ? ["Nothing is damaged."] : []
  return [head, ...shown.map((place) => placeLine(place, tasks, now)), ...parts, ...none, ...ahead]
}

/** Lines about one task: what is there, what is damaged, and its subtasks. */
export const one = (task: Found.Task, tasks: ReadonlyArray<Found.Task>): ReadonlyArray<string> => {
  const byRef = new Map(tasks.map((other) => [other.ref, other]))
  const name = (ref: string): string => {
    const other = byRef.get(ref)
    return other === undefined ? ref : `${titled(other)} (${ref})`
  }
  return [
    `${titled(task)}  ${task.ref}`,
    `  in ${task.place}`,
    ...(task.workspace === "" ? [] : [`  of ${task.workspace}`]),
    `  ${task.turns === null ? "not read whole" : counted(task.turns, "turn")}, last changed ${task.updatedAt}`,
    ...(task.expiresAt === undefined
      ? []
      : [`  its program deletes it on ${task.expiresAt.slice(0, 10)} (cleanupPeriodDays in its settings.json)`]),
    ...(task.parent === undefined ? [] : [`  subtask of ${name(task.parent)}`]),
    ...task.children.map(({ ref, state }) => `  subtask ${name(ref)}: ${state}`),
    ...task.damages.map(
      ({ code, evidence, repair }) => `  ${code}: ${evidence} (${repair === "none" ? "cannot be helped" : repair})`
    ),
    ...(task.inUse === true ? ["  it is in use: what is being written is not damage"] : [])
  ]
}
