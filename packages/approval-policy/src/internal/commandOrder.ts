/**
 * What a path means once an earlier program of the line has run.
 *
 * Paths are looked at before the line runs. A program that moves, links, copies whole trees, unpacks or changes the work
 * tree may let a later path lead elsewhere: below what it changed, or anywhere in the workspace. Such a path is unknown.
 */
import type { CommandFact } from "../CommandFact.ts"
import type { Action, Target } from "../CommandReading.ts"
import type { PathFact } from "../PathFact.ts"
import { factsOf, isGuess } from "./commandFacts.ts"

const lies = (file: string, folder: string): boolean =>
  file === folder ||
  file.startsWith(folder.endsWith("/") || folder.endsWith("\\") ? folder : `${folder}/`) ||
  file.startsWith(`${folder}\\`)

const spellings = ({ displayed, resolved }: PathFact): ReadonlyArray<string> =>
  displayed === resolved ? [resolved] : [displayed, resolved]

/** The folder in which a pattern is looked for. */
const prefix = (path: string): string => {
  const parts = path.split("/")
  const at = parts.findIndex((part) => /(?<!\\)[*?]/.test(part))
  return at < 0 ? path : parts.slice(0, at).join("/") || (path.startsWith("/") ? "/" : "")
}

interface Change {
  readonly at: number
  readonly action: Action
  /** Undefined: anywhere. */
  readonly places: ReadonlyArray<string> | undefined
}

const isChanged = ({ role }: Target): boolean => role === "write" || role === "tree" || role === "entry"

const changesOf = (command: CommandFact, isReadable: Readable): ReadonlyArray<Change> => {
  const all = command.reading.actions.flatMap((action, at): ReadonlyArray<Change> => {
    if (action.moves === "nothing") return []
    if (action.moves === "anywhere") return [{ at, action, places: undefined }]
    const places = action.targets.flatMap((index) => {
      const target = command.reading.targets[index]
      return target !== undefined && isChanged(target) ? factsOf(command, index).flatMap(spellings) : []
    })
    return [{ at, action, places }]
  })
  // A move that another one may let mean something else is no plain one any more, and may do the same to the next.
  let plain = all.filter(({ action }) => movesFiles(action, command, isReadable))
  for (;;) {
    const left = all.filter((change) => !plain.includes(change))
    const still = plain.filter((change) => !left.some((other) => touches(other, change.action, change.at, command)))
    if (still.length === plain.length) return left
    plain = still
  }
}

const isPlainFile = ({ displayed, failure, ignored, inside, kind, links, resolved }: PathFact): boolean =>
  kind === "file" && inside && links <= 1 && displayed === resolved && failure === undefined && ignored === undefined

const isPlainGoal = (fact: PathFact): boolean =>
  isPlainFile(fact) || ((fact.kind === "absent" || fact.kind === "directory") && fact.displayed === fact.resolved)

/** `mv` of plain files that anybody may read: afterwards their new paths are plain files that anybody may read. */
const movesFiles = (action: Action, command: CommandFact, isReadable: Readable): boolean => {
  const [program, ...words] = action.argv
  if (program !== "mv" || words.some((word) => word === null || /^-(?![finv]+$)/.test(word))) return false
  const moved = action.targets.filter((index) => command.reading.targets[index]?.role === "tree")
  const [goal, ...sources] = moved.toReversed().map((index) => factsOf(command, index))
  if (goal === undefined || sources.length === 0) return false
  return (
    goal.length > 0 &&
    goal.every(isPlainGoal) &&
    sources.every((facts) => facts.length > 0 && facts.every((fact) => isPlainFile(fact) && isReadable(fact)))
  )
}

const touches = (change: Change, action: Action, at: number, command: CommandFact): boolean =>
  change.at !== at &&
  change.action.step <= action.step &&
  action.targets.some((index) => {
    const target = command.reading.targets[index]
    return (
      target !== undefined && factsOf(command, index).some((fact) => meets(target, fact, change, command.cwd.resolved))
    )
  })

const meets = (target: Target, fact: PathFact, change: Change, folder: string): boolean => {
  if (change.places === undefined) return true
  const own = spellings(fact)
  const searched = target.glob && target.path !== null ? prefix(target.path) : undefined
  const start =
    searched === undefined
      ? undefined
      : searched.startsWith("/")
        ? searched
        : searched === ""
          ? folder
          : `${folder}/${searched}`
  return change.places.some(
    (place) =>
      own.some(
        (file) => lies(file, place) || ((target.role === "tree" || target.below !== undefined) && lies(place, file))
      ) ||
      (start !== undefined && (lies(place, start) || lies(start, place)))
  )
}

export interface Unknown {
  readonly index: number
  readonly target: Target
  readonly fact: PathFact
  /** The program that runs before. */
  readonly program: string
}

/** Whether anybody may read the file, so that nothing is told when it is read by another name. */
export type Readable = (fact: PathFact) => boolean

/** The files of the command that may be others by the time they are used. */
export const unknown = (command: CommandFact, isReadable: Readable): ReadonlyArray<Unknown> => {
  const changes = changesOf(command, isReadable)
  if (changes.length === 0) return []
  return command.reading.actions.flatMap((action, at) =>
    action.targets.flatMap((index): ReadonlyArray<Unknown> => {
      const target = command.reading.targets[index]
      if (target === undefined) return []
      const before = changes.filter((change) => change.at !== at && change.action.step <= action.step)
      // A word of a program that is described is a name only where the table says so.
      const counted = isGuess(target) && !action.unknown ? [] : before
      for (const fact of factsOf(command, index)) {
        if (isGuess(target) && counted.every(({ places }) => places === undefined) && !/[/.]/.test(target.path ?? ""))
          continue
        const change = counted.find((found) => meets(target, fact, found, command.cwd.resolved))
        if (change !== undefined) return [{ index, target, fact, program: change.action.argv[0] ?? "a program" }]
      }
      return []
    })
  )
}
