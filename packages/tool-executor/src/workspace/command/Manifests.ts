/**
 * The manifests of a workspace: what they hold, who has changed them since a task began, and which checks they name.
 *
 * Guarantees: a manifest that is not as a person had it counts as changed by the task; it is as a person had it when it was
 * so when the task began, when it changed while no tool of this process was at work in the workspace, or when a person
 * has allowed a command that it decides about since. What is not known counts as changed: after another process has run
 * the task, or once something runs in the background.
 */
import type { CommandFact } from "@belay/approval-policy"
import { Folder, Machine, Share } from "@belay/machine"
import * as Effect from "effect/Effect"
import * as crypto from "node:crypto"
import type * as fs from "node:fs"
import * as OwnWrites from "../paths/OwnWrites.ts"
import * as ProjectChecks from "./ProjectChecks.ts"

/** By path, relative to the workspace: SHA-256 of the content, hexadecimal. */
export type Contents = Readonly<Record<string, string>>

const mostEntries = 5000
const mostFiles = 200
const mostFolders = 20
/** In bytes; of a larger file its size and time of change count. */
const longest = 2_000_000
const passed =
  /^(?:node_modules|dist|build|out|target|coverage|\.venv|venv|vendor|__pycache__|\.git|\.next|\.turbo|\.cache)$/

