/**
 * Takes the tasks of a folder into the history: what a plan says, one task a transaction, and nothing in the folder.
 *
 * An import that ended in the middle is finished by the next one, and a second one changes nothing: every task remembers
 * the folder and the id that it had there.
 */
import { type HistoryError, type Import as Known, type Step, TaskHistory } from "@belay/history-store"
import { Folder as MachineFolder } from "@belay/machine"
import { TaskId, type TaskRecord } from "@belay/task-state"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { createHash } from "node:crypto"
import type { Agent } from "./Agent.ts"
import * as Folder from "./Folder.ts"
import type * as Item from "./Item.ts"
import * as Copies from "./internal/copies.ts"
import { ChangedError } from "./internal/longTexts.ts"
import * as Plan from "./Plan.ts"
import * as SourceTask from "./SourceTask.ts"
import * as Summary from "./Summary.ts"

/** Reports one task that was taken over, by its id there and its id here. */
export interface Imported {
  readonly sourceId: string
  readonly taskId: TaskId.TaskId
  readonly status: TaskRecord.Status
}

/** Describes what was done, or would be. */
export interface Report {
  /** By this import: what another one took over meanwhile is among those that were left alone. */
  readonly imported: ReadonlyArray<Imported>
  readonly skipped: ReadonlyArray<SourceTask.Damage>
  readonly repairs: ReadonlyArray<Plan.Repair>
  /** `copy` is the file that holds what could not be read whole; null when there is none, as before an import. */
  readonly quarantined: ReadonlyArray<SourceTask.Damage & { readonly copy: string | null }>
}

type Progress = (done: number, total: number) => Effect.Effect<void>

/** Describes what a host says about the tasks that it takes over. */
export interface Options {
  /** The folder of the copies of damaged files. */
  readonly quarantine: string
  /** The settings of a task and its model, in a mode. */
  readonly settings: (mode: "plan" | "act") => { readonly settings: unknown; readonly model: string }
  /** The tasks that this process runs. */
  readonly running?: ReadonlySet<TaskId.TaskId>
  /** Told after each task. */
  readonly progress?: Progress
}

const hashed = (root: string, id: string): string =>
  createHash("sha256").update(`${root}\n${id}`).digest("hex").slice(0, 24)

type Before = ReadonlyArray<Known.Known>

/** The id of a task here: its own when it is free, else one of its program. */
const idsOf = (folder: Folder.Folder, summaries: ReadonlyArray<Summary.Summary>, all: Before, again: boolean) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const before = Map.groupBy(all, ({ id }) => id)
    const ids = new Map<string, TaskId.TaskId>()
    /** No task gets the id of another one of its folder. */
    const theirs = new Set(summaries.map(({ id }) => id))
    const imported = new Set<string>()
    for (const { digest, id } of summaries) {
      const same = before.get(id)?.find((one) => one.root === folder.root || one.digest === digest)
      if (same !== undefined) {
        ids.set(id, same.taskId)
        // What came from another folder is not this one's to take again.
        if (!again || same.root !== folder.root) imported.add(id)
        continue
      }
      const candidates = [id, `${folder.agent}-${id}`, `${folder.agent}-${hashed(folder.root, id)}`].filter(
        TaskId.isTaskId
      )
      for (const candidate of candidates.filter((one) => one === id || !theirs.has(one))) {
        const taken = yield* Effect.match(history.row(candidate), {
          onFailure: () => true,
          onSuccess: (row) => Option.isSome(row)
        })
        if (taken) continue
        ids.set(id, candidate)
        break
      }
    }
    return { ids, imported }
  })

/** The tasks of a folder that are read, in the order of their names. */
const readAll = (folder: Folder.Folder, ids: ReadonlyArray<string>, now: number, progress: Progress) =>
  Effect.forEach(ids, (id, done) =>
    Effect.gen(function* () {
      const summary = Summary.of(SourceTask.read(folder, id, now, "", "brief"))
      yield* progress(done + 1, ids.length)
      yield* Effect.yieldNow
      return summary
    })
  )

const idsIn = ({ childIds, ...item }: Item.Item) =>
  [
    item.parentTaskId,
    item.intendedParentId,
    item.rootTaskId,
    item.awaitingChildId,
    item.delegatedToId,
    item.completedByChildId,
    ...(childIds ?? [])
  ].filter((id) => id !== undefined)

/** What is new has a link to what was taken over before, or may have one that no record tells of. */
const isLinked = (folder: Folder.Folder, fresh: ReadonlyArray<Summary.Summary>, old: ReadonlySet<string>): boolean => {
  const isUnknown = fresh.some(
    ({ notes, prompt }) => prompt !== "" && notes.some(({ rule }) => rule === "recordMissing")
  )
  if (isUnknown || fresh.some(({ item }) => idsIn(item).some((id) => old.has(id)))) return true
  const ids = new Set(fresh.map(({ id }) => id))
  return ids.size > 0 && [...old].some((id) => idsIn(SourceTask.itemOf(folder, id)).some((other) => ids.has(other)))
}

/** What was taken over before is read again only where what is new belongs to it. */
const summariesOf = (folder: Folder.Folder, now: number, progress: Progress, taken: Before) =>
  Effect.gen(function* () {
    const known = taken.filter(({ root }) => root === folder.root)
    const before = new Map(known.map(({ id, taskId }) => [id, taskId]))
    const [old, fresh] = [folder.tasks.filter((id) => before.has(id)), folder.tasks.filter((id) => !before.has(id))]
    const summaries = yield* readAll(folder, fresh, now, progress)
    const isAlone = old.length > 0 && !isLinked(folder, summaries, new Set(old))
    if (isAlone) return { summaries, unread: new Map(old.map((id) => [id, before.get(id)])) }
    const all = [...summaries, ...(yield* readAll(folder, old, now, progress))]
    const place = new Map(folder.tasks.map((id, at) => [id, at]))
    all.sort((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0))
    return { summaries: all, unread: new Map<string, TaskId.TaskId | undefined>() }
  })

