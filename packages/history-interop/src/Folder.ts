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
import { parse, textOf } from "./internal/json.ts"

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
  /** The folder of the tasks, resolved. */
  readonly root: string
  /** The names of the tasks' folders. */
  readonly tasks: ReadonlyArray<string>
  /** Names that are no task's: not safe, a link, or no folder. */
  readonly others: ReadonlyArray<{ readonly path: string; readonly reason: string }>
  /** What lists of the program say about a task, by its id. */
  readonly listed: ReadonlyMap<string, unknown>
}

const logs = ["api_conversation_history.json", "ui_messages.json", "claude_messages.json", "history_item.json"]

const holdsTask = (folder: string): boolean => logs.some((name) => Files.seen(Files.at(folder, name))._tag !== "Absent")

/** Its own files and what programs leave while they write. */
const isOwn = (name: string): boolean =>
  name.startsWith("_") || name.startsWith(".") || name.endsWith(".json") || name.endsWith(".lock")

const valueOf = (file: string): unknown => {
  const found = Files.read(file)
  if (found._tag !== "Bytes") return undefined
  const value = parse(textOf(found.bytes))
  return Result.isSuccess(value) ? value.success : undefined
}

/** The list of Cline in a folder, and copies of it, the newest first. */
const listsIn = (folder: string): ReadonlyArray<unknown> =>
  Files.names(folder)
    .filter((name) => /^\.?taskHistory\b.*\.(?:json|tmp|bak)$/u.test(name))
    .toSorted((a, b) => Number(b === "taskHistory.json") - Number(a === "taskHistory.json") || (a > b ? -1 : 1))
    .map((name) => valueOf(Files.at(folder, name)))

/** Entries of an index, by id; the first list that has one counts. */
const listedIn = (root: string): ReadonlyMap<string, unknown> => {
  const above = path.dirname(root)
  const lists = [
    fieldsOf(valueOf(Files.at(root, "_index.json")))["entries"] ?? valueOf(Files.at(root, "_index.json")),
    ...listsIn(Files.at(above, "state")),
    ...listsIn(above)
  ]
  const entries = lists.flatMap(listOf).filter(isFields)
  const known = new Map<string, unknown>()
  for (const entry of entries) {
    const id = text(entry["id"])
    if (id !== undefined && id !== "" && !known.has(id)) known.set(id, entry)
  }
  return known
}

const whyNot = (root: string, name: string): string | undefined => {
  if (!/^[A-Za-z0-9][\w-]{0,63}$/u.test(name)) return "its name is not safe as an id"
  return Files.isFolder(Files.at(root, name)) ? undefined : "it is a link or not a folder"
}

/** Of Roo's family when each task has an item of its own, else Cline's. */
const guessed = (root: string, tasks: ReadonlyArray<string>): Agent.Agent =>
  tasks.some((name) => Files.seen(Files.at(root, name, "history_item.json"))._tag !== "Absent") ||
  Files.seen(Files.at(root, "_index.json"))._tag !== "Absent"
    ? "roo"
    : "cline"

/** The folder of the tasks in what a person named. */
const rootOf = (named: string): string => {
  // A person may keep it on another disk, behind a link.
  const inside = Result.try(() => realpathSync(Files.at(named, "tasks")))
  if (Result.isSuccess(inside) && Files.isFolder(inside.success)) return inside.success
  return holdsTask(named) ? path.dirname(named) : named
}

/** Opens a folder. `agent` is told by its path or by what is in it, unless given. */
export const open = (named: string, agent?: Agent.Agent): Effect.Effect<Folder, FolderError> =>
  Effect.gen(function* () {
    const real = Result.try(() => realpathSync(named))
    if (Result.isFailure(real)) return yield* new FolderError({ path: named, reason: "it does not exist" })
    const root = rootOf(real.success)
    const only = holdsTask(real.success) ? path.basename(real.success) : undefined
    const names = Files.list(root)
    if (Result.isFailure(names)) return yield* new FolderError({ path: named, reason: names.failure.message })
    const candidates = names.success.filter((name) => !isOwn(name) && (only === undefined || name === only))
    const others = candidates.flatMap((name) => {
      const reason = whyNot(root, name)
      return reason === undefined ? [] : [{ path: Files.at(root, name), reason }]
    })
    const tasks = candidates.filter((name) => whyNot(root, name) === undefined)
    const isTasks = path.basename(root) === "tasks" || tasks.some((name) => holdsTask(Files.at(root, name)))
    if (!isTasks) return yield* new FolderError({ path: named, reason: "it holds no tasks" })
    const of = agent ?? Agent.ofPath(root) ?? guessed(root, tasks)
    const listed = new Map([...(yield* GlobalState.entries(path.dirname(root), of)), ...listedIn(root)])
    return { agent: of, root, tasks, others, listed }
  })