/** A folder that is not on another machine: a link of the project may lead to a share of Windows. */
const entriesOf = (workspace: string, folder: string, machine: Machine.Machine): ReadonlyArray<fs.Dirent> => {
  try {
    if (Share.links([workspace], machine).leadAway(folder)) return []
    return machine.fs.readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

const relative = (workspace: string, file: string, machine = Machine.host): string =>
  machine.path.relative(workspace, file).replaceAll("\\", "/")

/** The manifests in a folder, and in those that belong to it. */
const within = (workspace: string, folder: string, machine = Machine.host): ReadonlyArray<string> =>
  ["", ...ProjectChecks.beside].flatMap((place) =>
    entriesOf(workspace, machine.path.join(folder, place), machine)
      .filter((entry) => !entry.isDirectory())
      .map(({ name }) => (place === "" ? name : `${place}/${name}`))
      .filter((name) => ProjectChecks.kindOf(name) !== undefined)
      .map((name) => relative(workspace, machine.path.join(folder, name), machine))
  )

/** All manifests, as far as they lie among the first entries. */
const all = (workspace: string, machine: Machine.Machine): ReadonlyArray<string> => {
  const found: Array<string> = []
  const pending = [workspace]
  let left = mostEntries
  for (let folder = pending.shift(); folder !== undefined && left > 0; folder = pending.shift()) {
    found.push(...within(workspace, folder, machine))
    for (const entry of entriesOf(workspace, folder, machine)) {
      if (left-- <= 0) break
      if (entry.isDirectory() && !passed.test(entry.name)) pending.push(machine.path.join(folder, entry.name))
    }
  }
  return [...new Set(found)].slice(0, mostFiles)
}

const sha256 = (bytes: Uint8Array | string): string => crypto.createHash("sha256").update(bytes).digest("hex")

interface Known {
  readonly stamp: string
  readonly hash: string
  readonly found: ReadonlyArray<ProjectChecks.Found>
}

const absent: Known = { stamp: "", hash: "absent", found: [] }

/** By path; what was read of it, as long as it is that file. */
const known = new Map<string, Known>()

const look = (workspace: string, name: string, machine: Machine.Machine = Machine.host): Known => {
  const { fs, path } = machine
  const file = path.join(workspace, name)
  try {
    if (Share.links([workspace], machine).leadAway(file)) return absent
    const { ctimeNs, dev, ino, mtimeNs, size } = fs.statSync(file, { bigint: true })
    const stamp = [dev, ino, size, mtimeNs, ctimeNs].join(":")
    const before = known.get(file)
    if (before?.stamp === stamp) return before
    const bytes = size > longest ? stamp : fs.readFileSync(file)
    const text = typeof bytes === "string" ? "" : bytes.toString("utf8")
    const now = { stamp, hash: sha256(bytes), found: ProjectChecks.ofManifest(name, text) }
    known.set(file, now)
    return now
  } catch {
    return absent
  }
}

/** Gives what the manifests, and the programs of the project that their checks run, hold now. */
export const read = (workspace: string, machine: Machine.Machine = Machine.host): Contents => {
  const manifests = all(workspace, machine)
  const programs = manifests.flatMap((name) =>
    look(workspace, name, machine).found.flatMap(({ program }) => (program === undefined ? [] : [program]))
  )
  const names = [...new Set([...manifests, ...programs])]
  return Object.fromEntries(
    names.map((name) => [name, look(workspace, name, machine).hash] as const).filter(([, hash]) => hash !== "absent")
  )
}

interface Watch {
  /** As a person had them. */
  readonly trusted: Map<string, string>
  /** As they were last seen. */
  readonly seen: Map<string, string>
  /** Checks that a person allowed, by task, folder and text. */
  readonly agreed: Set<string>
  atWork: number
  background: boolean
}

const watches = new Map<string, Map<string, Watch>>()

/** A manifest that a tool of this process makes is one of the task, wherever it lies. */
const follow = (workspace: string, ofWorkspace: ReadonlyMap<string, Watch>): void => {
  OwnWrites.follow(({ path: file }) => {
    const name = relative(workspace, file)
    if (!Folder.contains(workspace, file) || ProjectChecks.kindAt(name) === undefined) return
    for (const { seen } of ofWorkspace.values()) if (!seen.has(name)) seen.set(name, "absent")
  })
}

const watchOf = (workspace: string, beginning: Contents): Watch => {
  const ofWorkspace = watches.get(workspace) ?? new Map<string, Watch>()
  if (!watches.has(workspace)) follow(workspace, ofWorkspace)
  watches.set(workspace, ofWorkspace)
  const key = sha256(JSON.stringify(Object.entries(beginning).toSorted(([left], [right]) => (left < right ? -1 : 1))))
  const found = ofWorkspace.get(key)
  if (found !== undefined) return found
  const trusted = new Map(Object.entries(beginning))
  const made: Watch = { trusted, seen: new Map(trusted), agreed: new Set(), atWork: 0, background: false }
  ofWorkspace.set(key, made)
  // What has changed between the beginning and now may have been changed by anybody.
  seeAll(workspace, made, false)
  return made
}

/** Takes what the manifests hold now; `byPerson`: what is new since then is as a person has it. */
const seeAll = (workspace: string, watch: Watch, byPerson: boolean): void => {
  const names = new Set([...watch.seen.keys(), ...watch.trusted.keys(), ...within(workspace, workspace)])
  for (const name of names) {
    const { hash } = look(workspace, name)
    if (hash === (watch.seen.get(name) ?? "absent")) continue
    watch.seen.set(name, hash)
    if (byPerson) watch.trusted.set(name, hash)
  }
}

const isQuiet = ({ atWork, background }: Watch): boolean => atWork === 0 && !background

/** Says whose changes count. */
export interface Task {
  readonly taskId: string
  readonly workspace: string
  /** What the manifests held when the task began. */
  readonly manifests: Contents | undefined
}

const ofTask = ({ manifests = {}, workspace }: Task): Watch => watchOf(workspace, manifests)

/** Around a call that may change files. */
export const around = <A, E, R>(task: Task, call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    ofTask(task)
    const all = [...(watches.get(task.workspace)?.values() ?? [])]
    for (const watch of all) {
      seeAll(task.workspace, watch, isQuiet(watch))
      watch.atWork++
    }
    return Effect.ensuring(
      call,
      Effect.sync(() => {
        for (const watch of all) {
          watch.atWork--
          seeAll(task.workspace, watch, false)
        }
      })
    )
  })

/** Something of the workspace runs on in the background: what changes from now on may be changed by it. */
export const inBackground = (workspace: string): void => {
  for (const watch of watches.get(workspace)?.values() ?? []) {
    seeAll(workspace, watch, isQuiet(watch))
    watch.background = true
  }
}

const keyOf = ({ taskId }: Task, folder: string, text: string): string => JSON.stringify([taskId, folder, text])

/** Says which command is judged. */
export interface Command {
  /** Where it runs, and the folders that it names; absolute and resolved. */
  readonly folder: string
  readonly named: ReadonlyArray<string>
  readonly text: string
  readonly confined: boolean
}

/** The checks of the project for a command. */
export const checks = (task: Task, { confined, folder, named, text }: Command): CommandFact.Checks => {
  const { workspace } = task
  const watch = ofTask(task)
  seeAll(workspace, watch, isQuiet(watch))
  const places = [folder, ...named].filter((place) => Folder.contains(workspace, place)).slice(0, mostFolders)
  const manifests = [...new Set([...watch.seen.keys(), ...places.flatMap((place) => within(workspace, place))])]
  const isChanged = (name: string): boolean => look(workspace, name).hash !== (watch.trusted.get(name) ?? "absent")
  const changed = new Map<ProjectChecks.Kind, string>()
  for (const name of manifests) {
    const kind = ProjectChecks.kindAt(name)
    if (kind !== undefined && !changed.has(kind) && isChanged(name)) changed.set(kind, name)
  }
  const found = manifests
    .flatMap((name) => look(workspace, name).found)
    .map(({ entry, from, kind, program }): CommandFact.Check => {
      const by = changed.get(kind) ?? (program !== undefined && isChanged(program) ? program : undefined)
      return { entry, from, ...(by === undefined ? {} : { changed: by }) }
    })
  return { found, confined, agreed: watch.agreed.has(keyOf(task, folder, text)) }
}

/**
 * A person has allowed this command, and seen what it runs: from now on that is as a person has it. `programs` are those of
 * the command, by their names.
 */
export const allowed = (task: Task, folder: string, text: string, programs: ReadonlyArray<string>): void => {
  const { workspace } = task
  const watch = ofTask(task)
  watch.agreed.add(keyOf(task, folder, text))
  const own = (name: string) => name.replace(/^\.\//, "")
  const run = new Set(programs.map(own))
  const manifests = [...watch.seen.keys()]
  const used = manifests
    .flatMap((name) => look(workspace, name).found)
    .filter(({ entry }) => run.has(own(entry.split(" ")[0] ?? "")))
  const kinds = new Set(used.map(({ kind }) => kind))
  const files = manifests.filter((name) => {
    const kind = ProjectChecks.kindAt(name)
    return kind !== undefined && kinds.has(kind)
  })
  for (const name of [...files, ...used.flatMap(({ program }) => (program === undefined ? [] : [program]))]) {
    watch.trusted.set(name, look(workspace, name).hash)
  }
}
