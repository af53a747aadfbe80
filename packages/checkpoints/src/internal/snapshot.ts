/**
 * What the workspace holds now, as a tree of the store.
 *
 * Works on an index of its own that begins as a copy of the last one, so that only files whose facts changed are read,
 * and becomes the last one when it is whole. An index that turns out to be unusable is left behind, and all is read anew.
 */
import { ReplaceFile } from "@belay/machine"
import type { GitFailed } from "@belay/git-runner"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import type { LeftOutReason } from "../Checkpoint.ts"
import * as BytePath from "./bytePath.ts"
import type { Place } from "./place.ts"
import * as Scan from "./scan.ts"
import { attempt, type Store } from "./store.ts"

export interface Snapshot {
  readonly tree: string
  /** Relative to the workspace. */
  readonly leftOut: ReadonlyMap<BytePath.BytePath, LeftOutReason>
}

type Changing = Map<BytePath.BytePath, LeftOutReason>

const unstaged = "0".repeat(40)
const mostRetries = 100
const mostLoose = 64
/** How often a file is read again because it changed while it was read. */
const mostReadings = 3

const indexOf = (store: Store): string => path.join(store.work, "index")
const lastOf = (store: Store): string => path.join(store.folder, "index")

/**
 * git compares the content of files that are not older than their index; so a copy must not look newer than it is.
 * https://git-scm.com/docs/racy-git
 */
const copy = (from: string, to: string): void => {
  fs.copyFileSync(from, to)
  const second = Math.floor(fs.statSync(from).mtimeMs / 1000)
  fs.utimesSync(to, second, second)
}

const seed = (store: Store): void => {
  if (fs.existsSync(lastOf(store))) copy(lastOf(store), indexOf(store))
}

/** The last index is a cache: where it cannot be replaced (it is open, on Windows) the older one does as well. */
const publish = (store: Store): void => {
  const next = path.join(store.work, "next")
  try {
    copy(indexOf(store), next)
    ReplaceFile.rename(next, lastOf(store))
  } catch {
    return
  }
}

const forget = (store: Store, files: ReadonlyArray<BytePath.BytePath>): Effect.Effect<void, GitFailed> => {
  if (files.length === 0) return Effect.void
  const stdin = BytePath.join(files.map((file) => `0 ${unstaged}\t${file}`))
  return Effect.asVoid(store.git({ args: ["update-index", "-z", "--index-info"], stdin }))
}

/** The file that git could not read, as it names it when it gives up. */
const stumbledOver = (failure: GitFailed): BytePath.BytePath | undefined =>
  /^fatal: Unable to process path ([^]*)\n$/m.exec(failure.stderr)?.[1]

/** Adds files to the index; one that cannot be read is left out, and the others are added without it. */
const add = Effect.fnUntraced(function* (store: Store, wanted: ReadonlyArray<BytePath.BytePath>, leftOut: Changing) {
  let files = wanted
  for (let retry = 0; files.length > 0; retry++) {
    // Contents above this size go into a pack; older versions of git would make one for each.
    const packed = store.packsMany && files.length > mostLoose ? ["-c", "core.bigFileThreshold=1"] : []
    const args = [...packed, "update-index", "--add", "--remove", "--replace", "-z", "--stdin"]
    const result = yield* Effect.result(store.git({ args, stdin: BytePath.join(files) }))
    if (result._tag === "Success") {
      for (const [, file = ""] of result.success.stderr.matchAll(/^Ignoring path (.*)$/gm)) leftOut.set(file, "name")
      return
    }
    const file = stumbledOver(result.failure)
    if (file === undefined || !files.includes(file) || retry === mostRetries) return yield* result.failure
    leftOut.set(file, "unreadable")
    files = files.filter((other) => other !== file)
  }
})

/** The files of `read` that are not as they were when they were looked at, with what they are now. */
const moved = (place: Place, read: ReadonlyMap<BytePath.BytePath, string>): Map<BytePath.BytePath, string> => {
  const found = new Map<BytePath.BytePath, string>()
  for (const [file, stamp] of read) {
    const stats = Scan.look(place, file)
    const now = stats === undefined ? "" : Scan.stampOf(stats)
    if (now !== stamp) found.set(file, now)
  }
  return found
}

