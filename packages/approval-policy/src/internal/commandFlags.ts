/** Names of files that a program takes for flags, because they begin with a dash: where a line finds one, or makes one. */
import type { CommandFact } from "../CommandFact.ts"
import type { Action, Target } from "../CommandReading.ts"
import type { PathFact } from "../PathFact.ts"
import { factsOf } from "./commandFacts.ts"

const changes: ReadonlyArray<Target["role"]> = ["write", "tree", "entry", "output"]

/** `strings` takes further arguments from the file behind an `@`. */
const isFlag = (name: string, { argv }: Action): boolean =>
  /^-./.test(name) || (argv[0]?.split("/").at(-1) === "strings" && name.startsWith("@"))

const lastOf = (path: string): string => path.split(/[\\/]/).at(-1) ?? ""

/** What a pattern has found, from its first part that is one: a folder before it may be one that the line has moved to. */
const found = (pattern: string, given: string): string => {
  const at = pattern.split("/").findIndex((part) => /(?<!\\)[*?]/.test(part))
  return at < 0 ? lastOf(given) : given.split("/").slice(at).join("/")
}

const namesOf = (action: Action, target: Target, fact: PathFact): ReadonlyArray<string | undefined> => [
  target.glob && fact.matched === true && isFlag(found(target.path ?? "", fact.given), action)
    ? found(target.path ?? "", fact.given)
    : undefined,
  // Names that are found go behind a program as they are.
  target.below !== undefined && (action.parent >= 0 || target.below.expands === true || action.argv[0] === "xargs")
    ? fact.below?.dashed
    : undefined,
  // Only who wants it to be a flag makes it.
  changes.includes(target.role) && fact.kind === "absent" ? /^-.+/.exec(lastOf(fact.displayed))?.[0] : undefined
]

/** Each with the program that gets it, or makes it. */
export const dashed = (command: CommandFact): ReadonlyArray<readonly [name: string, program: string]> =>
  command.reading.actions.flatMap((action) =>
    action.targets.flatMap((index) => {
      const target = command.reading.targets[index]
      if (target === undefined) return []
      return factsOf(command, index)
        .flatMap((fact) => namesOf(action, target, fact))
        .flatMap((name) => (name === undefined ? [] : [[name, action.argv[0] ?? "a redirection"] as const]))
    })
  )
