/**
 * What confined commands that run now have to leave as they found it, kept so that it is seen to also when this process
 * is killed: by the next process that uses the same folder.
 *
 * Guarantees: an entry is whole on disk before its command starts, and is removed only when everything it names is in
 * order; `finish` may be cut off anywhere and called again, by several processes at once; it first ends what is left of
 * the command, and it leaves alone the entries of processes that live. What was written by our own tools stays, and so
 * does what came to be half a minute after the process had ended. A folder without a path keeps nothing for a later process.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as ControlGroup from "./ControlGroup.ts"
import * as OwnWrites from "../paths/OwnWrites.ts"
import * as PlainText from "../text/PlainText.ts"
import * as Placeholders from "./Placeholders.ts"
import * as ProcessMark from "../process/ProcessMark.ts"
import * as ProtectedTree from "./ProtectedTree.ts"
import * as ProcessReaper from "../process/ProcessReaper.ts"

const Header = Schema.fromJsonString(
  Schema.Struct({
    owner: ProcessMark.ProcessMark,
    workspace: Schema.String,
    before: Schema.Array(
      Schema.Struct({
        path: Schema.String,
        kind: Schema.Literals(["file", "folder", "link"]),
        target: Schema.String
      })
    ),
    placeholders: Schema.Array(Schema.String)
  })
)
type Header = typeof Header.Type

/** What is added while the command runs. */
const Note = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ own: Schema.Struct({ path: Schema.String, size: Schema.Int, hash: Schema.String }) }),
    Schema.Struct({ runs: ProcessMark.ProcessMark }),
    Schema.Struct({ groups: Schema.Array(Schema.String) })
  ])
)

const readHeader = Schema.decodeUnknownResult(Header)
const writeHeader = Schema.encodeSync(Header)
const readNote = Schema.decodeUnknownResult(Note)
const writeNote = Schema.encodeSync(Note)

export interface Entry {
  /** Unique; stands among the arguments of the box's program. */
  readonly id: string
  /** The box runs: its first process leads a group. */
  readonly runs: (pid: number) => void
  /** Its control groups are about to be made. */
  readonly limited: (groups: ReadonlyArray<string>) => void
  /** Everything is in order. */
  readonly end: () => void
}

interface Begun {
  readonly workspace: string
  readonly before: ProtectedTree.ProtectedTree
  readonly placeholders: ReadonlyArray<string>
}

export interface BoxJournal {
  /** Sees to what ended processes have left. A plain sentence where that is not possible. */
  readonly finish: () => string | undefined
  /** Placeholders of commands that run now, of any process, but not of the entry of this id. */
  readonly held: (but?: string) => ReadonlySet<string>
  /** Throws when it cannot be written. */
  readonly begin: (begun: Begun) => Entry
}

const ending = ".jsonl"

const names = (folder: string): ReadonlyArray<string> => {
  try {
    return fs.readdirSync(folder)
  } catch {
    return []
  }
}

interface Found {
  readonly header: Header
  readonly own: ReadonlyMap<string, OwnWrites.Written>
  readonly group: ProcessMark.ProcessMark | undefined
  readonly controlGroups: ReadonlyArray<string>
}

/** Nothing when it is gone or cannot be read; a last line that was cut off does not count. */
const read = (file: string): Found | undefined => {
  let lines: ReadonlyArray<string>
  try {
    lines = fs.readFileSync(file, "utf8").split("\n")
  } catch {
    return undefined
  }
  const header = readHeader(lines[0] ?? "")
  if (Result.isFailure(header)) return undefined
  const notes = lines.slice(1).flatMap((line) => {
    const note = readNote(line)
    return Result.isSuccess(note) ? [note.success] : []
  })
  const own = notes.flatMap((note) => ("own" in note ? [[note.own.path, note.own] as const] : []))
  const group = notes.flatMap((note) => ("runs" in note ? [note.runs] : [])).at(-1)
  const controlGroups = notes.flatMap((note) => ("groups" in note ? note.groups : []))
  return { header: header.success, own: new Map(own), group, controlGroups }
}

const signal = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It is gone.
  }
}

/** Processes among whose arguments the id stands. */
const withId = (id: string): ReadonlyArray<number> =>
  names("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        const isIn = fs.readFileSync(`/proc/${name}/cmdline`, "latin1").includes(id)
        return isIn && ProcessMark.of(Number(name)).start !== ""
      } catch {
        return false
      }
    })
    .map(Number)

const endMillis = 5000

/** A box ends with its Belay; this is for the moment until then. */
const endBox = (id: string, group: ProcessMark.ProcessMark | undefined): void => {
  if (group !== undefined && ProcessMark.isAlive(group)) signal(-group.pid)
  if (process.platform !== "linux") return
  const latest = performance.now() + endMillis
  for (let left = withId(id); left.length > 0 && performance.now() < latest; left = withId(id)) left.forEach(signal)
}

/** In milliseconds; without the word of the survivor nobody knows. */
const endOf = (folder: string, { pid, start }: ProcessMark.ProcessMark): number => {
  try {
    return fs.statSync(stampOf(folder, pid, start)).mtimeMs
  } catch {
    return Infinity
  }
}

const stampOf = (folder: string, pid: number, start: string): string =>
  path.join(folder, `${pid}-${start.replace(/\W/g, "")}.ended`)

