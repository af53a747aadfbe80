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
    | { readonly kind: "finish-subtask"; readonly parentTaskId: string; readonly result: string }
  /** It was made for a subtask that its parent may not have heard of yet; `unknown`: in a way that is not known. */
  readonly handoff?: "begun" | "unknown"
  /** Its parent by a repair that was not finished; it counts where the call is still open. */
  readonly intendedParentId?: string
}

/** What Roo Code and its translations write where there is no text. */
const standIn = /^(?:task\s*#\s*\d+|\S{1,12}\s*#\s*\d+\s*(?=[（(]))\s*(?:[（(].*[)）])?$/iu

export const saidTask = (value: unknown): string | undefined => {
  const said = text(value)?.trim() ?? ""
  return said === "" || standIn.test(said) ? undefined : said
}

const pendingOf = (value: unknown): Item["pending"] => {
  const { kind, parentTaskId, result } = fieldsOf(value)
  if (kind === "create_subtask") return { kind: "create-subtask" }
  const parent = text(parentTaskId)
  return kind === "finish_subtask" && parent !== undefined
    ? { kind: "finish-subtask", parentTaskId: parent, result: text(result) ?? "" }
    : undefined
}

/** Zoo Code marks a subtask until its parent's record has it. */
const handoffOf = (value: unknown): Item["handoff"] => {
  if (value === undefined) return undefined
  const { kind, mode, profileName, version } = fieldsOf(value)
  const isNamed = text(profileName) !== undefined && profileName !== ""
  const isKind = kind === "preserve" || kind === "clear" || (kind === "set" && isNamed)
  return version === 1 && isKind && text(mode) !== undefined && mode !== "" ? "begun" : "unknown"
}

/** The fields that have a value. */
const known = <A extends object>(fields: A): { [K in keyof A]?: Exclude<A[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof A]?: Exclude<A[K], undefined>
  }

/** The links of a record; a task is none of its own. */
const linksOf = (fields: Fields, own?: string) => {
  const other = (name: string) => (fields[name] === own ? undefined : text(fields[name]))
  const children = listOf(fields["childIds"]).filter((id): id is string => typeof id === "string" && id !== own)
  return {
    awaitingChildId: other("awaitingChildId"),
    delegatedToId: other("delegatedToId"),
    childIds: children.length === 0 ? undefined : [...new Set(children)],
    completedByChildId: other("completedByChildId"),
    completionResultSummary: text(fields["completionResultSummary"]),
    parentTaskId: other("parentTaskId"),
    rootTaskId: text(fields["rootTaskId"])
  }
}

/** A link that was dropped from an item is taken from where else the program keeps it. `intended`: its parent by a repair. */
export const withLinks = (item: Item, meta: unknown, listed: unknown, intended: string | undefined): Item => {
  const others = [meta, listed].map((value) => linksOf(fieldsOf(value), item.id))
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
      parentTaskId: item.parentTaskId ?? others[1]?.parentTaskId,
      intendedParentId: intended,
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
      ...linksOf(fields, id),
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
      pending: pendingOf(fields["pendingAction"]),
      handoff: handoffOf(fields["pendingHandoff"])
    })
  }
}
