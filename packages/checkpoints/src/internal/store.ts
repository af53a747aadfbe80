/**
 * One store for each workspace: a bare git repository of our own in the data folder.
 *
 * Whoever uses it holds its lock, so no object goes away under them. What a killed process left behind (an index of its
 * own, a lock file of git's) is removed by the next one that finds itself alone.
 */
import { ReplaceFile } from "@belay/machine"
import { Git, GitFailed } from "@belay/git-runner"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { CheckpointError } from "../CheckpointError.ts"
import * as GitVersion from "./gitVersion.ts"
import type { Place, Surroundings } from "./place.ts"
import * as StoreLock from "./storeLock.ts"

export interface Store {
  readonly folder: string
  /** The path that begins the names of this use's own files. */
  readonly work: string
  /** `update-index` can write many contents into one pack, which is 8 times as fast as a file for each. */
  readonly packsMany: boolean
  /** Runs git in the store; `index` names an index file, the one of this use by default. */
  readonly git: (call: StoreCall) => Effect.Effect<Git.Output, GitFailed>
}

interface StoreCall extends Omit<Git.Call, "cwd" | "env"> {
  /** The top of the work tree by default. */
  readonly cwd?: string
  readonly index?: string
  readonly env?: Readonly<Record<string, string>>
}

export const foldersIn = (dataFolder: string): string => path.join(dataFolder, "checkpoints")

export const folderOf = (dataFolder: string, workspace: string): string =>
  path.join(foldersIn(dataFolder), crypto.createHash("sha256").update(workspace).digest("hex").slice(0, 32))

/** Every setting that could run a program, change bytes or depend on the user, as it has to be here. */
const configuration = (place: Place): ReadonlyArray<string> => {
  const settings = {
    "core.bare": false,
    "core.fsmonitor": false,
    "core.hooksPath": Git.nowhere(),
    "core.attributesFile": "/dev/null",
    "core.excludesFile": place.excludesFile,
    "core.autocrlf": false,
    "core.safecrlf": false,
    "core.fileMode": process.platform !== "win32",
    "core.symlinks": true,
    "core.ignoreCase": place.foldsCase,
    "core.precomposeUnicode": false,
    "core.longPaths": true,
    "core.splitIndex": false,
    "core.untrackedCache": false,
    // Objects are handed to the disk before a reference names them.
    "core.fsync": "loose-object,pack,pack-metadata,reference",
    "core.fsyncMethod": "writeout-only",
    "gc.auto": 0,
    "pack.threads": 1
  }
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
}

/** Of highest precedence among attributes: no filter, no conversion, no program that shows differences. */
const attributes = "* -text -eol -filter -ident -working-tree-encoding !diff !merge\n"

const failed = (cause: unknown) =>
  new CheckpointError({
    reason: "store",
    subject: cause instanceof GitFailed ? cause.detail : cause instanceof Error ? cause.message : String(cause),
    cause
  })

/** A failure of git, of the file system or of the lock, as the one that callers see. */
export const toError = (cause: unknown): CheckpointError => (cause instanceof CheckpointError ? cause : failed(cause))

export const attempt = <A>(step: () => A): Effect.Effect<A, CheckpointError> =>
  Effect.try({ try: step, catch: toError })

/** Made beside its place and moved there whole: two processes make one. */
const create = Effect.fnUntraced(function* (around: Surroundings, folder: string, workspace: string, unique: string) {
  const made = `${folder}.${unique}.new`
  yield* Git.run(around.program, {
    args: ["-c", "init.defaultBranch=none", "init", "--quiet", "--bare", "--template=", "--shared=0600", made],
    cwd: path.dirname(folder),
    env: around.own
  })
  yield* attempt(() => {
    for (const name of ["info", "work"]) fs.mkdirSync(path.join(made, name), { mode: 0o700 })
    fs.writeFileSync(path.join(made, "info", "attributes"), attributes, { mode: 0o600 })
    fs.writeFileSync(path.join(made, "workspace"), workspace, { mode: 0o600 })
    try {
      ReplaceFile.rename(made, folder)
    } catch (cause) {
      fs.rmSync(made, { recursive: true, force: true, maxRetries: 5 })
      if (!fs.existsSync(path.join(folder, "HEAD"))) throw cause
    }
  })
})

