/** The one line that tells a person what was repaired in the history while nobody was there. */
import type { History } from "@belay/history-store"
import * as Words from "./Words.ts"

const what: Record<History.AppliedRepair["rule"], string> = {
  ownerGone: "its process has ended, and it is interrupted",
  runnerGone: "nothing ran it any more, and it is interrupted",
  neverDelegated: "it was never started, and is gone",
  creatorGone: "its process ended before it was started, and it is interrupted",
  childNotStarted: "its process ended before it was started, and it is interrupted",
  nothingAwaited: "it waited for no subtask, and can go on",
  childCompleted: "its subtasks had finished, and it has their results",
  childLost: "a subtask of it is gone, and it waits for it no longer",
  recordMissing: "its record was missing, and is put back from its log",
  recordDamaged: "its record was damaged, and is put back from its journal",
  waitCircle: "it and its subtask waited for each other, and it can go on",
  childOfAnother: "it waited for a subtask of another task, and waits for it no longer",
  notAChild: "it waited for a task that is not a subtask of it, and waits for it no longer",
  deletionUnfinished: "it was deleted, and what was left of it is removed",
  callUnanswered: "the result of a subtask had not reached it, and has now"
}

/** Tasks that are named; of more only the number is told. */
const named = 3

const copies = (count: number): string => {
  if (count === 0) return ""
  return count === 1
    ? "a record could not be read; a copy of it is kept"
    : `${count} records could not be read; a copy of each is kept`
}

const repaired = (repairs: History.Reconciled["repairs"]): string => {
  const words = new Map(repairs.map(({ rule, taskId }) => [taskId, what[rule]]))
  const told = [...words].slice(0, named).map(([id, text]) => ({ id: Words.shortId(id), text }))
  const [first] = told
  if (first === undefined) return ""
  if (words.size === 1) return `task ${first.id} was repaired: ${first.text}`
  const more = words.size > named ? `; and ${words.size - named} more` : ""
  return `${words.size} tasks were repaired: ${told.map(({ id, text }) => `${id}: ${text}`).join("; ")}${more}`
}

/** Without a capital and a full stop, as the end of a line of any host; `undefined` where nothing was repaired. */
export const line = ({ quarantined, repairs }: History.Reconciled): string | undefined => {
  const parts = [repaired(repairs), copies(quarantined.length)].filter((part) => part !== "")
  return parts.length === 0 ? undefined : parts.join("; ")
}
