/**
 * Taking a task at rest back to one of its messages: the files of its workspace, its conversation, or both.
 *
 * All of it happens or nothing: a file that cannot be brought back, or a commit that is refused, puts back what was
 * restored before. The present is recorded first, so a restore can be undone until the task goes on. What is in no
 * checkpoint is left alone and named.
 */
import { printable } from "@belay/message-state"
import {
  type FileChange,
  type Checkpoint,
  type CheckpointError,
  type CheckpointId,
  Checkpoints,
  type KeptFile,
  type RestoreResult,
  Timeline
} from "@belay/checkpoints"
import { type Event, type History, type HistoryError, type Step, TaskHistory } from "@belay/history-store"
import { type Command, TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { NotRestored } from "./NotRestored.ts"
import * as TaskNode from "../tree/TaskNode.ts"
import * as Prompt from "../prompt/Prompt.ts"

export { NotRestored } from "./NotRestored.ts"

/** Says what goes back. */
export type What = "files" | "conversation" | "both"

type Fails = NotRestored | CheckpointError | Command.TransitionRejected | HistoryError.HistoryError
type Needs = TaskHistory | Checkpoints

const refused = (row: History.TaskRow, reason: NotRestored["reason"], subject?: string) =>
  new NotRestored({ reason, title: row.meta.title, ...(subject === undefined ? {} : { subject }) })

const placeOf = ({ meta, record }: History.TaskRow) => ({ taskId: record.id, workspace: meta.workspace })

/** Nothing that a restore could not help: the others mean that a file would not be what it was. */
const harmless = new Set<KeptFile["reason"]>(["notRecorded", "leftOut"])

const whyKept: Readonly<Record<KeptFile["reason"], string>> = {
  notRecorded: "it is in no checkpoint, so it could not be brought back",
  leftOut: "it was in no checkpoint at that time",
  changed: "it was changed meanwhile",
  blocked: "something else is in its place",
  behindLink: "a folder of its path is a symbolic link",
  protected: "its name belongs to git",
  noLinks: "it is a link, and this user may not make links: turn on Developer Mode",
  unwritable: "it cannot be written",
  lost: "its content is lost"
}

/** One line for a file that stays as it is. */
export const keptText = ({ path, reason }: KeptFile): string => printable(`${path} stays as it is: ${whyKept[reason]}.`)

/** A turn that changed files, as people choose one: the state before it, and the message to restore to. */
export interface Turn {
  /** Of the last message before the turn. */
  readonly to: number
  readonly before: Checkpoint
  readonly after: Checkpoint
}

/** The turns of a task that changed files and can be compared or taken back, in order. */
export const turns = (row: History.TaskRow): Effect.Effect<ReadonlyArray<Turn>, CheckpointError, Checkpoints> =>
  Effect.flatMap(Checkpoints, (checkpoints) => turnsIn(checkpoints, row))

/** The same in checkpoints that are given. */
export const turnsIn = (
  checkpoints: Checkpoints["Service"],
  row: History.TaskRow
): Effect.Effect<ReadonlyArray<Turn>, CheckpointError> =>
  Effect.map(checkpoints.list(placeOf(row)), (all) =>
    all.flatMap((after): ReadonlyArray<Turn> => {
      const before = all.find(({ messageIndex, moment }) => moment === "before" && messageIndex === after.messageIndex)
      if (after.moment !== "after" || before === undefined) return []
      return [{ to: Math.max(0, after.messageIndex - 1), before, after }]
    })
  )

/** As it is stored now: what is shown may be older than what has been said since. */
const present = (row: History.TaskRow) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.row(row.record.id)),
    Option.getOrElse(() => row)
  )

/** The checkpoint of the workspace as it was at a message; nothing when it was not changed since. */
const stateAt = (asked: History.TaskRow, to: number) =>
  Effect.gen(function* () {
    const row = yield* present(asked)
    if (!Number.isSafeInteger(to) || to < 0 || to >= row.messageCount) {
      return yield* refused(row, "noMessage", `0 to ${row.messageCount - 1}`)
    }
    const all = yield* (yield* Checkpoints).list(placeOf(row))
    return Timeline.stateAt(all, to)
  })

/** Reports the changes of the workspace since a message. */
export interface Compared {
  /** Nothing was recorded since the message: no turn has changed files. */
  readonly checkpoint: CheckpointId | undefined
  /** From the message to now, by path. */
  readonly changes: ReadonlyArray<FileChange>
  /** The same as `git diff` writes it. */
  readonly patch: string
}

