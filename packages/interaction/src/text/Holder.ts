/** Which process has a task, in words: whether it lives, what it may still do, and how to take the task from it. */
import { printable } from "@belay/message-state"
import type { Holding } from "@belay/task-engine/remote"

/** Describes the process that runs a task. */
export type Holder = Holding.Holder

const doubts: Readonly<Record<Holding.Doubt, string>> = {
  otherMachine: "it runs or ran on another machine",
  otherContainer: "it runs or ran in another container",
  otherHost: "it was started before this machine was, under another name",
  sharedDisk: "the history is not known to be on a disk of this machine",
  noLock: "its lock cannot be looked at"
}

/** Says why nobody knows whether a process lives. */
export const why = (doubt: Holding.Doubt): string => doubts[doubt]

/** Names a process for people. */
export const name = ({ host, pid }: Pick<Holder, "host" | "pid">): string => `process ${pid} on ${printable(host)}`

const longest = 60

const short = (text: string): string => {
  const line = printable(text)
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line
}

/** Gives what may still run where the process is. */
export const mayRun = (commands: ReadonlyArray<string>): string => {
  const [first, ...others] = commands
  if (first === undefined) return "what it has begun may still run there"
  return `"${short(first)}"${others.length === 0 ? "" : ` and ${others.length} more`} may still run there`
}

/** Without a full stop: who has a task, and what may happen there. `task` is its title in quotes, or its id. */
export const holds = (task: string, holder: Holder): string =>
  holder.doubt === undefined
    ? `${name(holder)} has ${task}; ${mayRun(holder.mayRun)}`
    : `${name(holder)} has ${task}, and nobody can see from here whether it lives: ${why(holder.doubt)}; ${mayRun(holder.mayRun)}`

/** A whole sentence. */
export const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`

/** After a task was taken: what was begun there is not stopped by that. Empty when nothing is known to have begun. */
export const left = (holder: Holder): string =>
  holder.mayRun.length === 0 ? "" : `What ${name(holder)} has begun is not stopped by this: ${mayRun(holder.mayRun)}.`
