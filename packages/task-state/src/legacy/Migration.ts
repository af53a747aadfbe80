/**
 * Records of the older single-child shape as records of today, one at a time, when they are first needed.
 *
 * Nothing is guessed away: what is open stays awaited, a status nobody knows becomes interrupted, and the item itself is
 * the caller's to keep. Records come out as they were stored, so `Reconcile` still has to run: it collects children that
 * completed and interrupts what nobody runs.
 */
import { missingSummary, unfinishedSummary } from "../protocol/Report.ts"
import { isTaskId, type TaskId } from "../TaskId.ts"
import type * as TaskRecord from "../TaskRecord.ts"
import { type LegacyItem, present, statusOf } from "./Item.ts"

/** Describes what the importer knows besides the items. */
export interface Facts {
  readonly item: (id: string) => LegacyItem | undefined
  /** The tasks whose `parentTaskId` is this one. */
  readonly childrenOf: (id: string) => ReadonlyArray<string>
  /** The id of the last `new_task` call of a task that has no result. */
  readonly openCall: (id: string) => string | undefined
  /** The log of a task ends in a completion that was accepted. */
  readonly endsCompleted: (id: string) => boolean
  /** The process that imports. */
  readonly me: string
  /** ms since 1970 */
  readonly now: number
}

/** Reports one thing that the older record could not say, and the rule that decided it. */
export interface Note {
  readonly rule:
    | "parentCircle"
    | "activeWhileAwaiting"
    | "linksDiffer"
    | "completedWhileAwaiting"
    | "unknownStatus"
    | "childAbsent"
    | "childUnlisted"
    | "unsafeId"
    | "reattached"
  readonly detail: string
}

/** The record of today, with a note for everything that was decided on the way. */
export interface Migrated {
  readonly record: TaskRecord.TaskRecord
  readonly notes: ReadonlyArray<Note>
}

/** The ids from a task up to its root; a circle of parents is cut above its highest id. */
const ancestry = (id: string, facts: Facts): { readonly path: ReadonlyArray<string>; readonly cut: boolean } => {
  const path = [id]
  for (let current = id; ;) {
    const next = present(facts.item(current)?.parentTaskId)
    if (next === undefined || !isTaskId(next)) return { path, cut: false }
    const start = path.indexOf(next)
    if (start !== -1) {
      const circle = path.slice(start)
      const top = circle.reduce((highest, other) => (other > highest ? other : highest))
      return { path: path.slice(0, path.indexOf(top) + 1), cut: true }
    }
    path.push(next)
    current = next
  }
}

const lineageOf = (
  id: string,
  facts: Facts,
  note: (rule: Note["rule"], detail: string) => void
): TaskRecord.Lineage => {
  const { cut, path } = ancestry(id, facts)
  if (cut) note("parentCircle", `its parents form a circle, which is cut above ${path.at(-1)}`)
  const parentId = path[1]
  const lineage = { rootId: (path.at(-1) ?? id) as TaskId, depth: path.length - 1 }
  return parentId === undefined ? lineage : { parentId: parentId as TaskId, ...lineage }
}

/** The child it waits for, by the link that counts, or by its own open call when the link was lost. */
const awaitedChild = (item: LegacyItem, facts: Facts, note: (rule: Note["rule"], detail: string) => void) => {
  const [awaiting, delegated] = [present(item.awaitingChildId), present(item.delegatedToId)]
  if (awaiting !== undefined && delegated !== undefined && awaiting !== delegated) {
    note("linksDiffer", `it awaited ${awaiting} and named ${delegated}; the first one counts`)
  }
  const isOpen = (id: string) => {
    const child = facts.item(id)
    return child !== undefined && child.parentTaskId === item.id && statusOf(child) !== "completed"
  }
  if (awaiting !== undefined) {
    const status = statusOf(item)
    // A leftover link of an active task counts only if a child of its own can still report.
    const child = facts.item(awaiting)
    const counts = status !== "active" || (child !== undefined && child.parentTaskId === item.id)
    if (!counts) return undefined
    if (status === "active") note("activeWhileAwaiting", `it was active, but awaits ${awaiting}`)
    return awaiting
  }
  if (item.status === "delegated" || statusOf(item) === "completed" || facts.openCall(item.id) === undefined)
    return undefined
  const open = (item.childIds ?? []).filter(isOpen)
  if (open.length !== 1) return undefined
  note("reattached", `its call for ${open[0]} is still open`)
  return open[0]
}