/** Describes how a folder is read. */
export interface Reading {
  /** Told after each task. */
  readonly progress?: Progress
  /** What was taken over before is taken again where nobody has worked with it since. */
  readonly again?: boolean
}

/** Reads a folder and decides what an import of it does. Nothing is written. */
export const plan = (
  named: string,
  agent?: Agent,
  { again = false, progress = () => Effect.void }: Reading = {}
): Effect.Effect<Plan.Plan, Folder.FolderError | HistoryError.HistoryError, TaskHistory> =>
  Effect.gen(function* () {
    const { imported, me } = yield* TaskHistory
    const now = yield* Clock.currentTimeMillis
    const folder = yield* Folder.open(named, agent)
    const before = yield* imported
    const { summaries, unread } = yield* summariesOf(folder, now, progress, again ? [] : before)
    const ids = yield* idsOf(folder, summaries, before, again)
    return Plan.make(folder, summaries, { ...ids, me, now, unread, again })
  })

const importedOf = (tasks: ReadonlyArray<Plan.Planned>, statusOf: (id: TaskId.TaskId) => TaskRecord.Status) =>
  tasks.map(({ record, summary }) => ({ sourceId: summary.id, taskId: record.id, status: statusOf(record.id) }))

/** Gives what an import would do. */
export const previewed = ({ damaged, expected, mended, skipped, statuses, tasks }: Plan.Plan): Report => ({
  imported: importedOf(tasks, (id) => statuses.get(id) ?? "interrupted"),
  skipped,
  repairs: [...mended, ...expected],
  quarantined: damaged.map((one) => ({ ...one, copy: null }))
})

const modeOf = (name: string | undefined): Step.TaskMeta["mode"] =>
  name === "plan" || name === "architect" || name === "ask" ? "plan" : "act"

/** Characters of a title. */
const longest = 80

const titleOf = (prompt: string): string => prompt.trim().split("\n")[0]?.slice(0, longest) ?? ""

const stepOf = (
  { again, folder: { agent, root } }: Plan.Plan,
  { ending, prompt, record }: Plan.Planned,
  task: SourceTask.SourceTask,
  options: Options
): Step.Step => {
  const mode = modeOf(task.item.mode)
  const { model, settings } = options.settings(mode)
  const { createdAt, digest, id, item, original, updatedAt } = task
  return {
    _tag: "Import",
    task: {
      source: { agent, root, id, digest },
      record,
      meta: {
        title: titleOf(prompt),
        workspace: MachineFolder.known(item.workspace ?? ""),
        mode,
        model,
        host: agent,
        settings
      },
      createdAt,
      updatedAt,
      ...SourceTask.logOf(task, ending),
      original,
      ...(again ? { again } : {})
    }
  }
}

const changed = "it changed while it was read. Import it again"

/** One task, if it is what it was when it was planned; why it was left alone, else. */
const take = (plan: Plan.Plan, planned: Plan.Planned, options: Options) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const now = yield* Clock.currentTimeMillis
    const task = SourceTask.read(plan.folder, planned.summary.id, now, planned.prompt, "left")
    if (task.digest !== planned.summary.digest) return changed
    const step = Effect.suspend(() => history.commit([stepOf(plan, planned, task, options)]))
    return yield* Effect.match(step, {
      onFailure: (error) => error,
      // Another import took it over since: it stays as it is.
      onSuccess: ({ records }) => (records.has(planned.record.id) ? undefined : Plan.taken)
    }).pipe(
      // Its long texts are read when they are stored.
      Effect.catchDefect((defect) => (defect instanceof ChangedError ? Effect.succeed(changed) : Effect.die(defect)))
    )
  })

/** Does what a plan says, and reconciles. Errors: the history cannot be written; what was taken before stays. */
export const run = (plan: Plan.Plan, options: Options): Effect.Effect<Report, HistoryError.HistoryError, TaskHistory> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const copies = plan.damaged.map((one) => ({ ...one, copy: Copies.keep(options.quarantine, one.path) }))
    const skipped = [...plan.skipped]
    const taken: Array<Plan.Planned> = []
    for (const [done, planned] of plan.tasks.entries()) {
      const refused = yield* take(plan, planned, options)
      if (refused === undefined) taken.push(planned)
      else if (typeof refused === "string" || refused._tag === "TransitionRejected") {
        const reason = typeof refused === "string" ? refused : refused.message
        skipped.push({ path: Folder.pathOf(plan.folder, planned.summary.id), reason })
      } else return yield* refused
      yield* options.progress?.(done + 1, plan.tasks.length) ?? Effect.void
    }
    const { repairs } = yield* history.reconcile(options.running ?? new Set())
    const ids = new Set(taken.map(({ record }) => record.id))
    const statuses = new Map<TaskId.TaskId, TaskRecord.Status>()
    for (const { record } of taken) {
      const row = yield* history.row(record.id)
      statuses.set(record.id, Option.isSome(row) ? row.value.record.status : record.status)
    }
    return {
      imported: importedOf(taken, (id) => statuses.get(id) ?? "interrupted"),
      skipped,
      repairs: [...plan.mended, ...repairs].filter(({ taskId }) => ids.has(taskId)),
      quarantined: copies
    }
  })
