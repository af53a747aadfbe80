/**
 * Replaces, creates and removes regular files at a resolved path.
 *
 * Guarantees: no symlink is followed, in no component; a write, of one file or of several, is all or nothing, keeps mode
 * and owner, and happens only if each file still holds the expected bytes. What could not be put back keeps its old content
 * beside it, and the error names that file. What another program holds for a moment, as on Windows, is waited for. What
 * fails is a `SafeFileError` whose message is one line for the model.
 */
import type { PathFact } from "@belay/approval-policy"
import { Folder, Machine, ReplaceFile } from "@belay/machine"
import * as Effect from "effect/Effect"
import * as crypto from "node:crypto"
import * as OwnWrites from "./OwnWrites.ts"
import { assertStraight, hash, type OpenFile, openSync } from "./SafeFile.ts"
import { attempt, Refused, SafeFileError } from "./SafeFileError.ts"

/**
 * Creates the missing folders one by one; each must be a folder, and no symlink, when the next is made in it. Gives those
 * that it made, from the top.
 */
const makeFolders = (folder: string, machine: Machine.Machine): ReadonlyArray<string> => {
  const { fs, path } = machine
  let existing = Folder.existing(folder, machine)
  if (existing === undefined) throw new Refused("missing", `there is no ${path.parse(folder).root}`)
  const missing = path
    .relative(existing, folder)
    .split(path.sep)
    .filter((name) => name !== "")
  assertStraight(existing, machine)
  const made: Array<string> = []
  for (const name of missing) {
    existing = path.join(existing, name)
    fs.mkdirSync(existing)
    made.push(existing)
    assertStraight(existing, machine)
  }
  if (!fs.lstatSync(folder).isDirectory()) throw new Refused("notFolder")
  return made
}

