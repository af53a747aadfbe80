/**
 * Which files of a workspace differ from an index of ours, and which of them can be recorded.
 *
 * Nothing below a `.git` is looked at. Nested repositories, which git takes for one thing, are listed file by file with
 * their own ignore rules.
 */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import type { LeftOutReason } from "../Checkpoint.ts"
import * as BytePath from "./bytePath.ts"
import type { Place } from "./place.ts"
import type { Store } from "./store.ts"

/** All paths are relative to the top of the work tree. */
export interface Scanned {
  /** Recorded in the index and not there any more. */
  readonly gone: ReadonlyArray<BytePath.BytePath>
  /** To be read, with what tells whether they change meanwhile. */
  readonly read: ReadonlyMap<BytePath.BytePath, string>
  readonly leftOut: ReadonlyMap<BytePath.BytePath, LeftOutReason>
}

export interface Limits {
  /** Bytes. */
  readonly maxFileBytes: number
  /** Absolute and resolved; nothing below it is recorded. */
  readonly dataFolder: string
}

const within = (place: Place): ReadonlyArray<string> =>
  place.prefix === "" ? [] : ["--", BytePath.shown(place.prefix.slice(0, -1))]

/** Files whose facts differ from the index's, gone ones and those behind a new symbolic link included. */
const suspects = (store: Store, place: Place) =>
  fs.existsSync(path.join(store.work, "index"))
    ? Effect.map(
        store.git({ args: ["diff-files", "-z", "--name-only", "--ignore-submodules=all", ...within(place)] }),
        ({ stdout }) => BytePath.split(stdout)
      )
    : Effect.succeed([])

const others = (store: Store, place: Place) =>
  Effect.map(store.git({ args: ["ls-files", "-z", "--others", "--exclude-standard", ...within(place)] }), (output) =>
    BytePath.split(output.stdout)
  )

/** Files that the user's repository tracks although a rule ignores them; none where its index cannot be read alone. */
const forced = (store: Store, place: Place): Effect.Effect<ReadonlyArray<BytePath.BytePath>> => {
  if (place.userIndex === undefined) return Effect.succeed([])
  const args = ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard", ...within(place)]
  return store.git({ args, index: place.userIndex }).pipe(
    Effect.map(({ stdout }) => BytePath.split(stdout)),
    Effect.orElseSucceed(() => [])
  )
}

/** The files of a repository inside, and of those inside it. `folder` ends with "/". */
const nested = (
  store: Store,
  place: Place,
  folder: BytePath.BytePath
): Effect.Effect<ReadonlyArray<BytePath.BytePath>> => {
  const cwd = path.join(place.top, BytePath.shown(folder))
  return store
    .git({
      args: ["ls-files", "-z", "--others", "--exclude-standard"],
      cwd,
      env: { GIT_WORK_TREE: cwd },
      index: path.join(store.work, "none")
    })
    .pipe(
      Effect.map(({ stdout }) => BytePath.split(stdout).map((file) => folder + file)),
      Effect.flatMap((files) => expand(store, place, files)),
      // It went away, or its name is no text: it is listed as left out.
      Effect.orElseSucceed(() => [folder.slice(0, -1)])
    )
}

const expand = (store: Store, place: Place, files: ReadonlyArray<BytePath.BytePath>) =>
  Effect.map(
    Effect.forEach(files, (file) => (file.endsWith("/") ? nested(store, place, file) : Effect.succeed([file]))),
    (lists) => lists.flat()
  )

/** Changes whenever the file does. */
export const stampOf = (stats: fs.BigIntStats): string =>
  [stats.ino, stats.mode, stats.size, stats.mtimeNs, stats.ctimeNs].join(" ")

export const look = (place: Place, file: BytePath.BytePath): fs.BigIntStats | undefined => {
  try {
    return fs.lstatSync(BytePath.inFolder(place.top, file), { bigint: true, throwIfNoEntry: false })
  } catch {
    // A part of the path is a file by now, or may not be entered.
    return undefined
  }
}

const isReadable = (place: Place, file: BytePath.BytePath): boolean => {
  try {
    fs.accessSync(BytePath.inFolder(place.top, file), fs.constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** Why the file cannot be recorded, or its stamp. */
const judge = (
  place: Place,
  limits: Limits,
  file: BytePath.BytePath,
  stats: fs.BigIntStats
): { readonly reason: LeftOutReason } | { readonly stamp: string } => {
  if (stats.isSymbolicLink()) return { stamp: stampOf(stats) }
  if (!stats.isFile()) return { reason: "noFile" }
  if (stats.size > limits.maxFileBytes) return { reason: "tooLarge" }
  return isReadable(place, file) ? { stamp: stampOf(stats) } : { reason: "unreadable" }
}

/** True when a folder of the path is a symbolic link by now: what lies behind it is not the workspace's. */
const isBehindLink = (place: Place, known: Map<BytePath.BytePath, boolean>, folder: BytePath.BytePath): boolean => {
  if (folder === "") return false
  const cached = known.get(folder)
  if (cached !== undefined) return cached
  const behind = isBehindLink(place, known, BytePath.parentOf(folder)) || look(place, folder)?.isDirectory() !== true
  known.set(folder, behind)
  return behind
}

const ownFolder = (place: Place, limits: Limits): BytePath.BytePath | undefined => {
  const relative = path.relative(place.top, limits.dataFolder).replaceAll(path.sep, "/")
  return relative.startsWith("../") || path.isAbsolute(relative) ? undefined : BytePath.fromShown(`${relative}/`)
}

export const scan = Effect.fnUntraced(function* (store: Store, place: Place, limits: Limits) {
  const [changed, found, tracked] = yield* Effect.all(
    [suspects(store, place), others(store, place), forced(store, place)],
    { concurrency: "unbounded" }
  )
  const added = yield* expand(store, place, found)
  const own = ownFolder(place, limits)
  const gone: Array<BytePath.BytePath> = []
  const read = new Map<BytePath.BytePath, string>()
  const leftOut = new Map<BytePath.BytePath, LeftOutReason>()
  const folders = new Map<BytePath.BytePath, boolean>()
  const indexed = new Set(changed)
  for (const file of new Set([...changed, ...added, ...tracked])) {
    if (own !== undefined && `${file}/`.startsWith(own)) continue
    const stats = isBehindLink(place, folders, BytePath.parentOf(file)) ? undefined : look(place, file)
    const judged = stats === undefined ? undefined : judge(place, limits, file, stats)
    if (judged !== undefined && "stamp" in judged) read.set(file, judged.stamp)
    else if (indexed.has(file)) gone.push(file)
    if (judged !== undefined && "reason" in judged && stats?.isDirectory() !== true) leftOut.set(file, judged.reason)
  }
  const scanned: Scanned = { gone, read, leftOut }
  return { ...scanned, tracked }
})
