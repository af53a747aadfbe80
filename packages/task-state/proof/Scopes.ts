/** What is searched: which requests, how many tasks, and which faults; each to its fixpoint. */
import type { Protocol } from "@belay/task-state"
import type { Scope } from "./Step.ts"
import type { WideScope } from "./Wider.ts"

type Tag = Protocol.Request["_tag"]

const core: ReadonlyArray<Tag> = [
  "Start",
  "Delegate",
  "Collect",
  "CollectUnowned",
  "Interrupt",
  "Resume",
  "Complete",
  "Abandon"
]
const persons: ReadonlyArray<Tag> = ["Restart", "TakeOver", "Close", "Delete"]
const all: ReadonlyArray<Tag> = [...core, ...persons, "DelegateBackground", "Continue"]

const scope = (name: string, tasks: number, requests: ReadonlyArray<Tag>, also: Partial<Scope> = {}): Scope => ({
  name,
  tasks,
  depth: 3,
  fanOut: 2,
  requests: new Set(requests),
  late: false,
  runnersDie: true,
  shapes: ["f", "ff"],
  ...also
})

/** Every command that a task in the foreground knows, of all tasks and people at once. */
const foreground = scope("4 tasks: all foreground commands, crashes", 4, [...core, ...persons], {
  runnersDie: false
})
/** Every command of all, with runners that die. */
const everything = scope("3 tasks: every command, dying runners", 3, all, { shapes: ["f", "ff", "fb"] })
/** Parts of these, for the faults. */
export const commands = scope("3 tasks: all foreground commands, dying runners", 3, [...core, ...persons])
export const background = scope("3 tasks: background and mixed delegation", 3, [...core, "DelegateBackground"], {
  shapes: ["f", "fb"]
})
/** A person starts over a subtask that has subtasks of its own. */
export const nested = scope(
  "4 tasks: nested subtasks started over",
  4,
  ["Start", "Delegate", "Collect", "Interrupt", "Resume", "Complete", "Restart"],
  { runnersDie: false, shapes: ["f"] }
)
/** Every write of every command, decided at one time and committed at another. */
export const late = scope("2 tasks: every command, late commits", 2, all, { late: true, shapes: ["f", "ff", "fb"] })
const lateCommands = scope("3 tasks: all foreground commands, late commits", 3, [...core, ...persons], {
  late: true,
  runnersDie: false
})
export const lateReads = scope("4 tasks: delegation, late commits", 4, [...core, "Restart"], {
  late: true,
  runnersDie: false,
  shapes: ["f"]
})

/** What was deleted is taken back, or deleted for good. */
export const undeleted = scope("3 tasks: deletions taken back", 3, [...core, "Delete", "Undelete"], {
  runnersDie: false,
  shapes: ["f", "ff"]
})

/** Small enough to be searched to its fixpoint for every fault that only shows there. */
export const small = scope("2 tasks: all foreground commands, dying runners", 2, [...core, ...persons])

const deaths: ReadonlyArray<Tag> = ["Start", "Delegate", "Collect", "Interrupt", "Resume", "Complete", "TakeOver"]

const wide = (name: string, tasks: number, requests: ReadonlyArray<Tag>, also: Partial<WideScope> = {}): WideScope => ({
  ...scope(name, tasks, requests, { shapes: ["f"] }),
  writes: 0,
  unknownDeaths: true,
  oldRunners: true,
  ...also
})

/** A runner lives on in the process that has its task again; processes die where only a person can say so. */
export const runners = wide("2 tasks: two runners a process, deaths that nobody knows", 2, [...core, "TakeOver"])
/** The same of every command: reports by a wait call, forks, failures and two subtasks in the background among them. */
export const widest = wide(
  "2 tasks: every command, two runners a process, deaths that nobody knows",
  2,
  [...all, "Fork"],
  {
    shapes: ["f", "ff", "fb"]
  }
)
/** Two writes that were decided are under way at once, of one process or of two. */
export const writes = wide(
  "2 tasks: delegation, two late commits",
  2,
  ["Start", "Delegate", "Collect", "CollectUnowned", "Interrupt", "Resume", "Complete"],
  { writes: 2, runnersDie: false, oldRunners: false, unknownDeaths: false }
)
/** Three tasks wait for each other, and every process may die where only a person can say so. */
const unknownDeaths = wide("3 tasks: delegation, deaths that nobody knows", 3, deaths, {
  runnersDie: false,
  oldRunners: false
})
/** What reconciliation makes of files in which records, edges or results are missing or wrong. */
export const damaged = wide("3 tasks: damaged histories", 3, [...core, "Delete", "DelegateBackground"], {
  runnersDie: false,
  oldRunners: false,
  unknownDeaths: false,
  shapes: ["f", "ff"]
})

/** Searched by the wider model, in which every task has to be able to end. */
export const wider: ReadonlyArray<WideScope> = [runners, writes, widest, unknownDeaths]

export const full: ReadonlyArray<Scope> = [lateReads, lateCommands, late, undeleted, everything, foreground]
