/**
 * What a git command would change in the work tree, as questions to git that change nothing.
 *
 * Guarantees: pure; a command that moves the work tree in a way that is not known here is `unknown`, never without
 * questions. https://git-scm.com/docs
 */
import { against, between, fromIndex, ofCommits, type Question, untracked } from "./GitQuestions.ts"

export type Moves = "unknown" | ReadonlyArray<Question>

/** What is known of words; gathered before. */
export interface Known {
  /** Git takes it for a commit. */
  readonly isCommit: (word: string) => boolean
  /** There is such a file or folder. */
  readonly isPath: (word: string) => boolean
}

const nothing: ReadonlyArray<Question> = []

interface Words {
  readonly flags: ReadonlyArray<string>
  /** Before `--`, and after it. */
  readonly words: ReadonlyArray<string>
  readonly paths: ReadonlyArray<string> | undefined
}

/** `withValue`: flags that take the next word. */
const split = (
  args: ReadonlyArray<string>,
  withValue: ReadonlyArray<string>
): Words & { readonly values: Map<string, string> } => {
  const end = args.indexOf("--")
  const flags: Array<string> = []
  const words: Array<string> = []
  const values = new Map<string, string>()
  const own = end < 0 ? args : args.slice(0, end)
  for (let index = 0; index < own.length; index++) {
    const word = own[index] ?? ""
    if (word === "-" || !word.startsWith("-")) words.push(word)
    else if (withValue.includes(word)) values.set(word, own[++index] ?? "")
    else flags.push(word)
  }
  return { flags, words, values, paths: end < 0 ? undefined : args.slice(end + 1) }
}

const only = (flags: ReadonlyArray<string>, known: ReadonlyArray<string>): boolean =>
  flags.every((flag) => known.includes(flag))

const quiet = ["-q", "--quiet", "--progress", "--no-progress", "-v", "--verbose"]

/** `-` is the branch before. */
const commitOf = (word: string): string => (word === "-" ? "@{-1}" : word)

const checkout = (args: ReadonlyArray<string>, { isCommit, isPath }: Known): Moves => {
  const { flags, paths: given, values, words } = split(args, ["-b", "-B"])
  // Behind `--` nothing may follow: the word before it then is the branch.
  const paths = given?.length === 0 ? undefined : given
  const forced = flags.some((flag) => flag === "-f" || flag === "--force")
  if (!only(flags, [...quiet, "-f", "--force", "--detach", "-d", "--no-track", "--no-guess"])) return "unknown"
  const [first, ...rest] = words
  if (
    values.size > 0 ||
    (paths === undefined && rest.length === 0 && first !== undefined && isCommit(commitOf(first)))
  ) {
    const target = commitOf(first ?? "HEAD")
    if (rest.length > 0 || paths !== undefined) return "unknown"
    return forced ? [against(target)] : [between("HEAD", target)]
  }
  const [source, chosen] =
    first !== undefined && isCommit(commitOf(first))
      ? [commitOf(first), [...rest, ...(paths ?? [])]]
      : [undefined, [...words, ...(paths ?? [])]]
  // A branch that only a remote has, or what git would refuse.
  if (source === undefined && !words.every(isPath)) return "unknown"
  if (chosen.length === 0) return forced ? [against("HEAD")] : nothing
  return [source === undefined ? fromIndex(chosen) : against(source, chosen)]
}

const switched = (args: ReadonlyArray<string>, { isCommit }: Known): Moves => {
  const { flags, paths, values, words } = split(args, ["-c", "-C", "--create", "--force-create"])
  const forced = flags.some((flag) => ["-f", "--force", "--discard-changes"].includes(flag))
  if (paths !== undefined || words.length > 1) return "unknown"
  if (!only(flags, [...quiet, "-f", "--force", "--discard-changes", "-d", "--detach", "--no-track", "--no-guess"])) {
    return "unknown"
  }
  const target = commitOf(words[0] ?? "HEAD")
  if (words.length === 0 && values.size === 0) return nothing
  if (!isCommit(target)) return "unknown"
  return forced ? [against(target)] : [between("HEAD", target)]
}