/** Reads what changed into the index. A file that changes each time it is read is left out: half of it is no state. */
const readAll = Effect.fnUntraced(function* (store: Store, place: Place, scanned: Scan.Scanned, leftOut: Changing) {
  let pending = scanned.read
  for (let reading = 0; pending.size > 0; reading++) {
    if (reading === mostReadings) {
      for (const file of pending.keys()) leftOut.set(file, "changing")
      return yield* forget(store, [...pending.keys()])
    }
    const refused: Changing = new Map()
    yield* add(store, [...pending.keys()], refused)
    for (const [file, reason] of refused) leftOut.set(file, reason)
    yield* forget(store, [...refused.keys()])
    pending = new Map([...moved(place, pending)].filter(([file]) => !refused.has(file)))
  }
})

/** Takes out what new rules ignore, unless the user's repository tracks it. */
const applyRules = Effect.fnUntraced(function* (store: Store, tracked: ReadonlyArray<BytePath.BytePath>) {
  const { stdout } = yield* store.git({ args: ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"] })
  const kept = new Set(tracked)
  yield* forget(
    store,
    BytePath.split(stdout).filter((file) => !kept.has(file))
  )
})

const isRule = (file: BytePath.BytePath): boolean => file === ".gitignore" || file.endsWith("/.gitignore")

/** The last tree that was written, by the place and the checksum at the end of the index; by the folder of the store. */
const written = new Map<string, readonly [of: string, tree: string]>()

/** https://git-scm.com/docs/index-format: the last 20 bytes; zeros where it has none. */
const checksumOf = (index: string): string => {
  const file = fs.openSync(index, "r")
  try {
    const bytes = Buffer.alloc(20)
    fs.readSync(file, bytes, 0, 20, Math.max(fs.fstatSync(file).size - 20, 0))
    return bytes.toString("hex")
  } finally {
    fs.closeSync(file)
  }
}

const stateOf = (store: Store, place: Place): string | undefined => {
  const checksum = fs.existsSync(indexOf(store)) ? checksumOf(indexOf(store)) : ""
  return /^0*$/.test(checksum) ? undefined : `${checksum} ${place.prefix}`
}

/** The tree of the index, written unless it was before and is one of `held`, which nobody throws away. */
const treeOf = Effect.fnUntraced(function* (store: Store, place: Place, held: ReadonlySet<string>) {
  const [of, tree] = written.get(store.folder) ?? []
  if (of !== undefined && tree !== undefined && held.has(tree) && of === stateOf(store, place)) return tree
  const made = yield* writeTree(store, place)
  const state = stateOf(store, place)
  if (state !== undefined) written.set(store.folder, [state, made])
  return made
})

const writeTree = Effect.fnUntraced(function* (store: Store, place: Place) {
  const prefix = place.prefix === "" ? [] : [`--prefix=${BytePath.shown(place.prefix)}`]
  const empty = store.git({ args: ["hash-object", "-t", "tree", "-w", "--stdin"], stdin: new Uint8Array() })
  const output = store.git({ args: ["write-tree", ...prefix] }).pipe(
    Effect.catchIf(
      (failure) => /prefix .* not found/.test(failure.stderr),
      () => empty
    )
  )
  return (yield* output).stdout.toString("latin1").trim()
})

const take = Effect.fnUntraced(function* (store: Store, place: Place, limits: Scan.Limits, held: ReadonlySet<string>) {
  const scanned = yield* Scan.scan(store, place, limits)
  const leftOut: Changing = new Map(scanned.leftOut)
  yield* forget(store, scanned.gone)
  yield* readAll(store, place, scanned, leftOut)
  if ([...scanned.gone, ...scanned.read.keys()].some(isRule)) yield* applyRules(store, scanned.tracked)
  const tree = yield* treeOf(store, place, held)
  if (scanned.gone.length > 0 || scanned.read.size > 0) publish(store)
  const within = [...leftOut].map(([file, reason]) => [file.slice(place.prefix.length), reason] as const)
  const snapshot: Snapshot = { tree, leftOut: new Map(within) }
  return snapshot
})

const none: ReadonlySet<string> = new Set()

/** Afterwards the index of this use holds exactly what was recorded. `held`: trees of references that stay meanwhile. */
export const record = (store: Store, place: Place, limits: Scan.Limits, held = none) =>
  attempt(() => seed(store)).pipe(
    Effect.andThen(take(store, place, limits, held)),
    Effect.catchTag("GitFailed", () =>
      attempt(() => {
        fs.rmSync(lastOf(store), { force: true })
        fs.rmSync(indexOf(store), { force: true })
        fs.rmSync(`${indexOf(store)}.lock`, { force: true })
      }).pipe(Effect.andThen(take(store, place, limits, none)))
    )
  )
