/**
 * Who is whose subtask, and what has become of it, put together from both sides: a link that only one side kept is a link,
 * and a result that is anywhere is delivered.
 *
 * Pure. The parent owns the edge: a subtask that forgot its parent does not release it, and one that only the subtask
 * remembers is taken up again where the call is open.
 */
import type { LegacyItem } from "@belay/task-state/legacy"
import type { Item } from "./Item.ts"
import type { Delegation } from "./internal/delegation.ts"
import * as Pairing from "./internal/pairing.ts"
import type { Note } from "./internal/stored.ts"
import type { Summary } from "./Summary.ts"

/** What has become of a subtask, as its parent is to know it. */
export interface Child {
  readonly id: string
  /** Of its call, when one is known; empty for a call without an id. */
  readonly callId: string | undefined
  /**
   * `waiting`: its parent waits for it, and hears of it when it has ended. `told`: only the parent's record has its result,
   * which its call still lacks. `delivered`: its parent has heard of it. `detached`: its parent went on without it.
   */
  readonly state: "waiting" | "told" | "delivered" | "detached"
  /** Its call has a result already, so that what it reports is a message. */
  readonly answered: boolean
  readonly result: string
  /** Nothing but this look at both sides says so. */
  readonly found: boolean
  /** Its parent's record says that it has ended. */
  readonly hasEnded: boolean
}

/** One task with its links as they are. */
export interface Linked {
  readonly summary: Summary
  readonly item: LegacyItem
  readonly parent: Summary | undefined
  /** The task that its tree begins with. */
  readonly rootId: string
  readonly children: ReadonlyArray<Child>
  readonly notes: ReadonlyArray<Note>
}

const present = (id: string | undefined): string | undefined => (id === undefined || id === "" ? undefined : id)

/** The subtask that an item says it waits for. */
const awaited = ({ awaitingChildId, delegatedToId, status }: Item): string | undefined =>
  status === "completed"
    ? undefined
    : (present(awaitingChildId) ??
      (status === "delegated" && awaitingChildId !== "" ? present(delegatedToId) : undefined))

const names = ({ item }: Summary, id: string): boolean =>
  awaited(item) === id || item.completedByChildId === id || (item.childIds ?? []).includes(id)

type Index = ReadonlyMap<string, ReadonlyArray<Summary>>

/** By each subtask, those that say something of it. */
const namedBy = (summaries: ReadonlyArray<Summary>): Index => {
  const found = new Map<string, Array<Summary>>()
  for (const summary of summaries) {
    const { childIds, completedByChildId } = summary.item
    const ids = new Set([...(childIds ?? []), awaited(summary.item), present(completedByChildId)])
    for (const id of ids) {
      if (id === undefined || id === summary.id) continue
      const before = found.get(id)
      if (before === undefined) found.set(id, [summary])
      else before.push(summary)
    }
  }
  return found
}

const parents = (summaries: ReadonlyArray<Summary>): ((child: Summary) => Summary | undefined) => {
  const byId = new Map(summaries.map((summary) => [summary.id, summary]))
  const index = namedBy(summaries)
  const askers = summaries.filter(({ delegations }) => delegations.some(({ state }) => state === "open"))
  const only = (some: ReadonlyArray<Summary>) => (some.length === 1 ? some[0] : undefined)
  return (child) => {
    const own = child.item.parentTaskId === child.id ? undefined : byId.get(child.item.parentTaskId ?? "")
    const naming = index.get(child.id) ?? []
    const waiting = naming.filter(({ item }) => awaited(item) === child.id)
    if (own !== undefined) {
      // What nobody but the subtask says gives way to a parent that waits for it.
      const isKnown = names(own, child.id) || Pairing.asks(own, child) || waiting.length !== 1
      return isKnown ? own : waiting[0]
    }
    const asking = waiting.filter((one) => Pairing.asks(one, child))
    const listing = waiting.length === 0 ? naming : waiting.filter(({ item }) => item.childIds?.includes(child.id))
    const chosen = only(asking) ?? only(waiting) ?? only(listing) ?? waiting[0]
    if (chosen !== undefined) return chosen
    const intended = askers.find(({ id }) => id === child.item.intendedParentId)
    if (intended !== undefined) return intended
    const root = byId.get(child.item.rootTaskId ?? "")
    const mayAsk = askers.filter((one) => one.id !== child.id && one.createdAt <= child.createdAt)
    const callers = mayAsk.filter((one) => Pairing.asks(one, child))
    // Equal words by chance: a task that was begun by a person has no root but itself.
    const isSubtask = child.item.parentTaskId !== undefined || (root !== undefined && root.id !== child.id)
    if (isSubtask || child.notes.some(({ rule }) => rule === "recordMissing")) return only(callers)
    return only(callers.filter(({ item }) => item.childIds === undefined))
  }
}

