/** Questions to git about names of files. Guarantees: none of them changes anything, or starts a program. */

/** Arguments of git whose output is names of files, each ended by NUL. */
export type Question = ReadonlyArray<string>

/** Git is asked with names as they are written: where a path is a pattern, all names of the commit count. */
const named = (paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.some((path) => /^:|[*?[\\]/.test(path)) ? [] : paths

/** Work tree and a commit. */
export const against = (commit: string, paths: ReadonlyArray<string> = []): Question => [
  "diff",
  "--no-ext-diff",
  "--no-textconv",
  "--no-renames",
  "--ignore-submodules=none",
  "--name-only",
  "-z",
  commit,
  "--",
  ...named(paths)
]
/** Two commits; nothing of the work tree is read. */
export const between = (from: string, to: string): Question => [
  "diff-tree",
  "--no-ext-diff",
  "--no-textconv",
  "--no-renames",
  "-r",
  "--name-only",
  "-z",
  from,
  to,
  "--"
]
export const ofCommits = (commits: string): Question => [
  "log",
  "--no-ext-diff",
  "--no-textconv",
  "--no-renames",
  "--diff-merges=separate",
  "--format=",
  "--name-only",
  "-z",
  ...(commits.includes("..") ? [] : ["--no-walk"]),
  commits,
  "--"
]
export const fromIndex = (paths: ReadonlyArray<string>): Question => [
  "diff",
  "--no-ext-diff",
  "--no-textconv",
  "--no-renames",
  "--name-only",
  "-z",
  "--",
  ...named(paths)
]
export const untracked: Question = ["ls-files", "--others", "-z"]
