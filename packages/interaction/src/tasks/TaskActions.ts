/** What a person can do with a task as it stands. */
import * as StateText from "./StateText.ts"
import { TaskNode } from "@belay/task-engine/remote"
import { TaskRecord } from "@belay/task-state"
import * as TaskTrees from "./TaskTrees.ts"

/** Describes what a person can do with a task. */
export type Choice =
  | "allow"
  | "answer"
  | "stop"
  | "stopTree"
  | "takeOver"
  | "resume"
  | "resumeAll"
  | "abandon"
  | "restart"
  | "openParent"
  | "continue"
  | "delete"

/** The approval that a decision in the list is about: the oldest. */
const approvalOf = ({ node }: TaskTrees.Entry) => node.openAsks.find((ask) => ask.kind === "approval")

/** One that is queued belongs to who runs its parent. */
const isCaredFor = ({ node, parent }: TaskTrees.Entry): boolean =>
  node.row.record.status === "created" && parent !== undefined && TaskNode.isAlive(parent.node)

/** Says whether a task is open and nobody has it: it goes on only when a person says so. */
export const isStopped = (entry: TaskTrees.Entry): boolean =>
  entry.node.row.record.status !== "completed" && !TaskNode.isAlive(entry.node) && !isCaredFor(entry)

/** No task waits for it, or one that does. */
const isAwaited = ({ node, parent }: TaskTrees.Entry): boolean =>
  parent === undefined || TaskRecord.awaitedEntry(parent.node.row.record, node.row.record.id) !== undefined

/** Gives what a resume of a whole tree begins with: the stopped tasks that no other one of these resumes with it. */
export const topmostStopped = (
  entry: TaskTrees.Entry,
  snapshot: TaskTrees.Snapshot
): ReadonlyArray<TaskTrees.Entry> => {
  if (isStopped(entry) && isAwaited(entry)) return [entry]
  return (entry.node.children ?? []).flatMap(({ row }) => {
    const child = snapshot.entries.get(row.record.id)
    return child === undefined ? [] : topmostStopped(child, snapshot)
  })
}

const { descendants: below } = TaskNode

const isOpen = ({ row }: TaskNode.TaskNode): boolean => row.record.status !== "completed"

const answers = (entry: TaskTrees.Entry): ReadonlyArray<Choice> => {
  const { node, text } = entry
  if (text.state !== "needsYou") return []
  // An approval of a task that nobody runs is asked for again when it goes on.
  if (approvalOf(entry) !== undefined) return TaskNode.isAlive(node) ? ["allow"] : []
  return ["answer"]
}

const stops = (entry: TaskTrees.Entry): ReadonlyArray<Choice> => {
  const { here, node, parent } = entry
  const { status } = node.row.record
  const ours = here || (isCaredFor(entry) && parent?.here === true)
  if (status === "completed" || status === "interrupted" || StateText.isIdle(node) || !ours) return []
  const works = below(node).some((task) => isOpen(task) && task.row.record.status !== "interrupted")
  return [works ? "stopTree" : "stop"]
}

/** Another process has it, and nobody but a person can know whether that lives. */
export const isDoubtful = ({ here, node: { row } }: TaskTrees.Entry): boolean =>
  !here && row.lease?.alive === true && row.lease.doubt !== undefined

const resumes = (entry: TaskTrees.Entry): ReadonlyArray<Choice> => {
  // Nobody waits for what was given up, and what is said to a task whose turn has ended goes on with it.
  if (!isStopped(entry) || entry.node.released !== undefined || StateText.isIdle(entry.node)) return []
  const stopped = below(entry.node).some((task) => isOpen(task) && !TaskNode.isAlive(task))
  return stopped || entry.parent !== undefined ? ["resume", "resumeAll"] : ["resume"]
}

/** All of it, in the order in which it is offered. */
export const of = (entry: TaskTrees.Entry): ReadonlyArray<Choice> => {
  const { node, parent } = entry
  const choices: Array<Choice> = [...answers(entry), ...stops(entry), ...resumes(entry)]
  if (parent !== undefined) {
    if (isStopped(entry)) choices.push(...StateText.choices(node, parent.node).map(({ verb }) => verb))
    choices.push("openParent")
  }
  if (isDoubtful(entry)) choices.push("takeOver")
  if (!isOpen(node)) choices.push("continue")
  if (!entry.elsewhere) choices.push("delete")
  return choices
}
