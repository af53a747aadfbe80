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

export const baseName = (program: string): string => (program.split("/").at(-1) ?? "").replace(/\.exe$/, "")

export const specOf = (program: string, words: ReadonlyArray<Word>): Spec => {
  const name = baseName(program).replace(/^mkfs\..*/, "mkfs")
  return variant(name, words) ?? (Object.hasOwn(table, name) ? table[name] : undefined) ?? unknown
}
