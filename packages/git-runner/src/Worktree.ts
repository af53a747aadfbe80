/**
 * Worktrees for tasks: each a branch `belay/NAME` and a folder beside the repository's, so that two tasks never write in
 * one folder.
 *
 * Guarantees: a merge that cannot be whole changes nothing of the main folder, and what is not merged is not removed
 * unless that is asked for. What is not committed in a worktree is committed on its branch before it is merged.
 */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import type { GitFailed, GitRefused } from "./GitError.ts"
import * as Repository from "./Repository.ts"
import * as WorktreeError from "./WorktreeError.ts"

/** Describes a work tree that Belay has made. */
export interface Worktree {
  readonly name: string
  readonly branch: string
  /** Absolute. */
  readonly folder: string
}

/** Describes what of a worktree is not in the main folder's branch. */
export interface State {
  /** Commits. */
  readonly ahead: number
  /** Files that are changed or new, and not committed. */
  readonly changed: number
}

type Fails = GitFailed | GitRefused | WorktreeError.WorktreeError

const prefix = "belay/"

/** Returns whether a name may be that of a work tree: a safe part of a path and of a branch. */
export const isName = (name: string): boolean =>
  /^[A-Za-z0-9_][\w.-]{0,63}$/u.test(name) && !/\.\.|\.lock$|\.$/u.test(name)

/** A name made of the first words of a prompt. */
export const nameOf = (prompt: string): string => {
  const words = prompt.toLowerCase().match(/[a-z0-9]+/gu) ?? []
  const name = words.slice(0, 5).join("-").slice(0, 40).replace(/-+$/u, "")
  return name === "" ? "task" : name
}

interface Tree {
  readonly folder: string
  /** Without one, no branch is checked out. */
  readonly branch?: string
}

interface Trees {
  readonly here: Repository.Repository
  readonly main: Tree
  readonly others: ReadonlyArray<Tree>
}

const treesOf = (text: string): ReadonlyArray<Tree> =>
  text.split("\n\n").flatMap((block) => {
    const folder = /^worktree (.*)$/mu.exec(block)?.[1]
    const branch = /^branch refs\/heads\/(.*)$/mu.exec(block)?.[1]
    return folder === undefined ? [] : [{ folder: path.resolve(folder), ...(branch === undefined ? {} : { branch }) }]
  })

/** The folders of the repository that a folder lies in; the first is the main one. */
const trees = (workspace: string) =>
  Effect.gen(function* () {
    const here = yield* Repository.open(workspace)
    const text = yield* Effect.mapError(here.ask(["worktree", "list", "--porcelain"]), (error) =>
      error._tag === "GitFailed" ? WorktreeError.noRepository(workspace) : error
    )
    const [main, ...others] = treesOf(text)
    return main === undefined ? yield* WorktreeError.noRepository(workspace) : ({ here, main, others } satisfies Trees)
  })

const known = ({ others }: Trees): ReadonlyArray<Worktree> =>
  others.flatMap(({ branch = "", folder }) =>
    branch.startsWith(prefix) ? [{ name: branch.slice(prefix.length), branch, folder }] : []
  )

/** Lists the worktrees of the repository that a folder lies in. */
export const list = (workspace: string): Effect.Effect<ReadonlyArray<Worktree>, Fails> =>
  Effect.map(trees(workspace), known)

const lines = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line !== "")

/** Of a short status: the names of what is changed. */
const changedIn = (repository: Repository.Repository, untracked: "all" | "no") =>
  Effect.map(repository.ask(["status", "--porcelain", `--untracked-files=${untracked}`]), (text) =>
    lines(text).map((line) => line.slice(3))
  )

const count = (repository: Repository.Repository, range: string) =>
  Effect.map(repository.ask(["rev-list", "--count", range]), (text) => Number(text.trim()))

/** What stands in a worktree whose folder is gone is in its branch alone. */
const changedOf = ({ folder }: Worktree) =>
  fs.existsSync(folder)
    ? Effect.flatMap(Repository.open(folder), (own) => changedIn(own, "all"))
    : Effect.succeed<ReadonlyArray<string>>([])

/** Counts the commits of a work tree that the main folder does not have, and its changed files. */
export const state = (worktree: Worktree): Effect.Effect<State, Fails> =>
  Effect.gen(function* () {
    const { main } = yield* trees(fs.existsSync(worktree.folder) ? worktree.folder : path.dirname(worktree.folder))
    const repository = yield* Repository.open(main.folder)
    return {
      ahead: yield* count(repository, `HEAD..${worktree.branch}`),
      changed: (yield* changedOf(worktree)).length
    }
  })

/** Reports the work tree that a task gets. */
export interface Added extends Worktree {
  /** The part of the folder that the workspace is of the repository. */
  readonly workspace: string
  readonly isNew: boolean
  /** Files that are changed or new where it was made from, and not committed: a new one does not have them. */
  readonly leftOut: number
}

