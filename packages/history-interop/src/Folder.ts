/**
 * A folder of tasks as it lies on the disk: read only, and nothing outside of it.
 *
 * The folder that is named may be an extension's storage, its `tasks`, or a copy of either.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { realpathSync } from "node:fs"
import * as path from "node:path"
import * as Agent from "./Agent.ts"
import { fieldsOf, isFields, listOf, text } from "./internal/fields.ts"
import * as Files from "./internal/files.ts"
import * as GlobalState from "./internal/globalState.ts"
import { salvage } from "./internal/elements.ts"
import { parse, textOf } from "./internal/json.ts"
import * as Layout from "./internal/layout.ts"
import * as Opencode from "./internal/opencode.ts"

/** The folder holds no tasks of these programs, or cannot be read. */
export class FolderError extends Schema.TaggedError<FolderError>()("FolderError", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `this folder cannot be imported (${this.path}): ${this.reason}. Name the folder that holds "tasks", or "tasks" itself.`
  }
}

/** Describes the history of another program. Nothing of a task has been read yet. */
export interface Folder {
  readonly agent: Agent.Agent
  readonly layout: Layout.Layout
  /** The folder of the tasks, resolved. */
  readonly root: string
  /** Where each task lies. */
  readonly sources: ReadonlyMap<string, Layout.Source>
  /** The ids of the tasks. */
  readonly tasks: ReadonlyArray<string>
  /** Names that are no task's: not safe, a link, or no folder. */
  readonly others: ReadonlyArray<{ readonly path: string; readonly reason: string }>
  /** What lists of the program say about a task, by its id. */
  readonly listed: ReadonlyMap<string, unknown>
  /** The parent of a subtask whose link the program was about to change when it ended, by the subtask. */
  readonly links: ReadonlyMap<string, string>
  /** Sessions of opencode, by id. */
  readonly sessions: ReadonlyMap<string, Opencode.Session>
}

const valueOf = (file: string): unknown => {
  const found = Files.read(file)
  if (found._tag !== "Bytes") return undefined
  const value = parse(textOf(found.bytes))
  return Result.isSuccess(value) ? value.success : undefined
}

/** A list that is torn off has its whole entries. */
const listIn = (file: string): unknown => {
  const value = valueOf(file)
  if (value !== undefined) return fieldsOf(value)["entries"] ?? value
  const found = Files.read(file)
  return found._tag === "Bytes" ? salvage(found.bytes) : undefined
}

/** Zoo Code says what it is about to repair between a parent and its subtask: the parent of that subtask. */
const intendedIn = (root: string): ReadonlyMap<string, string> => {
  const intent = fieldsOf(valueOf(Files.at(root, "_delegation_repair_intent.json")))
  const [parent, child] = [text(intent["parentTaskId"]), text(intent["childTaskId"])]
  const isKnown = intent["version"] === 1 && parent !== undefined && child !== undefined && parent !== child
  return isKnown && Layout.isSafe(parent) && Layout.isSafe(child) ? new Map([[child, parent]]) : new Map()
}

/** The list of Cline in a folder, and copies of it, the newest first. */
const listsIn = (folder: string): ReadonlyArray<unknown> =>
  Files.names(folder)
    .filter((name) => /^\.?taskHistory\b.*\.(?:json|tmp|bak)$/u.test(name))
    .toSorted((a, b) => Number(b === "taskHistory.json") - Number(a === "taskHistory.json") || (a > b ? -1 : 1))
    .map((name) => listIn(Files.at(folder, name)))

/** Entries of an index, by id; the first list that has one counts. */
const listedIn = (root: string): ReadonlyMap<string, unknown> => {
  const above = path.dirname(root)
  const lists = [listIn(Files.at(root, "_index.json")), ...listsIn(Files.at(above, "state")), ...listsIn(above)]
  const entries = lists.flatMap(listOf).filter(isFields)
  const known = new Map<string, unknown>()
  for (const entry of entries) {
    const id = text(entry["id"])
    if (id !== undefined && id !== "" && !known.has(id)) known.set(id, entry)
  }
  return known
}