const merge = (args: ReadonlyArray<string>, { isCommit }: Known): Moves => {
  const { flags, words } = split(args, ["-m", "--message", "-s", "-X"])
  if (only(flags, ["--abort"]) && flags.length === 1) return [against("HEAD")]
  if (
    !only(flags, [
      ...quiet,
      "--ff",
      "--no-ff",
      "--ff-only",
      "--squash",
      "--no-commit",
      "--no-edit",
      "--commit",
      "--stat",
      "-n"
    ])
  ) {
    return "unknown"
  }
  const heads = words.length === 0 ? ["@{upstream}"] : words
  return heads.every(isCommit) ? heads.map((head) => against(`HEAD...${head}`)) : "unknown"
}

const rebase = (args: ReadonlyArray<string>, { isCommit }: Known): Moves => {
  const { flags, words } = split(args, [])
  if (!only(flags, quiet) || words.length > 1) return "unknown"
  const onto = words[0] ?? "@{upstream}"
  return isCommit(onto) ? [between("HEAD", onto), ofCommits(`${onto}..HEAD`)] : "unknown"
}

const picked = (args: ReadonlyArray<string>, { isCommit }: Known): Moves => {
  const { flags, words } = split(args, ["-m", "--mainline", "-X"])
  if (!only(flags, [...quiet, "-x", "-n", "--no-commit", "--no-edit", "-s", "--signoff"]) || words.length === 0)
    return "unknown"
  return words.every((word) => word.split(/\.{2,3}/).every((end) => isCommit(end === "" ? "HEAD" : end)))
    ? words.map(ofCommits)
    : "unknown"
}

const reset = (args: ReadonlyArray<string>, { isCommit }: Known): Moves => {
  const { flags, paths, words } = split(args, [])
  if (!flags.some((flag) => ["--hard", "--merge", "--keep"].includes(flag))) {
    return only(flags, [...quiet, "--soft", "--mixed", "-N", "--no-refresh", "--refresh"]) ? nothing : "unknown"
  }
  if (!only(flags, [...quiet, "--hard", "--merge", "--keep"]) || words.length > 1 || paths !== undefined)
    return "unknown"
  const target = words[0] ?? "HEAD"
  return isCommit(target) ? [against(target)] : "unknown"
}

const restore = (args: ReadonlyArray<string>, { isCommit }: Known): Moves => {
  const { flags, paths, values, words } = split(args, ["-s", "--source"])
  const sources = flags.filter((flag) => flag.startsWith("--source=")).map((flag) => flag.slice("--source=".length))
  const others = flags.filter((flag) => !flag.startsWith("--source="))
  if (!only(others, [...quiet, "-W", "--worktree", "-S", "--staged"])) return "unknown"
  const staged = others.some((flag) => flag === "-S" || flag === "--staged")
  if (staged && !others.some((flag) => flag === "-W" || flag === "--worktree")) return nothing
  const source = [...values.values(), ...sources][0] ?? (staged ? "HEAD" : undefined)
  const chosen = [...words, ...(paths ?? [])]
  if (source === undefined) return [fromIndex(chosen)]
  return isCommit(source) ? [against(source, chosen)] : "unknown"
}

const stash = (args: ReadonlyArray<string>, { isCommit }: Known): Moves => {
  const [how = "push", ...rest] = args
  if (["list", "show", "drop", "clear", "create", "store"].includes(how)) return nothing
  if (how === "pop" || how === "apply") {
    const { flags, words } = split(rest, [])
    const name = words[0] ?? "stash@{0}"
    const entry = /^\d+$/.test(name) ? `stash@{${name}}` : name
    if (!only(flags, [...quiet, "--index"]) || words.length > 1) return "unknown"
    // Git fails where nothing is put away.
    if (!isCommit(entry)) return words.length === 0 ? nothing : "unknown"
    const kept = isCommit(`${entry}^3`) ? [["ls-tree", "-r", "--name-only", "-z", `${entry}^3`]] : []
    return [between(`${entry}^1`, entry), ...kept]
  }
  // What is stashed is gone from the work tree.
  if (how !== "push" && how !== "save" && !how.startsWith("-")) return "unknown"
  return [
    against("HEAD"),
    ...(args.some((word) => /^-[a-z]*[ua]|^--(?:include-untracked|all)$/.test(word)) ? [untracked] : [])
  ]
}

const apply = (args: ReadonlyArray<string>): Moves => {
  const { flags, paths, words } = split(args, [])
  const files = [...words, ...(paths ?? [])]
  // They only look, unless `--apply` says otherwise.
  const looks = ["--check", "--stat", "--numstat", "--summary"]
  if (flags.some((flag) => looks.includes(flag)) && only(flags, [...looks, ...quiet])) return nothing
  if (!only(flags, [...quiet, "--index", "-3", "--3way", "-R", "--reverse"]) || files.length === 0) return "unknown"
  if (files.some((file) => file === "-")) return "unknown"
  // In a patch both names of a rename count, so each file is asked for both ways.
  return [[], ["-R"]].map((way) => ["apply", "--numstat", "-z", ...way, "--", ...files])
}