const writeTemporary = (
  file: string,
  bytes: Uint8Array,
  original: OpenFile | undefined,
  mode: number,
  machine: Machine.Machine
): void => {
  const { fs } = machine
  const fd = fs.openSync(file, "wx", original?.mode ?? mode)
  try {
    let written = 0
    while (written < bytes.length) written += fs.writeSync(fd, bytes, written)
    if (original !== undefined && !Machine.isWindows(machine)) {
      const own = fs.fstatSync(fd)
      if (own.uid !== original.uid || own.gid !== original.gid) {
        try {
          fs.fchownSync(fd, original.uid, original.gid)
        } catch {
          // Only the superuser may give a file away; the content matters more than its owner.
        }
      }
      fs.fchmodSync(fd, original.mode)
    }
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

const syncFolder = (folder: string, machine: Machine.Machine): void => {
  if (Machine.isWindows(machine)) return
  const { fs } = machine
  const fd = fs.openSync(folder, fs.constants.O_RDONLY)
  try {
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** Puts a file in the place of another. */
const replace = (from: string, to: string, machine: Machine.Machine): void => {
  try {
    ReplaceFile.rename(from, to, machine)
  } catch (cause) {
    throw ReplaceFile.isHeld(cause, machine) ? new Refused("held") : cause
  }
}

/** Puts the temporary file in place of nothing; a file that appeared meanwhile is kept. */
const placeNew = (temporary: string, target: string, machine: Machine.Machine): void => {
  const { fs } = machine
  try {
    fs.linkSync(temporary, target)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") throw cause
    // No hard links on this file system.
    if (fs.lstatSync(target, { throwIfNoEntry: false }) !== undefined) throw new Refused("changed")
    replace(temporary, target, machine)
  }
}

/** States what the write replaces. */
export interface WriteOptions {
  /** The `hash` of the bytes that are to be replaced, or `"absent"` for a new file. */
  readonly expectedHash: string
  /** Runs between the write of the temporary file and the last checks. For tests of races. */
  readonly beforeCommit?: () => void
}

/** One of several files that change together. */
export interface Change extends WriteOptions {
  readonly fact: PathFact.PathFact
  /** `undefined` removes the file. */
  readonly bytes: Uint8Array | undefined
  /** Of a new file that takes the place of another: permission bits. */
  readonly mode?: number
}

const openExpected = (
  fact: PathFact.PathFact,
  expectedHash: string,
  machine: Machine.Machine
): OpenFile | undefined => {
  const { fs } = machine
  const stats = fs.lstatSync(fact.resolved, { throwIfNoEntry: false })
  if (expectedHash === "absent") {
    if (stats?.isDirectory() === true) throw new Refused("folder")
    if (stats !== undefined) throw new Refused("changed")
    return undefined
  }
  if (stats === undefined) throw new Refused("changed")
  const file = openSync(fact, machine)
  try {
    if (hash(fs.readFileSync(file.fd)) !== expectedHash) throw new Refused("changed")
    return file
  } finally {
    fs.closeSync(file.fd)
  }
}

/** A change that is written beside its file, and takes its place in one step. */
interface Staged {
  readonly commit: () => void
  /** Puts back what `commit` has replaced. */
  readonly undo: () => void
  /** The file beside it with the old content, when that could not be put back. */
  readonly kept: () => string | undefined
  /** Removes what stands beside the file; whatever was made for a change that did not happen. */
  readonly clear: () => void
}

/** A second name of the file, from which it can be put back. */
const keepBeside = (file: string, backup: string, { fs }: Machine.Machine): void => {
  try {
    fs.linkSync(file, backup)
  } catch {
    // No hard links on this file system.
    fs.copyFileSync(file, backup, fs.constants.COPYFILE_EXCL)
  }
}

const stage = (change: Change, several: boolean, machine: Machine.Machine): Staged => {
  const { beforeCommit, bytes, expectedHash, fact, mode = 0o644 } = change
  const { fs, path } = machine
  if (fact.failure !== undefined) throw new Refused("unresolved", fact.failure)
  const { resolved } = fact
  const folder = path.dirname(resolved)
  const original = openExpected(fact, expectedHash, machine)
  const made = original === undefined ? makeFolders(folder, machine) : []
  // A rename does not ask for the right to write the file that it replaces.
  if (original !== undefined) fs.accessSync(resolved, fs.constants.W_OK)
  assertStraight(folder, machine)
  const beside = path.join(folder, `.belay-${crypto.randomUUID()}`)
  const [temporary, backup] = [`${beside}.tmp`, `${beside}.old`]
  let done = false
  let isStuck = false
  const clear = () => {
    for (const file of isStuck ? [temporary] : [temporary, backup]) ReplaceFile.remove(file, machine)
    if (done) return
    try {
      for (const name of made.toReversed()) fs.rmdirSync(name)
    } catch {
      // Somebody else uses it by now.
    }
  }
  try {
    if (bytes !== undefined) writeTemporary(temporary, bytes, original, mode, machine)
  } catch (cause) {
    clear()
    throw cause
  }
  return {
    commit: () => {
      beforeCommit?.()
      assertStraight(folder, machine)
      openExpected(fact, expectedHash, machine)
      if (original !== undefined && several) keepBeside(resolved, backup, machine)
      if (bytes === undefined) ReplaceFile.patiently(() => fs.unlinkSync(resolved), machine)
      else if (original === undefined) placeNew(temporary, resolved, machine)
      else replace(temporary, resolved, machine)
      done = true
      syncFolder(folder, machine)
    },
    undo: () => {
      if (!done) return
      isStuck = original !== undefined
      if (original === undefined) ReplaceFile.patiently(() => fs.unlinkSync(resolved), machine)
      else replace(backup, resolved, machine)
      isStuck = false
      done = false
    },
    kept: () => (isStuck ? path.basename(backup) : undefined),
    clear
  }
}

const attemptAll = (changes: ReadonlyArray<Change>) =>
  Effect.gen(function* () {
    const machine = yield* Machine.Current
    const staged: Array<Staged> = []
    const undone = Effect.gen(function* () {
      const stuck: Array<string> = []
      for (const [index, { fact }] of [...changes.entries()].toReversed()) {
        const undo = attempt(fact, () => staged[index]?.undo())
        yield* Effect.catchTag(undo, "SafeFileError", () =>
          Effect.sync(() => {
            const kept = staged[index]?.kept()
            stuck.push(kept === undefined ? fact.given : `${fact.given} (its old content is beside it in ${kept})`)
          })
        )
      }
      return stuck
    })
    const all = Effect.gen(function* () {
      for (const change of changes) {
        staged.push(yield* attempt(change.fact, () => stage(change, changes.length > 1, machine)))
        if (change.bytes !== undefined) OwnWrites.note(change.fact.resolved, change.bytes)
      }
      for (const [index, { fact }] of changes.entries()) yield* attempt(fact, () => staged[index]?.commit())
    })
    yield* all.pipe(
      Effect.catchTag("SafeFileError", (error) =>
        Effect.flatMap(undone, (stuck) =>
          stuck.length === 0
            ? error
            : new SafeFileError({
                path: error.path,
                reason: error.reason,
                detail: `these were changed before and could not be put back: ${stuck.join(", ")}`
              })
        )
      ),
      Effect.ensuring(
        Effect.forEach(changes, ({ fact }, index) => Effect.ignore(attempt(fact, () => staged[index]?.clear())), {
          discard: true
        })
      )
    )
  })

/** Changes all files, or none; each is seen as it was or as it becomes. See the module's guarantees. */
export const writeAll = (changes: ReadonlyArray<Change>): Effect.Effect<void, SafeFileError> =>
  Effect.uninterruptible(attemptAll(changes))

/** Replaces the file, or creates it with the folders that are missing. */
export const write = (
  fact: PathFact.PathFact,
  bytes: Uint8Array,
  options: WriteOptions
): Effect.Effect<void, SafeFileError> => writeAll([{ fact, bytes, ...options }])
