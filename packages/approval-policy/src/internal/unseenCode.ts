/** Code of a command that no rule has seen: what an interpreter is given, and scripts that are as young as the session. */
import type { CommandFact } from "../CommandFact.ts"
import type { Action } from "../CommandReading.ts"
import { isHarmless } from "./harmlessCode.ts"
import { quote } from "./quote.ts"

const isChange = (role: string): boolean => role === "write" || role === "tree" || role === "entry"

/** Written by the command itself, not there yet, or told to be unseen. */
const isYoung = ({ files, reading, unseenScripts = [] }: CommandFact, index: number): boolean => {
  const path = reading.targets[index]?.path
  const facts = files[index] ?? []
  if (typeof path !== "string" || facts.length === 0 || unseenScripts.includes(path)) return true
  const own = new Set(facts.map(({ resolved }) => resolved))
  const isWritten = reading.targets.some(
    ({ role }, other) => isChange(role) && (files[other] ?? []).some(({ resolved }) => own.has(resolved))
  )
  return isWritten || facts.some(({ kind }) => kind !== "file")
}

const unseenOf = (command: CommandFact, { argv, code = [] }: Action): ReadonlyArray<string> =>
  code.flatMap(({ language, target, text }) => {
    const isSeen =
      target === undefined ? typeof text === "string" && isHarmless(language, text) : !isYoung(command, target)
    // The commands of a text for a shell are read like all others.
    if (isSeen || (language === "shell" && typeof text === "string")) return []
    const program = quote(argv[0] ?? "a program")
    const file = target === undefined ? undefined : command.reading.targets[target]?.path
    return [
      file === undefined
        ? `What ${program} does with what it is given is not seen.`
        : `What ${quote(file ?? "a file")} does is not seen: it is new, or ${program} may read another one.`
    ]
  })

/** A sentence; undefined when all is seen, as far as the project's own programs and files are trusted. */
export const unseen = (command: CommandFact): string | undefined =>
  command.reading.actions.flatMap((action) => unseenOf(command, action))[0]