const worktree = ([how, ...rest]: ReadonlyArray<string>): Moves =>
  how === "list" && only(rest, ["--porcelain", "-v", "-z"]) ? nothing : "unknown"

/** What it packs says which signatures the commits have, where attributes ask for that. */
const archive = (): Moves => nothing

const movers: Readonly<Record<string, (args: ReadonlyArray<string>, known: Known) => Moves>> = {
  checkout,
  switch: switched,
  merge,
  rebase,
  "cherry-pick": picked,
  revert: picked,
  reset,
  restore,
  stash,
  apply,
  archive,
  worktree
}

/** They leave the work tree as it is, or change in it only files that they name. */
const harmless: ReadonlySet<string> = new Set(
  (
    "add annotate blame branch bundle cat-file check-attr check-ignore cherry clone commit commit-tree config " +
    "count-objects describe diff diff-files diff-index diff-tree fast-export fetch for-each-ref format-patch fsck gc " +
    "grep hash-object help init interpret-trailers log ls-files ls-remote ls-tree maintenance merge-base merge-tree " +
    "mktree mv name-rev notes pack-refs prune push range-diff reflog remote repack replace request-pull rerere " +
    "rev-list rev-parse rm shortlog show show-branch show-ref status stripspace symbolic-ref tag update-index " +
    "update-ref var verify-commit verify-tag version whatchanged write-tree"
  ).split(" ")
)

/** After these the names that commits have are the same, and no commit has other files. */
const still: ReadonlySet<string> = new Set(["add", "diff", "log", "ls-files", "rev-parse", "show", "status"])

/** Every word that may name a commit, for `of`. */
export const candidates = ([command = "", ...args]: ReadonlyArray<string>): ReadonlyArray<string> => {
  const words = args.map((word) => commitOf(word.replace(/^--source=/, "")))
  const ends = words.flatMap((word) => word.split(/\.{2,3}/))
  const entries = ["stash@{0}", ...words.map((word) => (/^\d+$/.test(word) ? `stash@{${word}}` : word))]
  const further =
    command === "stash"
      ? entries.flatMap((entry) => [entry, `${entry}^3`])
      : command === "merge" || command === "rebase"
        ? ["@{upstream}"]
        : []
  return [...new Set([...words, ...ends, "HEAD", ...further])].filter((word) => word !== "" && !word.startsWith("-"))
}

/** Options of git itself that take the next word. */
const globalValues: ReadonlyArray<string | null> = [
  "-C",
  "-c",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--exec-path",
  "--config-env",
  "--attr-source"
]

/** The word after the options of git itself; null where it is not known, none for git alone. */
const commandIn = (args: ReadonlyArray<string | null>): string | null | undefined => {
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? null
    if (word === null || !word.startsWith("-")) return word
    if (globalValues.includes(word)) index++
  }
  return undefined
}

/** May move the work tree: what is not known may, as an alias may. `args` are those of git. */
export const isMover = (args: ReadonlyArray<string | null>): boolean => {
  const command = commandIn(args)
  return command === null || (command !== undefined && !harmless.has(command))
}

/** It takes back what was put away last: all that `isPutAway` before it put there, or what is there already. */
export const isTakenBack = ([command, how, ...rest]: ReadonlyArray<string | null>): boolean =>
  command === "stash" && (how === "pop" || how === "apply") && rest.every((word) => word?.startsWith("-") === true)

/** It puts away what differs from the last commit, which is asked for itself. */
export const isPutAway = ([command, how]: ReadonlyArray<string | null>): boolean =>
  command === "stash" && (how === undefined || how === "push" || how === "save" || how?.startsWith("-") === true)

/** It leaves commits and their names as they are. */
export const isStill = (args: ReadonlyArray<string | null>): boolean => {
  const command = commandIn(args)
  return command === undefined || (command !== null && still.has(command))
}

export const of = (args: ReadonlyArray<string>, known: Known): Moves => {
  const [command = "", ...rest] = args
  const mover = Object.hasOwn(movers, command) ? movers[command] : undefined
  return mover === undefined ? "unknown" : mover(rest, known)
}
