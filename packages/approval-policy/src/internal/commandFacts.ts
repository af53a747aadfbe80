/** What is known of the files that a command names. */
import type { CommandFact } from "../CommandFact.ts"
import type { Target } from "../CommandReading.ts"
import type { PathFact } from "../PathFact.ts"

/** None for a pattern that nobody has looked for: which files it means is not known, whatever the facts say. */
export const factsOf = (command: CommandFact, index: number): ReadonlyArray<PathFact> => {
  const facts = command.files[index] ?? []
  const isLookedFor = command.reading.targets[index]?.glob !== true || facts.every(({ matched }) => matched === true)
  return isLookedFor ? facts : []
}

/** A word that may name a file, or may not. */
export const isGuess = ({ role }: Target): boolean => role === "mention" || role === "output"
