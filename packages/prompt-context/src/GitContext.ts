/**
 * What git knows of a workspace: changes that are not committed, and single commits, as text.
 *
 * Git is asked as `Repository` of `@belay/git-runner` does: nothing that the project names runs, and where its settings
 * name programs git is not asked at all. Of the files that it names only those are shown that may be read.
 */
import { type GitFailed, type GitRefused, Repository } from "@belay/git-runner"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { existsSync } from "node:fs"
import * as path from "node:path"

const plain = ["--no-ext-diff", "--no-textconv", "--no-color", "--relative", "--submodule=short"]
/** The work trees of repositories inside are not entered. */
const outside = "--ignore-submodules=dirty"

/** Characters of a diff. */
const longest = 48_000

/** What git cannot tell, as where there is no repository, is nothing. */
const unlessFailed = <A>(effect: Effect.Effect<A, GitFailed | GitRefused>): Effect.Effect<A | undefined, GitRefused> =>
  Effect.catchTag(effect, "GitFailed", () => Effect.succeed(undefined))

type MayRead = (path: string) => Effect.Effect<boolean>

const shown = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}\n(Left out: the rest of ${text.length} characters.)`

/** Runs a command of git for the files that may be read, and says which were left out. */
const filtered = Effect.fnUntraced(function* (
  { ask }: Repository.Repository,
  names: ReadonlyArray<string>,
  diff: ReadonlyArray<string>,
  mayRead: MayRead
) {
  const listed = yield* ask(names)
  const files = [...new Set(listed.split("\0").filter((name) => name.trim() !== ""))]
  const allowed = yield* Effect.filter(files, mayRead)
  const out = files.filter((file) => !allowed.includes(file))
  const text = allowed.length === 0 ? "" : yield* ask([...diff, "--", ...allowed])
  return shown((out.length === 0 ? "" : `(Not shown: ${out.join(", ")})\n`) + text)
})

/**
 * Gives what is not committed, with the names of new files; empty without changes, `undefined` where there is no repository.
 * Errors: `GitRefused` where git is not asked.
 */
export const changes = (workspace: string, mayRead: MayRead): Effect.Effect<string | undefined, GitRefused> =>
  Effect.gen(function* () {
    const repository = yield* Repository.open(workspace)
    const status = yield* repository.ask(["status", "--short", "--branch", outside])
    const head = ["diff", "HEAD", ...plain, outside]
    // Before the first commit there is nothing to compare with.
    const diff = yield* unlessFailed(filtered(repository, [...head, "--name-only", "-z"], head, mayRead))
    return [status.trimEnd(), diff ?? ""].filter((part) => part !== "").join("\n\n")
  }).pipe(unlessFailed)

const soon = "2 seconds"

const headOf = (line: string): string => {
  const [name = ""] = line.replace(/^## (?:No commits yet on |Initial commit on )?/u, "").split("...")
  return name === "HEAD (no branch)" ? "no branch" : `branch ${name.slice(0, 200).replaceAll("<", "‹")}`
}

/** What a work tree has, in one line: the branch, and how many files are changed and not tracked. */
const summed = (status: string): string => {
  const [head = "", ...files] = status.split("\n").filter((line) => line !== "")
  const fresh = files.filter((line) => line.startsWith("??")).length
  const changed = files.length - fresh
  const counts = [
    ...(changed === 0 ? [] : [`${changed} ${changed === 1 ? "file" : "files"} changed`]),
    ...(fresh === 0 ? [] : [`${fresh} not tracked`])
  ]
  return [headOf(head), ...(counts.length === 0 ? ["nothing changed"] : counts)].join(", ")
}

/**
 * The branch and the changes of the repository that a folder lies in, in one line; `undefined` where git does not say in
 * good time, or is not asked.
 */
export const summary = (workspace: string): Effect.Effect<string | undefined> =>
  isInRepository(workspace)
    ? Repository.open(workspace).pipe(
        Effect.flatMap(({ ask }) => ask(["status", "--short", "--branch", outside, "--", "."])),
        Effect.map(summed),
        Effect.timeoutOption(soon),
        Effect.map(Option.getOrUndefined),
        Effect.orElseSucceed(() => undefined)
      )
    : Effect.succeed("no repository")

/** A folder or one above has a `.git`. */
const isInRepository = (workspace: string): boolean => {
  for (let at = workspace; ; at = path.dirname(at)) {
    if (existsSync(path.join(at, ".git"))) return true
    if (path.dirname(at) === at) return false
  }
}

/** A commit: message and changes; `undefined` when there is none of this name. Errors: `GitRefused` as for `changes`. */
export const commit = (
  workspace: string,
  hash: string,
  mayRead: MayRead
): Effect.Effect<string | undefined, GitRefused> => {
  const show = ["show", ...plain, "--no-show-signature"]
  const of = ["--end-of-options", `${hash}^{commit}`]
  return Effect.flatMap(Repository.open(workspace), (repository) =>
    filtered(
      repository,
      [...show, "--format=", "--name-only", "-z", ...of],
      [...show, "--format=medium", "--stat", "--patch", ...of],
      mayRead
    )
  ).pipe(unlessFailed)
}

/** Names a commit for a list of choices. */
export interface Commit {
  /** Ten digits or more. */
  readonly hash: string
  /** Its first line. */
  readonly subject: string
}

/** The newest commits, at most 50; none where there is no repository, or git is not asked. */
export const recent = (workspace: string): Effect.Effect<ReadonlyArray<Commit>> =>
  Repository.open(workspace).pipe(
    Effect.flatMap(({ ask }) =>
      ask(["log", "--max-count=50", "--abbrev=10", "--no-show-signature", "--format=%h%x09%s"])
    ),
    Effect.map((text) =>
      text.split("\n").flatMap((line) => {
        const [hash = "", subject = ""] = line.split("\t", 2)
        return hash === "" ? [] : [{ hash, subject }]
      })
    ),
    Effect.orElseSucceed(() => [])
  )
