/** Tasks as `--output json` prints them: times in ISO 8601 UTC, money as a number or null. */
import { Grant } from "@belay/approval-policy"
import type { Checkpoint } from "@belay/checkpoints"
import type { History } from "@belay/history-store"
import type { TaskNode } from "@belay/task-engine/remote"
import { Projection, TaskRecord } from "@belay/task-state"
import { type Lists, place } from "./ChecklistsBelow.ts"
import * as Amount from "../output/Amount.ts"

const iso = (ms: number): string => new Date(ms).toISOString()

/** One entry of `task list`. */
export const listed = (row: History.TaskRow) => {
  const { meta, record } = row
  return {
    id: record.id,
    parentId: record.lineage.parentId ?? null,
    rootId: record.lineage.rootId,
    status: record.status,
    derived: row.derived,
    outcome: record.status === "completed" ? record.outcome : null,
    interruption: record.status === "interrupted" ? { reason: record.interruption.reason } : null,
    title: meta.title,
    mode: meta.mode,
    model: meta.model,
    workspace: meta.workspace,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
    usage: Amount.used(row.usage),
    checklist: row.checklist
  }
}

/** An item of a checklist, with the subtask that stands below it. */
interface ListedItem {
  readonly id: string
  readonly text: string
  readonly state: string
  readonly taskId: string | null
}

type Tree = ReturnType<typeof listed> & {
  readonly items: ReadonlyArray<ListedItem>
  readonly children: ReadonlyArray<Tree>
}

/** `task tree`: the entry of a list with its subtasks in call order, and its items with the subtasks below them. */
export const tree = (node: TaskNode.TaskNode, lists: Lists): Tree => ({
  ...listed(node.row),
  items: place(node, lists).flatMap(({ item, subtask }) =>
    item === undefined
      ? []
      : [{ id: item.id, text: item.text, state: item.state, taskId: subtask?.row.record.id ?? null }]
  ),
  children: (node.children ?? []).map((child) => tree(child, lists))
})

const dated = <K extends string, A extends { readonly [P in K]: number }>(
  entries: Readonly<Record<string, A>>,
  key: K
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(entries).map(([id, entry]) => [id, { ...entry, [key]: iso(entry[key]) }]))

const recordOf = (record: TaskRecord.TaskRecord) => ({
  ...TaskRecord.encode(record),
  ...("awaiting" in record ? { awaiting: dated(record.awaiting, "since") } : {}),
  ...("collected" in record ? { collected: dated(record.collected, "at") } : {}),
  ...(record.deletedAt === undefined ? {} : { deletedAt: iso(record.deletedAt) })
})

const leaseOf = (lease: History.TaskRow["lease"]) =>
  lease === null
    ? null
    : {
        ownerId: lease.ownerId,
        pid: lease.owner.pid,
        host: lease.owner.host,
        kind: lease.owner.kind,
        alive: lease.alive,
        ...(lease.doubt === undefined ? {} : { doubt: lease.doubt })
      }

/** What `task show` reads besides the row. */
export interface Details {
  readonly row: History.TaskRow
  readonly asks: ReadonlyArray<History.Ask>
  readonly calls: ReadonlyArray<History.ToolCall>
  readonly checklist: History.Checklist | undefined
  readonly checklistPath: string
  /** Of the task and of all below it. */
  readonly lists: Lists
  readonly checkpoints: ReadonlyArray<Checkpoint>
}

/** `task show`: the record with everything that is known beside it. */
export const shown = ({ asks, calls, checklist, checklistPath, checkpoints, row }: Details) => {
  const { meta, record } = row
  return {
    ...recordOf(record),
    title: meta.title,
    workspace: meta.workspace,
    host: meta.host,
    mode: meta.mode,
    model: meta.model,
    lease: leaseOf(row.lease),
    derived: row.derived,
    legacy: Projection.project(record),
    metrics: {
      createdAt: iso(row.createdAt),
      updatedAt: iso(row.updatedAt),
      lastSeq: row.lastSeq,
      messageCount: row.messageCount,
      contextTokens: row.contextTokens,
      usage: Amount.used(row.usage),
      checklist: row.checklist
    },
    asks: asks.map(({ payload, process, ...ask }) => ({
      ...ask,
      process: process === null ? null : { ...process, startedAt: iso(process.startedAt) },
      ...payload
    })),
    toolCalls: calls.map(({ callId, name, state }) => ({ callId, name, state })),
    planning: row.meta.planning ?? null,
    focusChain: {
      path: checklistPath,
      items: checklist?.items ?? [],
      updatedByUser: checklist?.by === "user"
    },
    grants: Grant.read(meta.settings).map((rule) => ({ ...rule, text: Grant.describe(rule, meta.workspace) })),
    checkpoints: checkpoints.map(({ taskId: _, at, ...checkpoint }) => ({ ...checkpoint, at: iso(at) }))
  }
}
