/**
 * The checkpoints of a store as git holds them: a commit without parents each, under a reference of its task.
 *
 * `refs/checkpoints/<task>/<messageIndex>/before|after`, and `.../restore/<name>`. No commit refers to another, so each
 * can go without the others.
 */
import type { GitFailed } from "@belay/git-runner"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"
import { Checkpoint, CheckpointId, LeftOutReason, Moment } from "../Checkpoint.ts"
import * as BytePath from "./bytePath.ts"
import * as Known from "./known.ts"
import type { Snapshot } from "./snapshot.ts"
import type { Store } from "./store.ts"

/** What the commit's message holds; paths are one byte a character. */
const Note = Schema.fromJsonString(
  Schema.Struct({
    messageIndex: Schema.Natural,
    moment: Moment,
    at: Schema.Natural,
    files: Schema.Natural,
    leftOut: Schema.Array(Schema.Tuple([Schema.String, LeftOutReason]))
  })
)

const encode = Schema.encodeSync(Note)
const decode = Schema.decodeUnknownOption(Note)
const decodeId = Schema.decodeUnknownEffect(CheckpointId)

/** A checkpoint with where it is. */
export interface Entry {
  readonly ref: string
  readonly checkpoint: Checkpoint
  readonly leftOut: ReadonlySet<BytePath.BytePath>
}

export const root = "refs/checkpoints"

export const under = (taskId: TaskId.TaskId): string => `${root}/${taskId}/`

export const refOf = (checkpoint: Pick<Checkpoint, "taskId" | "messageIndex" | "moment">, name: string): string =>
  under(checkpoint.taskId) +
  (checkpoint.moment === "restore" ? `restore/${name}` : `${checkpoint.messageIndex}/${checkpoint.moment}`)

const format = "%(refname)%00%(objectname)%00%(tree)%00%(contents)%00"

const entryWith = (
  ref: string,
  checkpoint: Omit<Checkpoint, "leftOut">,
  leftOut: ReadonlyArray<readonly [BytePath.BytePath, LeftOutReason]>
): Entry => ({
  ref,
  checkpoint: { ...checkpoint, leftOut: leftOut.map(([path, reason]) => ({ path: BytePath.shown(path), reason })) },
  leftOut: new Set(leftOut.map(([path]) => path))
})

const entryOf = ([refname = "", id = "", tree = "", contents = ""]: ReadonlyArray<string>): ReadonlyArray<Entry> => {
  const ref = refname.trimStart()
  const taskId = ref.split("/")[2]
  const note = decode(contents)
  if (!TaskId.isTaskId(taskId) || note._tag === "None") return []
  const { leftOut, ...facts } = note.value
  return [entryWith(ref, { id: CheckpointId.make(id), taskId, tree, ...facts }, leftOut)]
}

const asked = (store: Store, taskId: TaskId.TaskId | undefined): Effect.Effect<ReadonlyArray<Entry>, GitFailed> =>
  store.git({ args: ["for-each-ref", `--format=${format}`, taskId === undefined ? root : under(taskId)] }).pipe(
    Effect.map(({ stdout }) => {
      const fields = stdout.toString("utf8").split("\0")
      return Array.from({ length: Math.floor(fields.length / 4) }, (_, at) =>
        entryOf(fields.slice(at * 4, at * 4 + 4))
      ).flat()
    })
  )

const keptOf = (store: Store, taskId: TaskId.TaskId) => Known.of(path.join(store.folder, under(taskId)))

/** The references of a task with what they name, where that was read before; git is asked where one was not. */
const kept = (store: Store, taskId: TaskId.TaskId): ReadonlyArray<Entry> | undefined => {
  const known = keptOf(store, taskId)
  const entries = Known.named(store.folder, under(taskId))?.map(([ref, id]) => {
    const entry = known.get(ref)
    return entry?.checkpoint.id === id ? entry : undefined
  })
  return entries?.every((entry) => entry !== undefined) ? entries : undefined
}

/** What was just recorded need not be read. */
export const keep = (store: Store, ref: string, id: CheckpointId, { taskId, ...facts }: Facts, snapshot: Snapshot) => {
  const entry = entryWith(ref, { id, taskId, tree: snapshot.tree, ...facts }, [...snapshot.leftOut])
  keptOf(store, taskId).set(ref, entry)
}

/** Of one task, or of all that keep checkpoints of this workspace. */
export const list = (store: Store, taskId?: TaskId.TaskId): Effect.Effect<ReadonlyArray<Entry>, GitFailed> =>
  Effect.suspend(() => {
    const found = taskId === undefined ? undefined : kept(store, taskId)
    if (found !== undefined) return Effect.succeed(found)
    return Effect.tap(asked(store, taskId), (entries) =>
      Effect.sync(() => {
        for (const entry of entries) keptOf(store, entry.checkpoint.taskId).set(entry.ref, entry)
      })
    )
  })

const person = (at: number) => {
  const date = `@${Math.floor(at / 1000)} +0000`
  const named = { NAME: "Belay", EMAIL: "checkpoints@localhost", DATE: date }
  return Object.fromEntries(
    Object.entries(named).flatMap(([key, value]) => [
      [`GIT_AUTHOR_${key}`, value],
      [`GIT_COMMITTER_${key}`, value]
    ])
  )
}

export type Facts = Pick<Checkpoint, "taskId" | "messageIndex" | "moment" | "at" | "files">

/** Stores the commit and nothing that names it. */
export const commit = (store: Store, { taskId: _, ...facts }: Facts, { leftOut, tree }: Snapshot) =>
  store
    .git({
      args: ["commit-tree", tree],
      env: person(facts.at),
      stdin: Buffer.from(encode({ ...facts, leftOut: [...leftOut] }))
    })
    .pipe(Effect.flatMap(({ stdout }) => decodeId(stdout.toString("latin1").trim())))

/** References are never packed here: each is a file. */
export const exists = (store: Store, ref: string): boolean => fs.existsSync(path.join(store.folder, ref))

/** All or none; a reference that is to be created must not exist. */
export const update = (
  store: Store,
  changes: {
    readonly create?: ReadonlyArray<readonly [ref: string, id: CheckpointId]>
    readonly put?: ReadonlyArray<readonly [ref: string, id: CheckpointId]>
    readonly remove?: ReadonlyArray<string>
  }
): Effect.Effect<void, GitFailed> => {
  const lines = [
    ...(changes.create ?? []).map(([ref, id]) => `create ${ref}\0${id}\0`),
    ...(changes.put ?? []).map(([ref, id]) => `update ${ref}\0${id}\0\0`),
    ...(changes.remove ?? []).map((ref) => `delete ${ref}\0\0`)
  ]
  if (lines.length === 0) return Effect.void
  return Effect.asVoid(store.git({ args: ["update-ref", "--stdin", "-z"], stdin: Buffer.from(lines.join("")) }))
}
