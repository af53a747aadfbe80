/** Tasks whose process is gone. */
import type * as Decision from "../protocol/Decision.ts"
import * as TaskRecord from "../TaskRecord.ts"
import { live, readOf, repair, type Rule } from "./Repair.ts"

const crash = { _tag: "Interrupt", reason: "crash" } as const

/**
 * ownerGone, runnerGone: a working task whose process is gone is interrupted; its parent is not touched. One that waits needs no
 * process, unless this very process has the lease: then no other could ever collect for it.
 */
export const deadRunner: Rule = (record, facts) => {
  if ((record.status !== "active" && record.status !== "delegated") || live(facts, record.id)) return undefined
  if (facts.leases.get(record.id)?.ownerId === facts.me) {
    return repair("runnerGone", record, crash, "leased by this process, but nothing runs it")
  }
  return record.status === "active"
    ? repair("ownerGone", record, crash, "active, but no live process runs it")
    : undefined
}

/** neverDelegated, creatorGone, childNotStarted: created by a process that is gone. The child of a deleted parent is treated as a root. */
export const deadCreator: Rule = (record, facts) => {
  if (record.status !== "created" || live(facts, record.id)) return undefined
  if (record.createdBy === facts.me || facts.alive(record.createdBy)) return undefined
  const { parentId } = record.lineage
  if (parentId === undefined) return repair("creatorGone", record, crash, "created, and its creator is gone")
  const parent = facts.tasks.get(parentId)
  const reads = [readOf(facts, parentId)]
  if (parent !== undefined && TaskRecord.awaitedEntry(parent, record.id) !== undefined) {
    return repair("childNotStarted", record, crash, "created and awaited, and its creator is gone", reads)
  }
  if (facts.unreadable?.(parentId) === true) return undefined
  if (TaskRecord.isTombstone(parent)) {
    return repair("creatorGone", record, crash, "created, its parent is deleted and its creator gone", reads)
  }
  if (facts.hasTranscript(record.id)) {
    return repair("neverDelegated", record, crash, "not awaited, and its creator is gone; it has a transcript", reads)
  }
  const change: Decision.Change = { command: "Remove", before: record, after: undefined, lease: "release" }
  const detail = "reserved for a delegation that was never committed"
  return { rule: "neverDelegated", taskId: record.id, detail, decision: { changes: [change], settlements: [] }, reads }
}