/** What a killed process has started may run on for a moment after it; this is far longer. In milliseconds. */
export const graceMillis = 30_000

/** It came to be afterwards: a person or another program made it. Where the file system does not say when, it did not. */
const isLater = (workspace: string, end: number) => {
  const root = fs.lstatSync(workspace)
  const says = root.birthtimeMs > 0 && root.birthtimeMs !== root.ctimeMs
  return (file: string): boolean => says && fs.lstatSync(file).birthtimeMs > end + graceMillis
}

/** `others`: placeholders of commands that still run. */
const putInOrder = (
  folder: string,
  file: string,
  { controlGroups, group, header, own }: Found,
  others: ReadonlySet<string>,
  told: (line: string) => void
): void => {
  const { before, owner, placeholders, workspace } = header
  endBox(path.basename(file, ending), group)
  ControlGroup.remove(controlGroups)
  // A drive that is not there now comes back with what lies on it.
  if (!fs.existsSync(workspace)) return
  Placeholders.remove(placeholders.filter((held) => !others.has(held)))
  const later = isLater(workspace, endOf(folder, owner))
  const aside = ProtectedTree.settleNow({
    workspace,
    before: new Map(before.map((entry) => [entry.path, entry])),
    spared: (name) => others.has(name) || OwnWrites.has(name, own) || later(name)
  })
  fs.rmSync(file, { force: true })
  if (aside.length === 0) return
  const shown = aside.map(PlainText.name).join(", ")
  told(`A command that was cut off had made protected names in ${workspace}, which were renamed: ${shown}`)
}

/** Entries without a file, too. */
const begun = new Map<string, Begun>()

const removeStamps = (folder: string): void => {
  const left = names(folder)
  if (left.some((name) => name.endsWith(ending))) return
  for (const name of left) if (name.endsWith(".ended")) fs.rmSync(path.join(folder, name), { force: true })
}

/**
 * `directory`: of our own data, absolute; entries are kept in its folder `boxes`. `told`: a line for people about what was
 * renamed for a process that has ended.
 */
export const make = (directory?: string, told: (line: string) => void = () => {}): BoxJournal => {
  const folder = directory === undefined ? undefined : path.join(directory, "boxes")
  let known: ProcessMark.ProcessMark | undefined
  const self = () => (known ??= ProcessMark.of(process.pid))

  const found = (): ReadonlyArray<readonly [file: string, found: Found | undefined]> =>
    folder === undefined
      ? []
      : names(folder)
          .filter((name) => name.endsWith(ending) && !begun.has(path.basename(name, ending)))
          .map((name) => path.join(folder, name))
          .map((file) => [file, read(file)] as const)

  const held = (but?: string): ReadonlySet<string> => {
    const theirs = found().flatMap(([, entry]) =>
      entry !== undefined && ProcessMark.isAlive(entry.header.owner) ? entry.header.placeholders : []
    )
    return new Set([...theirs, ...[...begun].flatMap(([id, { placeholders }]) => (id === but ? [] : placeholders))])
  }

  const finish = (): string | undefined => {
    if (folder === undefined) return undefined
    let failure: string | undefined
    let ended = false
    for (const [file, entry] of found()) {
      if (entry === undefined) {
        if (fs.existsSync(file))
          failure = `${file}, the record of a command, cannot be read. Remove it when you have looked for files that the command left.`
        continue
      }
      if (ProcessMark.isAlive(entry.header.owner)) continue
      ended = true
      try {
        putInOrder(folder, file, entry, held(), told)
      } catch (cause) {
        const why = cause instanceof Error ? cause.message : String(cause)
        failure = `A command that was cut off left protected names in ${entry.header.workspace} that cannot be renamed: ${why}. Remove them.`
      }
    }
    if (ended) removeStamps(folder)
    return failure
  }

  const onDisk = (at: string, file: string, entry: Begun): Omit<Entry, "id"> => {
    fs.mkdirSync(at, { recursive: true, mode: 0o700 })
    const header = writeHeader({ ...entry, owner: self(), before: [...entry.before.values()] })
    // Its name is whole only when it is.
    fs.writeFileSync(`${file}.new`, `${header}\n`, { mode: 0o600, flag: "wx" })
    fs.renameSync(`${file}.new`, file)
    ProcessReaper.stamp(stampOf(at, self().pid, self().start))
    const note = (value: typeof Note.Type) => fs.appendFileSync(file, `${writeNote(value)}\n`)
    const unfollow = OwnWrites.follow((own) => {
      if (own.path.startsWith(`${entry.workspace}${path.sep}`)) note({ own })
    })
    return {
      runs: (pid) => note({ runs: ProcessMark.of(pid) }),
      limited: (groups) => note({ groups: [...groups] }),
      end: () => {
        unfollow()
        fs.rmSync(file, { force: true })
      }
    }
  }

  const begin = (entry: Begun): Entry => {
    const id = `belay-box-${crypto.randomBytes(12).toString("hex")}`
    const kept = folder === undefined ? undefined : onDisk(folder, path.join(folder, `${id}${ending}`), entry)
    begun.set(id, entry)
    return {
      id,
      runs: (pid) => kept?.runs(pid),
      limited: (groups) => kept?.limited(groups),
      end: () => {
        kept?.end()
        begun.delete(id)
        if (begun.size === 0) ProcessReaper.stamp(undefined)
      }
    }
  }

  return { finish, held, begin }
}