const reported = (
  item: LegacyItem,
  awaited: string | undefined,
  facts: Facts,
  note: (rule: Note["rule"], detail: string) => void
): Record<TaskId, TaskRecord.Collected> => {
  const collected: Record<TaskId, TaskRecord.Collected> = {}
  const listed = item.childIds ?? []
  const unlisted = facts.childrenOf(item.id).filter((id) => !listed.includes(id) && id !== awaited)
  const missing = listed.filter((id) => id !== awaited && facts.item(id) === undefined)
  if (missing.length > 0) note("childAbsent", `${missing.join()} of its subtasks do not exist`)
  if (unlisted.length > 0) note("childUnlisted", `${unlisted.join()} name it as their parent`)
  const last = present(item.completedByChildId)
  const ids = new Set([...listed, ...unlisted, ...(last === undefined ? [] : [last])])
  for (const id of ids) {
    const child = facts.item(id)
    if (id === awaited || child === undefined || !isTaskId(id)) continue
    const done = statusOf(child) === "completed"
    const summary =
      (id === last && statusOf(item) !== "completed" ? item.completionResultSummary : undefined) ??
      child.completionResultSummary
    collected[id] = {
      callId: `legacy-${id}`,
      outcome: done ? "succeeded" : "unknown",
      summary: summary?.trim() ? summary : done ? missingSummary : unfinishedSummary,
      at: id === last ? 1 : 0,
      deliveredBy: "call"
    }
  }
  return collected
}

/** The record of one item; undefined when its own id is not safe. */
export const migrate = (item: LegacyItem, facts: Facts): Migrated | undefined => {
  if (!isTaskId(item.id)) return undefined
  const notes: Array<Note> = []
  const note = (rule: Note["rule"], detail: string) => void notes.push({ rule, detail })
  const found = awaitedChild(item, facts, note)
  const child = found !== undefined && isTaskId(found) ? found : undefined
  if (found !== undefined && child === undefined) note("unsafeId", `${JSON.stringify(found)} is not an id`)
  const identity = { id: item.id, rev: 1, lineage: lineageOf(item.id, facts, note), createdBy: facts.me }
  const collected = reported(item, child, facts, note)
  const completed = (result: string, more: Record<TaskId, TaskRecord.Collected> = {}): TaskRecord.Completed => ({
    ...identity,
    status: "completed",
    attempt: 1,
    collected: { ...collected, ...more },
    outcome: "succeeded",
    result
  })
  const callId = facts.openCall(item.id)
  const entry: TaskRecord.Awaited | undefined = child && {
    callId: callId ?? `legacy-${child}`,
    since: facts.now,
    wait: "foreground",
    ...(callId === undefined ? { answered: true } : {})
  }
  const awaiting: TaskRecord.Awaiting = child === undefined || entry === undefined ? {} : { [child]: entry }
  const open = { ...identity, attempt: 1, awaiting, collected }
  const waits = child !== undefined
  const interrupted: TaskRecord.Interrupted = {
    ...open,
    status: "interrupted",
    interruption: { reason: "crash", from: waits ? "delegated" : "active" }
  }
  const done = (record: TaskRecord.TaskRecord): Migrated => ({ record, notes })
  if (item.status === undefined && !waits) {
    note("unknownStatus", "it had no status")
    return done(facts.endsCompleted(item.id) ? completed(item.completionResultSummary ?? "") : interrupted)
  }
  switch (statusOf(item)) {
    case "completed": {
      if (child === undefined) return done(completed(item.completionResultSummary ?? ""))
      note("completedWhileAwaiting", `it was completed while it awaited ${child}`)
      const restarted = {
        callId: `legacy-${child}`,
        outcome: "restarted",
        summary: unfinishedSummary,
        at: 0,
        deliveredBy: "call"
      } as const
      return done(completed(item.completionResultSummary ?? "", { [child]: restarted }))
    }
    case "delegated":
      return done({ ...open, status: "delegated" })
    case "active":
      return done({ ...open, status: waits ? "delegated" : "active" })
    case "interrupted":
      return done(interrupted)
    default:
      note("unknownStatus", `its status ${JSON.stringify(item.status)} is not known`)
      return done(interrupted)
  }
}

/** A step that an older program had begun and not finished. */
export type PendingAction =
  | { readonly kind: "create-subtask" }
  | { readonly kind: "finish-subtask"; readonly parentTaskId: string }

/**
 * Gives what becomes of it: `drop` on a completed task; `deny`, once and as its call's result, for a subtask that
 * the task may not create; `standalone` when nobody waits for the result any more; else `keep`, and Resume asks again.
 */
export const pendingAction = (
  record: TaskRecord.TaskRecord,
  action: PendingAction,
  facts: { readonly mayDelegate: boolean; readonly awaitedBy: TaskRecord.TaskRecord | undefined }
): "drop" | "deny" | "keep" | "standalone" => {
  if (record.status === "completed") return "drop"
  if (action.kind === "create-subtask") return facts.mayDelegate ? "keep" : "deny"
  const parent = facts.awaitedBy
  const awaited = parent !== undefined && "awaiting" in parent && Object.hasOwn(parent.awaiting, record.id)
  return awaited ? "keep" : "standalone"
}