/** It has ended: its record says so, or the last thing in its log does. */
export const isFinished = ({ completion, delegations, item }: Summary): boolean => {
  if (item.status === "completed") return true
  if (completion === undefined || item.pending !== undefined || awaited(item) !== undefined) return false
  return !delegations.some(({ state }) => state === "open")
}

const isDelivered = (call: Delegation | undefined, result: string): boolean =>
  call?.state === "answered" || (call?.state === "refused" && result !== "" && call.answer.includes(result))

/** What only the parent has of a result: in its record, or in what people saw since its only open call. */
const toldOf = (
  { delegations, heard, item }: Summary,
  child: Summary,
  call: Delegation | undefined
): string | undefined => {
  if (item.status === "completed") return undefined
  if (item.completedByChildId === child.id && item.completionResultSummary?.trim()) return item.completionResultSummary
  const isOnly = call?.state === "open" && delegations.filter(({ state }) => state === "open").length === 1
  return isOnly && !isFinished(child) && heard?.trim() ? heard : undefined
}

const childOf = (parent: Summary, child: Summary, call: Delegation | undefined): Child => {
  const { item } = parent
  const waits = awaited(item) === child.id
  const told = toldOf(parent, child, call)
  const own = Pairing.resultOf(child)
  const result = own.trim() === "" ? (told ?? "") : own
  const found = awaited(item) === undefined
  const ended = isFinished(child) || told !== undefined
  // What it says before it has ended is no result yet.
  const base = { id: child.id, callId: call?.callId, result: ended ? result : "", found, hasEnded: told !== undefined }
  if (item.status === "completed")
    return { ...base, state: isFinished(child) ? "delivered" : "detached", answered: true }
  if (call?.state === "open") {
    return told !== undefined && !(waits && isFinished(child))
      ? { ...base, state: "told", answered: call.callId === "" }
      : { ...base, state: "waiting", answered: call.callId === "" }
  }
  if (isDelivered(call, result)) return { ...base, state: "delivered", answered: true }
  const missed = ended && result !== "" && call?.state === "refused" && !isNoticed(parent, child, result)
  if (waits || missed) return { ...base, state: "waiting", answered: call !== undefined }
  return { ...base, state: ended ? "delivered" : "detached", answered: true }
}

/** A message has told the parent of it, or a call that waited for it. */
const isNoticed = ({ notices }: Summary, child: Summary, result: string): boolean =>
  notices.includes(result.trim()) ||
  notices.includes(JSON.stringify(result.trim()).slice(1, -1)) ||
  (notices.includes("<task-notification>") && notices.includes(child.id.replace(/^agent-/u, "")))

/** A subtask of which nothing is left but what its parent has. */
const absentOf = (
  parent: Summary,
  present: ReadonlySet<string>,
  calls: ReadonlyArray<Delegation>
): ReadonlyArray<Child> => {
  const { completedByChildId: id, completionResultSummary: summary, status } = parent.item
  const waits = awaited(parent.item)
  const result = summary?.trim() ? summary : parent.heard
  const open = calls.filter(({ state }) => state === "open")
  const gone = [id ?? waits, waits].find((one) => one !== undefined && one !== "" && !present.has(one))
  if (status === "completed" || gone === undefined || result === undefined || result.trim() === "") return []
  if (waits !== undefined && waits !== gone) return []
  if (calls.some(({ answer }) => answer.includes(gone) || answer.includes(result.trim()))) return []
  const callId = open.length === 1 ? open[0]?.callId : undefined
  return [
    {
      id: gone,
      callId,
      state: callId === undefined ? "delivered" : "told",
      answered: callId === undefined,
      result,
      found: true,
      hasEnded: true
    }
  ]
}

