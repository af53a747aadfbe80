/** A task as older programs store it: one child at a time, and links in several fields that can disagree. */
export interface LegacyItem {
  readonly id: string
  /** Absent means active. Newer programs may store others. */
  readonly status?: string
  readonly awaitingChildId?: string
  readonly delegatedToId?: string
  readonly childIds?: ReadonlyArray<string>
  /** The child that reported last. */
  readonly completedByChildId?: string
  /** Of a completed task its own result, else that of the child that reported last. */
  readonly completionResultSummary?: string
  readonly parentTaskId?: string
  readonly rootTaskId?: string
}

const statuses = ["active", "delegated", "interrupted", "completed"] as const
/** The states that older programs store. */
export type LegacyStatus = (typeof statuses)[number]

/** The status as these programs read it; undefined for one that they do not know. */
export const statusOf = (item: Pick<LegacyItem, "status">): LegacyStatus | undefined =>
  item.status === undefined ? "active" : statuses.find((status) => status === item.status)

/** An empty id is none. */
export const present = (id: string | undefined): string | undefined => (id === undefined || id === "" ? undefined : id)