/** Gives what has changed since a message. */
export const compare = (row: History.TaskRow, to: number): Effect.Effect<Compared, Fails, Needs> =>
  Effect.gen(function* () {
    const state = yield* stateAt(row, to)
    if (state === undefined) return { checkpoint: undefined, changes: [], patch: "" }
    const checkpoints = yield* Checkpoints
    const sides = { ...placeOf(row), from: state.id, to: "now" } as const
    return {
      checkpoint: state.id,
      changes: yield* checkpoints.compare(sides),
      patch: yield* checkpoints.patch(sides)
    }
  })

/** Gives what a restore to a message would do now; nothing is touched. */
export const preview = (row: History.TaskRow, to: number): Effect.Effect<RestoreResult, Fails, Needs> =>
  Effect.gen(function* () {
    const state = yield* stateAt(row, to)
    if (state === undefined) return { changes: [], kept: [] }
    return yield* (yield* Checkpoints).preview({ ...placeOf(row), to: state.id })
  })

/** Reports a restore. */
export interface Done extends RestoreResult {
  /** The checkpoint of before; nothing when no file was looked at. */
  readonly undo: CheckpointId | undefined
  /** Whether messages were taken away, or put back by an undo. */
  readonly conversation: boolean
}

/** As the task is now: nothing of it runs. */
const atRest = (row: History.TaskRow) =>
  Effect.gen(function* () {
    const found = yield* present(row)
    const node = yield* TaskNode.whole(found)
    if ([node, ...TaskNode.descendants(node)].some(TaskNode.isAlive)) return yield* refused(found, "runs")
    return found
  })

const named = (kept: ReadonlyArray<KeptFile>): string =>
  kept.map((one) => `${one.path} (${whyKept[one.reason]})`).join(", ")

/** All files go back, or none; what an error leaves half done is put back, too. */
const files = (row: History.TaskRow, to: CheckpointId) =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints
    const request = { ...placeOf(row), to }
    const hard = (kept: ReadonlyArray<KeptFile>) => kept.filter(({ reason }) => !harmless.has(reason))
    const foreseen = hard((yield* checkpoints.preview(request)).kept)
    if (foreseen.length > 0) return yield* refused(row, "files", named(foreseen))
    const known = new Set((yield* checkpoints.list(placeOf(row))).map(({ id }) => id))
    const putBack = Effect.gen(function* () {
      const made = (yield* checkpoints.list(placeOf(row))).findLast(
        ({ id, moment }) => moment === "restore" && !known.has(id)
      )
      if (made !== undefined) yield* checkpoints.restore({ ...placeOf(row), to: made.id })
    })
    const restored = yield* Effect.tapError(checkpoints.restore(request), () => Effect.ignore(putBack))
    const failed = hard(restored.kept)
    if (failed.length === 0) return restored
    yield* checkpoints.restore({ ...placeOf(row), to: restored.undo })
    return yield* refused(row, "files", named(failed))
  })

/** The commit that goes with the files; when it is refused they go back. */
const commit = (row: History.TaskRow, steps: ReadonlyArray<Step.Step>, undo: CheckpointId | undefined) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const checkpoints = yield* Checkpoints
    if (steps.length === 0) return
    yield* history.commit(steps).pipe(
      Effect.tapError(() =>
        undo === undefined ? Effect.void : Effect.ignore(checkpoints.restore({ ...placeOf(row), to: undo }))
      ),
      Effect.catchTag("TransitionRejected", (error) => {
        if (error.rule === "StopFirst") return Effect.fail<Fails>(refused(row, "runs"))
        return Effect.fail<Fails>(error.rule === "ChildrenPending" ? refused(row, "waits") : error)
      })
    )
  })

/** The model is told of files that went back under a conversation that goes on. */
const told = (row: History.TaskRow, { changes }: RestoreResult) =>
  Effect.gen(function* () {
    if (row.record.status === "completed" || changes.length === 0) return {}
    const text = Prompt.restored(changes.map(({ path }) => path))
    return { said: { id: yield* TaskId.make, text, from: "engine.restored" as const } }
  })

/** Says where to go back to. */
export interface Request {
  /** The message to go back to: the last one that stays. */
  readonly to: number
  readonly what: What
}