/** Replaces a small file of the store when its content is another one. */
const update = (file: string, content: Buffer, unique: string): void => {
  if (fs.existsSync(file) && fs.readFileSync(file).equals(content)) return
  fs.writeFileSync(`${file}.${unique}`, content, { mode: 0o600 })
  ReplaceFile.rename(`${file}.${unique}`, file)
}

const filesIn = (folder: string): ReadonlyArray<string> =>
  fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => path.join(folder, name)) : []

/** What every use of the store removes at its end: its own files, and a store that it began to make. */
const unfinished = (folder: string): ReadonlyArray<string> => [
  ...filesIn(path.join(folder, "work")),
  ...filesIn(path.dirname(folder)).filter((file) => file.startsWith(`${folder}.`) && file.endsWith(".new"))
]

/** Removes what only a process that was killed leaves behind. The caller is alone. */
export const sweep = (folder: string): void => {
  const remove = (file: string) => fs.rmSync(file, { recursive: true, force: true, maxRetries: 5 })
  const locks = (below: string): ReadonlyArray<string> =>
    filesIn(below).flatMap((file) => (fs.statSync(file).isDirectory() ? locks(file) : [file]))
  const all = [...locks(path.join(folder, "refs")), ...filesIn(folder)]
  for (const file of all) if (file.endsWith(".lock")) remove(file)
  for (const file of unfinished(folder)) remove(file)
}

const unique: Effect.Effect<string> = Effect.gen(function* () {
  const part = Effect.map(Random.nextIntBetween(0, 0xffffffff), (value) => value.toString(36))
  return `${process.pid}-${yield* part}${yield* part}`
})

/** A store as it is, without a lock. */
export const open = (around: Surroundings, place: Place, folder: string, work: string): Store => {
  const settings = configuration(place)
  return {
    folder,
    work,
    packsMany: GitVersion.isAtLeast(around.version, 2, 37),
    git: ({ args, cwd = place.top, env, index = path.join(work, "index"), ...call }) =>
      Git.run(around.program, {
        ...call,
        args: [...settings, ...args],
        cwd,
        env: {
          ...around.own,
          GIT_DIR: folder,
          GIT_WORK_TREE: place.top,
          GIT_INDEX_FILE: index,
          ...env
        }
      })
  }
}

/** The store of a place, made when there is none, for as long as the scope is open. */
export const use = Effect.fnUntraced(function* (around: Surroundings, place: Place) {
  const folder = folderOf(around.dataFolder, place.workspace)
  const lock = `${folder}.lock`
  const name = yield* unique
  yield* attempt(() => fs.mkdirSync(path.dirname(folder), { recursive: true, mode: 0o700 }))
  if (yield* attempt(() => unfinished(folder).length > 0)) {
    yield* Effect.scoped(
      Effect.gen(function* () {
        if (yield* StoreLock.alone(lock)) yield* attempt(() => sweep(folder))
      })
    )
  }
  yield* StoreLock.shared(lock)
  if (!(yield* attempt(() => fs.existsSync(path.join(folder, "HEAD"))))) {
    yield* create(around, folder, place.workspace, name)
  }
  const work = path.join(folder, "work", name)
  yield* Effect.acquireRelease(
    attempt(() => fs.mkdirSync(work, { mode: 0o700 })),
    () => Effect.ignore(attempt(() => fs.rmSync(work, { recursive: true, force: true, maxRetries: 5 })))
  )
  yield* attempt(() => update(path.join(folder, "info", "exclude"), place.excludes, name))
  return open(around, place, folder, work)
}, Effect.mapError(toError))