const itemOf = (summary: Summary, parent: Summary | undefined, children: ReadonlyArray<Child>): LegacyItem => {
  const { handoff: _h, intendedParentId: _i, pending: _, ...item } = summary.item
  const waiting = children.filter(({ state }) => state === "waiting")
  const told = children.find(({ id, state }) => state === "told" && id === item.completedByChildId)
  const waits = awaited(item)
  const known = children.find(({ id }) => id === waits)
  // What it waits for and has heard of is no wait any more.
  const isOver = known !== undefined && known.state !== "waiting"
  const own = item.status === "completed" ? present(item.awaitingChildId) : waits
  const first = own !== undefined && !isOver ? own : waiting[0]?.id
  const finished = isFinished(summary)
  const summaryText = finished && item.status !== "completed" ? summary.completion : item.completionResultSummary
  const { awaitingChildId: __, delegatedToId: ___, completionResultSummary: ____, ...rest } = item
  const isTaken = first !== undefined && first !== waits && (item.status === "active" || item.status === undefined)
  const isReleased =
    item.status === "delegated" && first === undefined && children.some(({ state }) => state === "told")
  const stopped = isTaken ? "delegated" : isReleased ? "active" : item.status
  const status = finished && item.status !== undefined ? "completed" : stopped
  const result = summaryText?.trim() ? summaryText : finished ? summary.completion : undefined
  return {
    ...rest,
    ...(status === undefined ? {} : { status }),
    ...(finished || told === undefined || told.result === "" ? {} : { completionResultSummary: told.result }),
    ...(result === undefined ? {} : { completionResultSummary: result }),
    ...(first === undefined ? {} : { awaitingChildId: first }),
    ...(first === undefined || item.delegatedToId === undefined || isTaken
      ? {}
      : { delegatedToId: item.delegatedToId }),
    ...(parent === undefined ? {} : { parentTaskId: parent.id })
  }
}

const noteOf = (summary: Summary, children: ReadonlyArray<Child>): ReadonlyArray<Note> => [
  ...children.flatMap(({ found, id, state }): ReadonlyArray<Note> => {
    if (!found || (state !== "waiting" && state !== "told")) return []
    return state === "waiting"
      ? [{ rule: "reattached", detail: `its call for ${id} is still open` }]
      : [{ rule: "resultFound", detail: `its record has the result of ${id}, which its call lacked` }]
  }),
  ...(isFinished(summary) && summary.item.status !== "completed" && summary.item.status !== undefined
    ? [{ rule: "endedInLog", detail: "its record does not say that it has ended; its last words do" }]
    : [])
]

/** A task that its parent knows to have ended has ended, unless it waits for something itself. */
const withEnd = (summary: Summary, result: string | undefined): Summary => {
  if (result === undefined || isFinished(summary) || awaited(summary.item) !== undefined) return summary
  return { ...summary, item: { ...summary.item, status: "completed", completionResultSummary: result } }
}

/** Links all tasks of a folder. */
export const resolve = (summaries: ReadonlyArray<Summary>): ReadonlyMap<string, Linked> => {
  const parentOf = parents(summaries)
  const found = new Map(summaries.map((summary) => [summary.id, parentOf(summary)]))
  const present = new Set(found.keys())
  const byParent = Map.groupBy(
    summaries.filter(({ id }) => found.get(id) !== undefined),
    ({ id }) => found.get(id)?.id
  )
  const families = summaries.map((summary) => {
    const own = (byParent.get(summary.id) ?? []).toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
    const pairs = Pairing.pairs(summary, own)
    const calls = new Map(pairs.map(({ call, child }) => [child.id, call]))
    const taken = new Set(calls.values())
    const free = summary.delegations.filter((call) => !taken.has(call))
    const children = [
      ...own.map((child) => childOf(summary, child, calls.get(child.id))),
      ...absentOf(summary, present, free)
    ]
    const place = ({ callId }: Child) => summary.delegations.findIndex((call) => call.callId === callId)
    return { summary, children: children.toSorted((a, b) => place(a) - place(b)) }
  })
  /** A parent knows that they have ended, and what they found. */
  const ended = new Map(
    families.flatMap(({ children }) =>
      children
        .filter(({ hasEnded, state }) => hasEnded && (state === "told" || state === "waiting"))
        .map(({ id, result }) => [id, result])
    )
  )
  const rootOf = (id: string): string => {
    const path = new Set([id])
    for (let above = found.get(id); above !== undefined && !path.has(above.id); above = found.get(above.id)) {
      path.add(above.id)
    }
    return [...path].at(-1) ?? id
  }
  return new Map(
    families.map(({ children, summary }): [string, Linked] => {
      const parent = found.get(summary.id)
      const item = itemOf(withEnd(summary, ended.get(summary.id)), parent, children)
      const rootId = rootOf(summary.id)
      return [summary.id, { summary, item, parent, rootId, children, notes: noteOf(summary, children) }]
    })
  )
}
