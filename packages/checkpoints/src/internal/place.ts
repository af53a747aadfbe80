/**
 * The folder that is recorded, and what git would ignore in it.
 *
 * The user's repository is only asked: where it begins (so that `.gitignore` files above the workspace count), where its
 * exclude file and its index are, and which excludes file the user has for all repositories.
 */
import { Folder, Machine } from "@belay/machine"
import { Git } from "@belay/git-runner"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { CheckpointError } from "../CheckpointError.ts"
import * as BytePath from "./bytePath.ts"
import type { GitVersion } from "./gitVersion.ts"

export interface Place {
  /** Absolute and resolved. */
  readonly workspace: string
  /** The top of the work tree that holds it; the workspace itself outside of any repository. */
  readonly top: string
  /** From the top to the workspace: empty, or with a "/" at its end. */
  readonly prefix: BytePath.BytePath
  /** The patterns that git reads beside `.gitignore`: of this repository, and the file of all repositories. */
  readonly excludes: Buffer
  readonly excludesFile: string
  /** The user's index, to know files that are tracked although ignored. */
  readonly userIndex: string | undefined
  /** "a" and "A" are one file. */
  readonly foldsCase: boolean
}

export interface Surroundings {
  readonly program: string
  readonly version: GitVersion
  readonly environment: NodeJS.ProcessEnv
  /** What git runs with in our stores, and where the user's configuration is asked about. */
  readonly own: Readonly<Record<string, string>>
  readonly users: Readonly<Record<string, string>>
  readonly home: string
  /** Absolute; nothing below it is recorded or restored. */
  readonly dataFolder: string
}

/** The real path of the longest part that exists, so that links above it do not hide where it is. */
export const resolved = (folder: string): string => {
  try {
    return fs.realpathSync.native(folder)
  } catch {
    const parent = path.dirname(folder)
    return parent === folder ? folder : path.join(resolved(parent), path.basename(folder))
  }
}

/** The workspace, resolved, unless it is a folder that is never recorded. */
export const accept = (folder: string, home: string, dataFolder: string): Effect.Effect<string, CheckpointError> =>
  Effect.suspend(() => {
    const refuse = (reason: CheckpointError["reason"]) => Effect.fail(new CheckpointError({ reason, subject: folder }))
    const workspace = resolved(path.resolve(folder))
    if (!path.isAbsolute(folder) || !isFolder(workspace)) return refuse("noFolder")
    const real = resolved(home)
    if (path.relative(workspace, real) === "") return refuse("homeFolder")
    if (path.dirname(workspace) === workspace || Folder.contains(workspace, real)) return refuse("rootFolder")
    return Folder.contains(resolved(dataFolder), workspace) ? refuse("dataFolder") : Effect.succeed(workspace)
  })

const isFolder = (folder: string): boolean => fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true

/** Whether a name in the other case is the same folder; a name without letters says what the system does by default. */
const foldsCase = (folder: string): boolean => {
  const name = path.basename(folder)
  const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase()
  if (other === name) return process.platform === "win32" || process.platform === "darwin"
  const there = fs.statSync(path.join(path.dirname(folder), other), { throwIfNoEntry: false })
  return there !== undefined && there.ino === fs.statSync(folder).ino
}

const readOrEmpty = (file: string): Buffer => {
  try {
    return fs.readFileSync(file)
  } catch {
    return Buffer.alloc(0)
  }
}

const neutral = Git.settings(Git.neutral)

/** One line for each answer, or undefined where there is no repository, or none that git trusts. */
const ask = (around: Surroundings, cwd: string, args: ReadonlyArray<string>) => {
  // check-ignore knows no literal paths.
  const env = { ...around.users, GIT_LITERAL_PATHSPECS: "0" }
  return Git.run(around.program, { args: [...neutral, ...args], cwd, env }).pipe(
    Effect.map(({ stdout }) => stdout.toString("utf8").replace(/\n$/, "").split("\n")),
    Effect.orElseSucceed(() => undefined)
  )
}

interface Repository {
  readonly top: string
  readonly prefix: string
  readonly exclude: string
  readonly index: string
}

/** git begins its search for a repository here or above. */
const mayHold = (folder: string): boolean =>
  fs.existsSync(path.join(folder, ".git")) || (path.dirname(folder) !== folder && mayHold(path.dirname(folder)))

const repositoryOf = Effect.fnUntraced(function* (around: Surroundings, workspace: string) {
  if (!mayHold(workspace)) return undefined
  const answers = yield* ask(around, workspace, [
    "rev-parse",
    "--path-format=absolute",
    "--show-toplevel",
    "--git-path",
    "info/exclude",
    "--git-path",
    "index",
    "--show-prefix"
  ])
  if (answers?.length !== 4) return undefined
  const [top = "", exclude = "", index = "", prefix = ""] = answers
  const repository: Repository = { top: path.normalize(top), prefix, exclude, index }
  if (path.relative(path.join(repository.top, prefix), workspace) !== "") return undefined
  if (prefix === "") return repository
  // A repository above that ignores the whole workspace (settings kept in the home folder, say) has no say in it.
  const ignored = yield* ask(around, repository.top, ["check-ignore", "--quiet", "--", `./${prefix.slice(0, -1)}`])
  return ignored === undefined ? repository : undefined
})

const excludesFileOf = Effect.fnUntraced(function* (around: Surroundings, workspace: string) {
  const [file] = (yield* ask(around, workspace, ["config", "--type=path", "--get", "core.excludesFile"])) ?? []
  if (file !== undefined && file !== "") return path.resolve(workspace, file)
  const folder = around.environment["XDG_CONFIG_HOME"] || path.join(around.home, ".config")
  return path.join(folder, "git", "ignore")
})

/** Names of files that a restore writes before it moves them into place. */
export const temporaryName = ".belay-restore-"

export const find = Effect.fnUntraced(function* (around: Surroundings, workspace: string) {
  const [repository, excludesFile] = yield* Effect.all(
    [repositoryOf(around, workspace), excludesFileOf(around, workspace)],
    { concurrency: "unbounded" }
  )
  const own = Buffer.from(`\n${temporaryName}*\n`)
  const place: Place = {
    workspace,
    top: repository?.top ?? workspace,
    prefix: BytePath.fromShown(repository?.prefix ?? ""),
    excludes: Buffer.concat([repository === undefined ? Buffer.alloc(0) : readOrEmpty(repository.exclude), own]),
    excludesFile,
    userIndex: repository !== undefined && fs.existsSync(repository.index) ? repository.index : undefined,
    foldsCase: foldsCase(workspace)
  }
  return place
})

/** On Windows HOME is the one of a shell that writes paths in its own way. */
export const homeOf = (environment: NodeJS.ProcessEnv): string =>
  environment[process.platform === "win32" ? "USERPROFILE" : "HOME"] || Machine.home()