/** The worktree of this name, made from what is committed where it is not there yet. */
export const add = (workspace: string, name: string): Effect.Effect<Added, Fails> =>
  Effect.gen(function* () {
    if (!isName(name)) return yield* WorktreeError.badName(name)
    const found = yield* trees(workspace)
    const { here, main } = found
    const inside = (yield* here.ask(["rev-parse", "--show-prefix"])).trim()
    const part = (folder: string): string => {
      const at = path.join(folder, inside)
      return fs.existsSync(at) ? at : folder
    }
    const there = known(found).find((one) => one.name === name)
    if (there !== undefined) return { ...there, workspace: part(there.folder), isNew: false, leftOut: 0 }
    yield* Effect.mapError(here.ask(["rev-parse", "--verify", "HEAD^{commit}"]), (error) =>
      error._tag === "GitFailed" ? WorktreeError.noCommit(main.folder) : error
    )
    const branch = `${prefix}${name}`
    const folder = path.join(`${main.folder}.worktrees`, name)
    const isKept = yield* Effect.isSuccess(here.ask(["rev-parse", "--verify", `refs/heads/${branch}`]))
    const from = isKept ? [folder, branch] : ["-b", branch, folder, "HEAD"]
    yield* here.change(["worktree", "add", "--quiet", ...from])
    const leftOut = (yield* changedIn(here, "all")).length
    return { name, branch, folder, workspace: part(folder), isNew: true, leftOut }
  })

/** A name like this one that no worktree and no branch has. */
export const free = (workspace: string, name: string): Effect.Effect<string, Fails> =>
  Effect.gen(function* () {
    const { here } = yield* trees(workspace)
    const text = yield* here.ask(["for-each-ref", "--format=%(refname)", `refs/heads/${prefix}`])
    const taken = new Set(lines(text).map((ref) => ref.slice(`refs/heads/${prefix}`.length)))
    for (let n = 1; ; n++) {
      const candidate = n === 1 ? name : `${name}-${n}`
      if (!taken.has(candidate)) return candidate
    }
  })

const named = (found: Trees, name: string) => {
  const worktree = known(found).find((one) => one.name === name)
  return worktree === undefined ? Effect.fail(WorktreeError.unknown(name)) : Effect.succeed(worktree)
}

/** Reports what a merge brought. */
export interface Merged {
  /** The branch of the main folder, or its commit. */
  readonly into: string
  /** Commits that came. */
  readonly commits: number
  /** Files that were committed for it first. */
  readonly committed: number
}

/** Files that both sides have changed. */
const both = (repository: Repository.Repository, branch: string) =>
  Effect.gen(function* () {
    const base = (yield* repository.ask(["merge-base", "HEAD", branch])).trim()
    const names = (to: string) => Effect.map(repository.ask(["diff", "--name-only", "--no-ext-diff", base, to]), lines)
    const ours = new Set(yield* names("HEAD"))
    return (yield* names(branch)).filter((name) => ours.has(name))
  }).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))

/** What is changed there is committed on its branch: `message` says what it is. */
const commitAll = (worktree: Worktree, message: string) =>
  Effect.gen(function* () {
    const changed = yield* changedOf(worktree)
    if (changed.length === 0) return 0
    const own = yield* Repository.open(worktree.folder)
    yield* own.change(["add", "--all"])
    yield* own.change(["commit", "--quiet", "--no-verify", `--message=${message}`])
    return changed.length
  })

/** Merges a worktree into what the main folder has checked out; what it says of a merge that cannot be is all that it does there. */
export const merge = (workspace: string, name: string, message: string): Effect.Effect<Merged, Fails> =>
  Effect.gen(function* () {
    const found = yield* trees(workspace)
    const worktree = yield* named(found, name)
    const { folder } = found.main
    const repository = yield* Repository.open(folder)
    const dirty = yield* changedIn(repository, "no")
    if (dirty.length > 0) return yield* WorktreeError.dirty(folder, dirty)
    const into = found.main.branch ?? (yield* repository.ask(["rev-parse", "--short", "HEAD"])).trim()
    const committed = yield* commitAll(worktree, message)
    const commits = yield* count(repository, `HEAD..${worktree.branch}`)
    if (commits === 0) return { into, commits, committed }
    const conflict = Effect.flatMap(both(repository, worktree.branch), (names) =>
      Effect.fail(WorktreeError.conflicts({ name, folder: worktree.folder, into, names }))
    )
    // An older git cannot say it before; then the merge is tried, and taken back.
    const tried = Effect.asVoid(repository.ask(["merge-tree", "--write-tree", "HEAD", worktree.branch]))
    yield* Effect.catchIf(
      tried,
      (error) => error._tag === "GitFailed",
      (error) => (error.code === 1 ? conflict : Effect.void)
    )
    const merging = repository.change(["merge", "--quiet", "--no-edit", "--no-verify", worktree.branch])
    yield* Effect.catchTag(merging, "GitFailed", (error) =>
      Effect.gen(function* () {
        if (error.stderr.includes("untracked working tree files")) return yield* WorktreeError.overwrites(name)
        yield* Effect.ignore(repository.change(["merge", "--abort"]))
        return yield* error.code === 1 ? conflict : error
      })
    )
    return { into, commits, committed }
  })

/** Removes a worktree with its branch. Errors: one line for work that is not merged, unless it is to be lost. */
export const remove = (workspace: string, name: string, isForced: boolean): Effect.Effect<Worktree, Fails> =>
  Effect.gen(function* () {
    const found = yield* trees(workspace)
    const worktree = yield* named(found, name)
    const repository = yield* Repository.open(found.main.folder)
    const ahead = yield* count(repository, `HEAD..${worktree.branch}`)
    const changed = (yield* changedOf(worktree)).length
    if (!isForced && ahead + changed > 0) return yield* WorktreeError.unmerged(name, ahead, changed)
    yield* fs.existsSync(worktree.folder)
      ? repository.change(["worktree", "remove", "--force", worktree.folder])
      : repository.change(["worktree", "prune"])
    yield* repository.change(["branch", "--quiet", "-D", worktree.branch])
    // The folder of all of them, after the last one.
    yield* Effect.ignore(Effect.try(() => fs.rmdirSync(path.dirname(worktree.folder))))
    return worktree
  })
