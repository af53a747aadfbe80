/** The table of programs: what each does with its arguments. What is not in it is judged by its rule alone. */
import { belay } from "./programs/belay.ts"
import { builds } from "./languages/builds.ts"
import { files } from "./programs/files.ts"
import { find, xargs } from "./programs/find.ts"
import { git } from "./git/git.ts"
import { interpreters } from "./languages/interpreters.ts"
import { launchers } from "./table/launchers.ts"
import { javascript } from "./languages/npm.ts"
import { readers } from "./programs/readers.ts"
import { remotes } from "./programs/remotes.ts"
import { launching, unknown } from "./table/rows.ts"
import { search } from "./programs/search.ts"
import type { Spec, Word } from "./table/spec.ts"
import { streams, variant } from "./programs/streams.ts"
import { strict } from "./programs/strict.ts"
import { system } from "./programs/system.ts"
import { transfers } from "./programs/transfers.ts"
import { versions } from "./git/versions.ts"
import { wrappers } from "./programs/wrappers.ts"

const described: Readonly<Record<string, Spec>> = {
  ...strict,
  ...builds,
  ...javascript,
  ...remotes,
  ...transfers,
  ...files,
  ...readers,
  ...search,
  ...streams,
  ...system,
  ...interpreters,
  ...wrappers,
  ...versions,
  belay,
  ...(readers["["] === undefined ? {} : { "[[": readers["["] }),
  find,
  xargs,
  git,
  hub: git
}

const table: Readonly<Record<string, Spec>> = {
  ...described,
  ...launching(launchers, (name) => Object.hasOwn(described, baseName(name)))
}

/**
 * The row of a program: case does not count for finding harm, since it does not where the file system ignores it, nor
 * does a version in the name.
 */
export const baseName = (program: string): string => {
  const name = (program.split(/[\\/]/).at(-1) ?? "").replace(/\.exe$/i, "")
  const spellings = [name, name.toLowerCase(), name.replace(/-?\d+(?:\.\d+)*$/, "").toLowerCase()]
  return spellings.find((spelling) => Object.hasOwn(table, spelling)) ?? name
}

const isPath = (program: string): boolean => /[\\/]/.test(program)

const ofSystem = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/

/** A file of the project, or of anybody, that runs. */
export const isOwn = (program: string): boolean => isPath(program) && !ofSystem.test(program)

/** What the table says of its name holds for the program. */
export const isStandard = (program: string): boolean =>
  (!isPath(program) || ofSystem.test(program)) && (program.split("/").at(-1) ?? "") === baseName(program)

/** Of the machine, and of no project: what they say of themselves runs nothing else. */
const toolchains = /^(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|gdb|lldb|valgrind)$/
const version: Spec = { flags: "--version", readOnly: true }

export const specOf = (program: string, words: ReadonlyArray<Word>): Spec => {
  const name = baseName(program).replace(/^mkfs\..*/, "mkfs")
  if (toolchains.test(name) && words.length === 1 && words[0]?.text === "--version") return version
  return variant(name, words) ?? (Object.hasOwn(table, name) ? table[name] : undefined) ?? unknown
}
