/** What a program stores about a task besides its logs, with every field checked: what cannot be true is absent. */
import type { LegacyItem } from "@belay/task-state/legacy"
import { amount, count, type Fields, fieldsOf, listOf, text } from "./internal/fields.ts"

export interface Item extends LegacyItem {
  /** What was asked for; absent when it is blank or a stand-in for "no text". */
  readonly task?: string
  /** ms since 1970, of its newest change. */
  readonly at?: number
  readonly workspace?: string
  /** The name of the mode it was in. */
  readonly mode?: string
  readonly tokensIn?: number
  readonly tokensOut?: number
  readonly cacheReads?: number
  readonly cacheWrites?: number
  /** US dollars. */
  readonly cost?: number
  /** A step that had begun and not finished. */
  readonly pending?:
    | { readonly kind: "create-subtask" }
    | { readonly kind: "finish-subtask"; readonly parentTaskId: string }
}

/** What Roo Code and its translations write where there is no text. */
const standIn = /^(?:task\s*#\s*\d+|\S{1,12}\s*#\s*\d+\s*(?=[（(]))\s*(?:[（(].*[)）])?$/iu

export const saidTask = (value: unknown): string | undefined => {
  const said = text(value)?.trim() ?? ""
  return said === "" || standIn.test(said) ? undefined : said
}

const pendingOf = (value: unknown): Item["pending"] => {
  const { kind, parentTaskId } = fieldsOf(value)
  if (kind === "create_subtask") return { kind: "create-subtask" }
  const parent = text(parentTaskId)
  return kind === "finish_subtask" && parent !== undefined
    ? { kind: "finish-subtask", parentTaskId: parent }
    : undefined
}

/** The fields that have a value. */
const known = <A extends object>(fields: A): { [K in keyof A]?: Exclude<A[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof A]?: Exclude<A[K], undefined>
  }

const linksOf = (fields: Fields) => {
  const children = listOf(fields["childIds"]).filter((id): id is string => typeof id === "string")
  return {
    awaitingChildId: text(fields["awaitingChildId"]),
    delegatedToId: text(fields["delegatedToId"]),
    childIds: children.length === 0 ? undefined : [...new Set(children)],
    completedByChildId: text(fields["completedByChildId"]),
    completionResultSummary: text(fields["completionResultSummary"]),
    parentTaskId: text(fields["parentTaskId"]),
    rootTaskId: text(fields["rootTaskId"])
  }
}

/** A link that was dropped from an item is taken from where else the program keeps it. */
export const withLinks = (item: Item, meta: unknown, listed: unknown, intended: unknown): Item => {
  const others = [meta, listed, intended].map((value) => linksOf(fieldsOf(value)))
  const children = [item.childIds, ...others.map(({ childIds }) => childIds)].flatMap((ids) => ids ?? [])
  const waits = item.awaitingChildId ?? others[0]?.awaitingChildId
  const isOver = item.status === "completed" || item.completedByChildId === waits
  const dropped = isOver || item.awaitingChildId !== undefined || waits === undefined ? undefined : waits
  const summary = others.find(
    ({ completedByChildId: by, completionResultSummary: words }) =>
      by !== undefined && words !== undefined && (item.completedByChildId ?? by) === by
  )
  return {
    ...item,
    ...known({
      childIds: children.length === 0 ? undefined : [...new Set(children)],
      parentTaskId: item.parentTaskId ?? others[1]?.parentTaskId ?? others[2]?.parentTaskId,
      rootTaskId: item.rootTaskId ?? others[1]?.rootTaskId,
      awaitingChildId: item.awaitingChildId ?? dropped,
      ...(item.completionResultSummary === undefined && item.status !== "completed"
        ? {
            completedByChildId: item.completedByChildId ?? summary?.completedByChildId,
            completionResultSummary: summary?.completionResultSummary
          }
        : {})
    })
  }
}

/** The item of a task; `id` is the name of its folder, which counts. */
export const decode = (id: string, value: unknown): Item => {
  const fields = fieldsOf(value)
  const places = ["workspace", "cwdOnTaskInitialization", "shadowGitConfigWorkTree", "workspaceRoot"]
  return {
    id,
    ...known({
      ...linksOf(fields),
      status: text(fields["status"]),
      task: saidTask(fields["task"]),
      at: count(fields["ts"]),
      workspace: places.map((name) => text(fields[name])).find((place) => place !== undefined && place !== ""),
      mode: text(fields["mode"]),
      tokensIn: count(fields["tokensIn"]),
      tokensOut: count(fields["tokensOut"]),
      cacheReads: count(fields["cacheReads"]),
      cacheWrites: count(fields["cacheWrites"]),
      cost: amount(fields["totalCost"]),
      pending: pendingOf(fields["pendingAction"])
    })
  }
}
