/** The processes that a history knows: who they are, whether they live, and which tasks they have. */
import type { History } from "@belay/history-store"
import { Holder } from "@belay/interaction"

const states = { Alive: "alive", Dead: "dead", Unknown: "unknown" } as const

const tasksOf = ({ tasks }: History.SeenOwner): string => {
  if (tasks.length === 0) return "has no task"
  return `has ${tasks.length === 1 ? "task" : `${tasks.length} tasks:`} ${tasks.join(", ")}`
}

/** Who it is, what it has, and what is to be done of one that is gone. */
export const said = (seen: History.SeenOwner): string => {
  const { liveness, owner } = seen
  const who = `${owner.pid} (${owner.kind}) on ${owner.host} ${tasksOf(seen)}`
  switch (liveness._tag) {
    case "Alive":
      return who
    case "Dead":
      return `${who}; the next command that changes a task repairs what it left`
    case "Unknown": {
      const [first] = seen.tasks
      const next = first === undefined ? "" : `. If it is gone: belay task interrupt ${first} --take-over`
      return `${who}; ${Holder.why(liveness.why)}${next}`
    }
  }
}

/** One line for each, without what is at the end of a line. */
export const line = (seen: History.SeenOwner): string =>
  `${states[seen.liveness._tag].padEnd(7)}  process ${said(seen)}`

export const json = ({ liveness, owner: { host, kind, pid }, startedAt, tasks }: History.SeenOwner) => ({
  process: { kind, host, pid, startedAt },
  state: states[liveness._tag],
  ...(liveness._tag === "Unknown" ? { why: liveness.why } : {}),
  tasks
})