/** Takes a task back. `both` leaves the conversation of a completed task as it is. */
export const restore = (asked: History.TaskRow, { to, what }: Request): Effect.Effect<Done, Fails, Needs> =>
  Effect.gen(function* () {
    const row = yield* atRest(asked)
    const taskId = row.record.id
    const completed = row.record.status === "completed"
    if (completed && what === "conversation") return yield* refused(row, "completed")
    const state = yield* stateAt(row, to)
    const cuts = what !== "files" && !completed && to < row.messageCount - 1
    const wanted = what === "conversation" ? undefined : state
    const restored = wanted === undefined ? undefined : yield* files(row, wanted.id)
    const steps: Array<Step.Step> = []
    if (restored !== undefined) {
      const note = { id: restored.undo, files: restored.changes.length, messageIndex: to, moment: "restore" } as const
      steps.push({ _tag: "FilesRestored", taskId, note, ...(cuts ? {} : yield* told(row, restored)) })
    }
    if (cuts) steps.push({ _tag: "ConversationCut", taskId, from: to + 1 })
    yield* commit(row, steps, restored?.undo)
    return {
      changes: restored?.changes ?? [],
      kept: restored?.kept ?? [],
      undo: restored?.undo,
      conversation: cuts
    }
  })

const recent = 1000

type EventOf<Type extends Event.EventType> = Extract<Event.StoredEvent, { readonly type: Type }>

/** The newest restore that nothing has followed: what it did to the files, and to the conversation. */
const lastRestore = (row: History.TaskRow) =>
  Effect.gen(function* () {
    const events = yield* (yield* TaskHistory).events(row.record.id, Math.max(1, row.lastSeq - recent), recent + 1)
    const begun = events.findLastIndex(({ type }) => type === "message" || type === "tool.started")
    const since = events.slice(begun + 1)
    const at = since.findLastIndex(
      (event) =>
        event.type === "conversation.cut" ||
        event.type === "conversation.uncut" ||
        (event.type === "checkpoint" && event.moment !== undefined)
    )
    const newest = since[at]
    if (newest === undefined) return undefined
    // One commit writes both, at one time.
    const together = since.filter(({ ts }) => ts === newest.ts)
    const files = together.findLast((event): event is EventOf<"checkpoint"> => event.type === "checkpoint")
    const cut = together.findLast((event): event is EventOf<"conversation.cut"> => event.type === "conversation.cut")
    return newest.type === "conversation.uncut" || files?.moment === "undo" ? undefined : { files, cut }
  })

/** Takes the last restore back: once, and until the task goes on. */
export const undo = (asked: History.TaskRow): Effect.Effect<Done, Fails, Needs> =>
  Effect.gen(function* () {
    const row = yield* atRest(asked)
    const taskId = row.record.id
    const last = yield* lastRestore(row)
    if (last === undefined) return yield* refused(row, "nothing")
    const all = yield* (yield* Checkpoints).list(placeOf(row))
    const state = all.find(({ id }) => id === last.files?.id)
    if (last.files !== undefined && state === undefined) return yield* refused(row, "nothing")
    const restored = state === undefined ? undefined : yield* files(row, state.id)
    const steps: Array<Step.Step> = []
    if (restored !== undefined) {
      const { messageIndex } = last.files ?? { messageIndex: 0 }
      const note = { id: restored.undo, files: restored.changes.length, messageIndex, moment: "undo" } as const
      steps.push({ _tag: "FilesRestored", taskId, note, ...(last.cut === undefined ? yield* told(row, restored) : {}) })
    }
    if (last.cut !== undefined) steps.push({ _tag: "ConversationUncut", taskId, edit: last.cut.edit })
    yield* commit(row, steps, restored?.undo)
    return {
      changes: restored?.changes ?? [],
      kept: restored?.kept ?? [],
      undo: restored?.undo,
      conversation: last.cut !== undefined
    }
  })

/** Says who else has changed what goes back, in one line each; titles are read by id. */
export const shares = (
  { changes }: RestoreResult,
  title: (id: TaskId.TaskId) => string | undefined
): ReadonlyArray<string> => {
  const mine = changes.filter(({ byUser }) => byUser).map(({ path }) => path)
  const others = changes.flatMap(({ byTasks, path }) =>
    byTasks.map((id) => printable(`${path} was also changed by "${title(id) ?? id}".`))
  )
  if (mine.length === 0) return others
  const count = `${mine.length} of them (${mine.slice(0, 3).join(", ")}${mine.length > 3 ? ", …" : ""})`
  return [printable(`${count} ${mine.length === 1 ? "was" : "were"} changed by you since.`), ...others]
}
