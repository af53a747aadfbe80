/** A task's state in words: the sign, its label, what it stopped for, and the command that goes on from there. */
import { TaskNode } from "@belay/task-engine/remote"
import { TaskState } from "@belay/task-engine/text"
import { TaskRecord } from "@belay/task-state"
import * as AskText from "../text/AskText.ts"
import * as Holder from "../text/Holder.ts"
import * as Words from "../text/Words.ts"

/** Shows the state of a task in words and a glyph. */
export interface StateText extends Words.Shown {
  /** The question, the reason or the first line of the result, printable; empty when the label says it all. */
  readonly detail: string
}

const firstLine = (text: string): string => Words.printable(AskText.plain(text))

/** The end of a turn, which waits for nobody: what is said next goes on with it. */
const endOfTurn = ({ openAsks }: TaskNode.TaskNode) => openAsks.find(({ kind }) => kind === "completion")

/** Its turn has ended, and nobody has said yet what comes next. */
export const isIdle = (node: TaskNode.TaskNode): boolean =>
  node.row.record.status !== "completed" &&
  endOfTurn(node) !== undefined &&
  node.openAsks.every(({ kind }) => kind === "completion")

const releases: Record<TaskNode.Released, string> = { abandoned: "abandoned", restarted: "restarted" }

const detailOf = (node: TaskNode.TaskNode, state: Words.State): string => {
  const { lease, meta, record } = node.row
  if (state === "needsYou") {
    const ask = node.openAsks.at(-1)
    return ask === undefined ? "" : AskText.line(ask)
  }
  if (state === "elsewhere" && lease !== null) {
    return lease.doubt === undefined ? `process ${lease.owner.pid}` : `${Holder.name(lease.owner)}, if that still lives`
  }
  if (state === "interrupted") {
    if (node.released !== undefined) return releases[node.released]
    const reason = record.status === "interrupted" ? record.interruption.reason : "crash"
    return Words.interruption(reason, { kind: meta.host, limit: Words.limit(meta.settings) })
  }
  if (state === "done" && record.status !== "completed") return firstLine(endOfTurn(node)?.payload.question ?? "")
  // Where it is gone on with: no process has it. Of a task that was imported that is not always known.
  if (state === "ready") return meta.workspace === "" ? "" : `waits in ${Words.printable(meta.workspace)}`
  return record.status === "completed" ? firstLine(record.result) : ""
}

const stateOf = (node: TaskNode.TaskNode, me: string | undefined): Words.State => {
  const { derived, lease, openAsks, record } = node.row
  const awaited = TaskNode.awaitedRunning(node)
  return TaskState.of({
    status: record.status,
    derived,
    outcome: record.status === "completed" ? record.outcome : null,
    openAsks: openAsks - node.openAsks.filter(({ kind }) => kind === "completion").length,
    isIdle: isIdle(node),
    alive: TaskNode.isAlive(node),
    here: lease !== null && lease.ownerId === me,
    ...(awaited === undefined ? {} : { awaited })
  })
}

/** `me` is the owner id of this process, where it runs tasks itself. */
export const of = (node: TaskNode.TaskNode, me?: string): StateText => {
  const state = stateOf(node, me)
  const waiting = TaskNode.awaitedRunning(node) ?? TaskRecord.foregroundIds(node.row.record).length
  const below = TaskNode.descendants(node).map((descendant) => stateOf(descendant, me))
  return { ...Words.shown(state, waiting, below), detail: detailOf(node, state) }
}

/** The order of lists: who needs a person, who works, who stopped, who is finished. */
export const rank = ({ state, subtaskNeedsYou }: StateText): number => {
  if (state === "needsYou" || subtaskNeedsYou) return 0
  if (state === "blocked" || state === "interrupted" || state === "ready") return 2
  return state === "done" || state === "failed" || state === "cancelled" ? 3 : 1
}

/** Gives what to type next; nothing for a task that has completed or that was given up. `caredFor`: a live process has the task that waits for it. */
export const nextVerb = (node: TaskNode.TaskNode, caredFor: boolean): "watch" | "resume" | undefined => {
  const { status } = node.row.record
  if (status === "completed" || isIdle(node) || (node.released !== undefined && !TaskNode.isAlive(node)))
    return undefined
  const works = TaskNode.isAlive(node) || (status === "created" && caredFor)
  return works || (status === "delegated" && TaskNode.descendants(node).some(TaskNode.isAlive)) ? "watch" : "resume"
}

/** Offers a way on from a subtask that does not report. */
export interface Choice {
  readonly words: string
  readonly verb: "abandon" | "restart"
}

/** Gives what else a person can do with a stopped subtask that nobody cares for; a stopped parent is resumed first. */
export const choices = (child: TaskNode.TaskNode, parent: TaskNode.TaskNode): ReadonlyArray<Choice> => {
  if (TaskRecord.awaitedEntry(parent.row.record, child.row.record.id) === undefined) return []
  const { status } = parent.row.record
  return [
    { words: "give it up:", verb: "abandon" },
    ...(status === "delegated" ? [{ words: "restart:   ", verb: "restart" } as const] : [])
  ]
}
