/**
 * Files of code that a command runs and that came or changed since this process began: whoever wrote them, nobody has
 * looked at them yet. What only computes and prints, by its text, is left out.
 */
import type { CommandReading, PathFact } from "@belay/approval-policy"
import type * as Shell from "@belay/approval-policy/shell"
import * as fs from "node:fs"
import { performance } from "node:perf_hooks"

/** In bytes; longer ones are not read. */
const longest = 65_536

const isHarmless = (language: CommandReading.Code["language"], text: string, shell: typeof Shell): boolean => {
  if (language !== "shell") return shell.isHarmless(language, text)
  const { actions, form } = shell.read(text)
  return form === "plain" && actions.every(({ readOnly }) => readOnly)
}

const isUnseen = (
  code: CommandReading.Code,
  { resolved }: PathFact.PathFact,
  shell: typeof Shell,
  since: number
): boolean => {
  try {
    const found = fs.statSync(resolved)
    // The time of the last change of the file's entry: no program sets it.
    if (!found.isFile() || found.ctimeMs < since) return false
    return found.size > longest || !isHarmless(code.language, fs.readFileSync(resolved, "utf8"), shell)
  } catch {
    return true
  }
}

/** As the command names them. `since`: milliseconds since 1970. */
export const unseen = (
  { actions, targets }: CommandReading.CommandReading,
  files: ReadonlyArray<ReadonlyArray<PathFact.PathFact>>,
  shell: typeof Shell,
  since: number = performance.timeOrigin
): ReadonlyArray<string> =>
  actions.flatMap(({ code = [] }) =>
    code.flatMap((part) => {
      const path = part.target === undefined ? undefined : targets[part.target]?.path
      const facts = part.target === undefined ? [] : (files[part.target] ?? [])
      return typeof path === "string" && facts.some((fact) => isUnseen(part, fact, shell, since)) ? [path] : []
    })
  )