/** Of Roo's family when each task has an item of its own, else Cline's. */
export const guessed = (root: string, tasks: ReadonlyArray<string> = Files.names(root)): Agent.Agent =>
  tasks.some((name) => Files.seen(Files.at(root, name, "history_item.json"))._tag !== "Absent") ||
  Files.seen(Files.at(root, "_index.json"))._tag !== "Absent"
    ? "roo"
    : "cline"

/** Folders of tasks in what a person named; itself when there is none. */
export const within = (named: string): ReadonlyArray<string> => {
  const found = ["tasks", "sessions", "projects", "archived_sessions"].flatMap((name) => {
    // A person may keep it on another disk, behind a link.
    const inside = Result.try(() => realpathSync(Files.at(named, name)))
    if (Result.isFailure(inside)) return []
    return Files.isDenied(inside.success) || Layout.of(inside.success) !== undefined ? [inside.success] : []
  })
  return found.length === 0 ? [Layout.holdsTask(named) ? path.dirname(named) : named] : found
}

/** The program whose layout this is; of those that share one, the one that the path or the files tell of. */
export const agentOf = (layout: Layout.Layout, root: string, tasks?: ReadonlyArray<string>): Agent.Agent => {
  if (layout === "transcripts") return "claude"
  if (layout === "rollouts") return "codex"
  if (layout === "trees") return "pi"
  if (layout === "messages") return "opencode"
  return layout === "sessions" ? "cline" : (Agent.ofPath(root) ?? guessed(root, tasks))
}

const sourcesOf = (root: string, sessions: ReadonlyMap<string, Opencode.Session>) =>
  new Map(
    [...sessions].map(([id, { info }]): [string, Layout.Source] => {
      const parent = text(info["parentID"])
      return [id, { folder: root, stem: id, ...(parent === undefined ? {} : { parent }) }]
    })
  )

/** Names the file or the folder of a task, for people. */
export const pathOf = ({ root, sources }: Folder, id: string): string => {
  const source = sources.get(id)
  if (source === undefined) return Files.at(root, id)
  return source.stem === "" || source.stem === id ? source.folder : Files.at(source.folder, source.stem)
}

/** Opens a folder. `agent` is told by its path or by what is in it, unless given. */
export const open = (named: string, agent?: Agent.Agent): Effect.Effect<Folder, FolderError> =>
  Effect.gen(function* () {
    const real = Result.try(() => realpathSync(named))
    if (Result.isFailure(real)) return yield* new FolderError({ path: named, reason: "it does not exist" })
    const [root = real.success] = within(real.success)
    const only = Layout.holdsTask(real.success) ? path.basename(real.success) : undefined
    const names = Files.list(root)
    if (Result.isFailure(names)) return yield* new FolderError({ path: named, reason: names.failure.message })
    const layout = Layout.of(root)
    if (layout === undefined) return yield* new FolderError({ path: named, reason: "it holds no tasks" })
    const kept = names.success.filter((name) => only === undefined || name === only)
    const sessions = layout === "messages" ? Opencode.sessions(root) : new Map<string, Opencode.Session>()
    const { others, sources: files } = Layout.listed(layout, root, kept)
    const sources = layout === "messages" ? sourcesOf(root, sessions) : files
    const tasks = [...sources.keys()]
    const of = agent ?? agentOf(layout, root, tasks)
    const isListed = layout === "tasks"
    const state = isListed
      ? yield* GlobalState.entries(path.dirname(root), of)
      : layout === "sessions"
        ? yield* GlobalState.sessions(root)
        : new Map<string, unknown>()
    const listed = new Map([...state, ...(isListed ? listedIn(root) : [])])
    const links = isListed ? intendedIn(root) : new Map<string, string>()
    return { agent: of, layout, root, sources, tasks, others, listed, links, sessions }
  })
