/**
 * The trees of tasks that were read, by their roots, with what each task looks like in words.
 *
 * Pure of reading: whoever reads puts the tree in again, and all other entries stay the objects that they are.
 */
import * as StateText from "./StateText.ts"
import { TaskNode } from "@belay/task-engine/remote"
import type * as View from "../conversation/View.ts"
import type { TaskId } from "@belay/task-state"

/** A task in its tree. */
export interface Entry {
  readonly node: TaskNode.TaskNode
  readonly text: StateText.StateText
  readonly parent: Entry | undefined
  readonly rootId: TaskId.TaskId
  /** This window has it. */
  readonly here: boolean
  /** Another process is at work on it or below it, or is about to. */
  readonly elsewhere: boolean
}

/** All tasks that were read, as they are at one time. */
export interface Snapshot {
  /** Roots, the last changed first. */
  readonly roots: ReadonlyArray<Entry>
  /** There are more finished ones. */
  readonly more: boolean
  /** Every task that is known, by its id. */
  readonly entries: ReadonlyMap<string, Entry>
  /** Roots that are there and cannot be read. */
  readonly unreadable: ReadonlyArray<TaskId.TaskId>
  /** The places of those that are queued, from 1, by their ids. */
  readonly places: ReadonlyMap<string, number>
  /** What the requests to models are at, of tasks that this window runs, by their ids. */
  readonly answers: ReadonlyMap<string, View.Answering>
}

/** The id of its task. */
export const idOf = ({ node }: Entry): TaskId.TaskId => node.row.record.id

/** A task and everything below it, from the top down. */
export const withBelow = (entry: Entry, { entries }: Snapshot): ReadonlyArray<Entry> => [
  entry,
  ...TaskNode.descendants(entry.node).flatMap(({ row }) => entries.get(row.record.id) ?? [])
]

const isElsewhere = (node: TaskNode.TaskNode, { state }: StateText.StateText, me: string): boolean => {
  const theirs = ({ row: { lease } }: TaskNode.TaskNode) => lease?.alive === true && lease.ownerId !== me
  // One that waits for a person's decision is given up by its process when it is asked.
  const stuck = state === "blocked" || state === "ready"
  return (theirs(node) && !stuck) || TaskNode.descendants(node).some(theirs)
}

const enter = (all: Array<Entry>, node: TaskNode.TaskNode, parent: Entry | undefined, me: string): Entry => {
  const { lease, record } = node.row
  const here = lease?.alive === true && lease.ownerId === me
  const rootId = parent?.rootId ?? record.id
  const text = StateText.of(node, me)
  const entry: Entry = { node, text, parent, rootId, here, elsewhere: isElsewhere(node, text, me) }
  all.push(entry)
  for (const child of node.children ?? []) enter(all, child, entry, me)
  return entry
}

/** Subtasks begin in the order in which they were asked for; each process has a line of its own. */
const placesOf = (entries: ReadonlyMap<string, Entry>): ReadonlyMap<string, number> => {
  const lines = new Map<string, number>()
  const queued = [...entries.values()].filter(({ text }) => text.state === "queued")
  const places = new Map<string, number>()
  for (const entry of queued.toSorted((left, right) => left.node.row.createdAt - right.node.row.createdAt)) {
    const owner = entry.parent?.node.row.lease
    if (owner?.alive !== true) continue
    const place = (lines.get(owner.ownerId) ?? 0) + 1
    lines.set(owner.ownerId, place)
    places.set(idOf(entry), place)
  }
  return places
}

/** The trees that were read, which a reader puts in and takes out. */
export class TaskTrees {
  readonly #me: string
  /** Every tree, its root first. */
  readonly #trees = new Map<TaskId.TaskId, ReadonlyArray<Entry>>()
  readonly #unreadable = new Set<TaskId.TaskId>()

  /** `me` is the owner id of this process. */
  constructor(me: string) {
    this.#me = me
  }

  upsert(node: TaskNode.TaskNode): void {
    const all: Array<Entry> = []
    enter(all, node, undefined, this.#me)
    this.#trees.set(node.row.record.id, all)
    this.#unreadable.delete(node.row.record.id)
  }

  /** It is gone. */
  remove(id: TaskId.TaskId): void {
    this.#trees.delete(id)
    this.#unreadable.delete(id)
  }

  /** It can no longer be read. */
  markUnreadable(id: TaskId.TaskId): void {
    this.#trees.delete(id)
    this.#unreadable.add(id)
  }

  snapshot(more: boolean, answers: Snapshot["answers"] = new Map()): Snapshot {
    const entries = new Map<string, Entry>()
    const roots: Array<Entry> = []
    for (const all of this.#trees.values()) {
      roots.push(...all.slice(0, 1))
      for (const entry of all) entries.set(idOf(entry), entry)
    }
    roots.sort((left, right) => right.node.row.updatedAt - left.node.row.updatedAt)
    return { roots, more, entries, unreadable: [...this.#unreadable], places: placesOf(entries), answers }
  }
}
