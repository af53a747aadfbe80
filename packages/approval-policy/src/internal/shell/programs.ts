/** The table of programs: what each does with its arguments. What is not in it is judged by its rule alone. */
import { files } from "./files.ts"
import { git } from "./git.ts"
import { readers, variant } from "./readers.ts"
import type { Spec, Word } from "./spec.ts"
import { tools } from "./tools.ts"
import { wrappers } from "./wrappers.ts"

const table: Readonly<Record<string, Spec>> = { ...tools, ...files, ...readers, ...wrappers, git }

/** A program that nobody has described: flags beyond its rule are hazards. */
const unknown: Spec = { operands: "mention" }

/** Case does not count for finding harm: it does not where the file system ignores it. */
export const baseName = (program: string): string => {
  const name = (program.split(/[\\/]/).at(-1) ?? "").replace(/\.exe$/i, "")
  return Object.hasOwn(table, name) || !Object.hasOwn(table, name.toLowerCase()) ? name : name.toLowerCase()
}

const isPath = (program: string): boolean => /[\\/]/.test(program)

const ofSystem = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/

/** A file of the project, or of anybody, that runs. */
export const isOwn = (program: string): boolean => isPath(program) && !ofSystem.test(program)

/** What the table says of its name holds for the program. */
export const isStandard = (program: string): boolean =>
  (!isPath(program) || ofSystem.test(program)) && (program.split("/").at(-1) ?? "") === baseName(program)

export const specOf = (program: string, words: ReadonlyArray<Word>): Spec => {
  const name = baseName(program).replace(/^mkfs\..*/, "mkfs")
  return variant(name, words) ?? (Object.hasOwn(table, name) ? table[name] : undefined) ?? unknown
}
