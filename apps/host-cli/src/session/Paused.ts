/** How a run is told of whose task has not completed: why, what it asks, and the command that goes on. */
import { TaskNode } from "@belay/task-engine/remote"
import { AskText, Words } from "@belay/interaction"
import { Failure } from "../cli/Failure.ts"
import type * as ResultObject from "../result/ResultObject.ts"
import * as Raised from "./Raised.ts"

const quoted = (title: string): string => `"${Words.printable(title)}"`

/** What to add to the command that goes on, by what the task waits for. */
const answers: Partial<Record<string, string>> = { plan: " --mode act", question: ' "your answer"' }

/** The task of these that waits for an answer. */
const askingOf = (task: TaskNode.TaskNode): TaskNode.TaskNode | undefined =>
  [task, ...TaskNode.descendants(task)].find(({ openAsks }) => openAsks.length > 0)

/** What is asked, as a sentence; of a call, whether it may run. */
export const open = (task: TaskNode.TaskNode): string | undefined => {
  const ask = askingOf(task)?.openAsks.at(-1)
  if (ask === undefined) return undefined
  const line = AskText.line(ask)
  if (AskText.decides(ask)) return `may it ${line.slice(0, 1).toLowerCase()}${line.slice(1)}?`
  return /[.?!]$/.test(line) ? line : `${line}.`
}

/** How a task that has not completed is told of: the reason, that nothing is lost, and the command to go on. */
export const of = (task: TaskNode.TaskNode, object: ResultObject.ResultObject): Failure => {
  const asking = askingOf(task) ?? task
  const ask = asking.openAsks.at(-1)
  const raised = ask?.kind === "budget" ? Raised.of(AskText.line(ask), asking.row.meta.settings) : undefined
  const asked = ask === undefined ? "" : AskText.line(ask)
  const { host, settings } = task.row.meta
  const said = open(task)
  if (object.interruption?.reason === "user" && said !== undefined) {
    return new Failure({
      code: 3,
      tag: "Paused",
      what: `stopped ${quoted(task.row.meta.title)}; an answer is open: ${said} Nothing was lost`,
      hint: `Go on with: belay task resume ${Words.shortId(task.row.record.id)}`
    })
  }
  const reason =
    object.interruption === undefined
      ? "it waits for subtasks that have stopped"
      : Words.interruption(object.interruption.reason, { kind: host, limit: Words.limit(settings) })
  const below = asking === task ? "" : `its subtask ${quoted(asking.row.meta.title)} has stopped: `
  const why = asked === "" ? reason : `${below}${asked}`
  const id = Words.shortId(asking.row.record.id)
  const onward = raised?.flag ?? answers[ask?.kind ?? ""] ?? ""
  if (raised !== undefined) {
    const what = asking === task ? raised.said : `subtask ${quoted(asking.row.meta.title)}: ${raised.said}`
    return new Failure({ code: 3, tag: "Paused", what, hint: `Go on: belay task resume ${id}${onward}` })
  }
  return new Failure({
    code: 3,
    tag: "Paused",
    what: `paused ${quoted(task.row.meta.title)}: ${/[.?!]$/.test(why) ? why : `${why}.`} Nothing was lost`,
    hint: `Go on with: belay task resume ${id}${onward}`
  })
}
