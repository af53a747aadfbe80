/**
 * The transition table: which command is legal in which status, as data and as types.
 *
 * A forbidden command on a record of known status does not compile; on a record of unknown status it is rejected with
 * the rule that forbids it. Repeating a command is never an error: `same` means that nothing is written. A tombstone
 * is a completed record that refuses every command but Delete and Undelete, whatever the table says.
 */
import type { Status } from "./TaskRecord.ts"

/** Says why a command is refused, and what to do instead. */
export const rules = {
  NotStarted: "it has not been started",
  UseStart: "it has not been started: start it",
  NeedsResume: "it is interrupted: resume it first",
  InterruptFirst: "no live process runs it: it has to be interrupted or resumed first",
  NotRunning: "it is not running",
  StillWaiting: "it waits for its subtasks",
  ChildrenPending: "its subtasks have not reported yet",
  MessagesUnread: "it was told something that it has not read yet: resume it",
  UseContinue: "it is completed: continue it as a new task",
  Terminal: "it is completed",
  Owned: "another process runs it: follow it, or take it over",
  LeaseLost: "another process has taken it over",
  NotAwaited: "its parent does not wait for it",
  ChildNotCompleted: "the subtask has not completed",
  ChildExists: "a task of this id exists already",
  NoChildren: "a delegation needs at least one subtask to wait for",
  TooDeep: "subtasks are nested too deep",
  TooMany: "too many subtasks were asked for at once",
  NotWaiting: "it does not wait for this subtask",
  NotStuck: "the subtask is neither interrupted nor blocked",
  AlreadyDone: "the subtask has completed: its result is to be collected",
  StopFirst: "it or a subtask of it runs: stop it first",
  UseResume: "no live process runs it: resume it",
  NotCompleted: "it has not completed: it goes on by itself, or is resumed",
  Deleted: "it has been deleted",
  DeletedWith: "it was deleted with a task above it: take that one back",
  NotFound: "there is no such task",
  Changed: "it has changed meanwhile"
} as const
/** Names the rule that forbids a command in a status. */
export type Rule = keyof typeof rules

type Cell =
  | { readonly _tag: "to"; readonly statuses: ReadonlyArray<Status> }
  | { readonly _tag: "same" }
  | { readonly _tag: "new" }
  | { readonly _tag: "reject"; readonly rule: Rule }

const to = <const S extends ReadonlyArray<Status>>(...statuses: S) => ({ _tag: "to", statuses }) as const
const same = { _tag: "same" } as const
/** The task stays as it is; a new one is made of it. */
const makesNew = { _tag: "new" } as const
const reject = <const R extends Rule>(rule: R) => ({ _tag: "reject", rule }) as const

/** Rows are commands, columns the status the task is in, cells the statuses it may be in afterwards. */
export const table = {
  Start: {
    created: to("active"),
    active: same,
    delegated: reject("StillWaiting"),
    interrupted: reject("NeedsResume"),
    completed: reject("UseContinue")
  },
  Delegate: {
    created: reject("NotStarted"),
    active: to("delegated"),
    delegated: reject("StillWaiting"),
    interrupted: reject("NeedsResume"),
    completed: reject("Terminal")
  },
  Collect: {
    created: reject("NotStarted"),
    active: to("active"),
    delegated: to("active", "delegated"),
    interrupted: reject("NotRunning"),
    completed: same
  },
  CollectUnowned: {
    created: reject("NotStarted"),
    active: reject("InterruptFirst"),
    delegated: to("delegated", "interrupted"),
    interrupted: to("interrupted"),
    completed: same
  },
  Interrupt: {
    created: to("interrupted"),
    active: to("interrupted"),
    delegated: to("interrupted"),
    interrupted: same,
    completed: same
  },
  Resume: {
    created: reject("UseStart"),
    active: same,
    delegated: to("delegated", "active"),
    interrupted: to("active", "delegated"),
    completed: reject("UseContinue")
  },
  Complete: {
    created: reject("NotStarted"),
    active: to("completed"),
    delegated: reject("ChildrenPending"),
    interrupted: reject("NotRunning"),
    completed: same
  },
  DelegateBackground: {
    created: reject("NotStarted"),
    active: to("active"),
    delegated: reject("StillWaiting"),
    interrupted: reject("NeedsResume"),
    completed: reject("Terminal")
  },
  Restart: {
    created: reject("NotStarted"),
    active: reject("NotWaiting"),
    delegated: to("delegated"),
    interrupted: reject("NeedsResume"),
    completed: reject("Terminal")
  },
  TakeOver: {
    created: reject("NotStarted"),
    active: to("active"),
    delegated: to("delegated"),
    interrupted: reject("UseResume"),
    completed: reject("Terminal")
  },
  Close: {
    created: reject("NotStarted"),
    active: reject("StopFirst"),
    delegated: reject("StillWaiting"),
    interrupted: to("completed"),
    completed: same
  },
  Abandon: {
    created: reject("NotStarted"),
    active: to("active"),
    delegated: to("active", "delegated", "interrupted"),
    interrupted: to("interrupted"),
    completed: reject("Terminal")
  },
  Continue: {
    created: reject("NotStarted"),
    active: reject("NotCompleted"),
    delegated: reject("NotCompleted"),
    interrupted: reject("NotCompleted"),
    completed: makesNew
  },
  Fork: {
    created: reject("NotStarted"),
    active: makesNew,
    delegated: makesNew,
    interrupted: makesNew,
    completed: makesNew
  },
  Delete: {
    created: to("completed"),
    active: reject("StopFirst"),
    delegated: to("completed"),
    interrupted: to("completed"),
    completed: to("completed")
  },
  Undelete: {
    created: same,
    active: same,
    delegated: same,
    interrupted: same,
    completed: to("created", "delegated", "interrupted", "completed")
  }
} as const satisfies Record<string, Record<Status, Cell>>

/** Names a command of the table. */
export type CommandName = keyof typeof table

/** The commands that are legal in a status; of an unknown status, all that are legal in any. */
export type Permitted<S extends Status> = S extends Status
  ? { [C in CommandName]: (typeof table)[C][S] extends { readonly _tag: "reject" } ? never : C }[CommandName]
  : never

type Reached<C extends CommandName, S extends Status> = S extends Status
  ? (typeof table)[C][S] extends { readonly statuses: infer T extends ReadonlyArray<Status> }
    ? T[number]
    : (typeof table)[C][S] extends { readonly _tag: "same" | "new" }
      ? S
      : never
  : never

/** The statuses that a command can lead to. */
export type After<C extends CommandName, S extends Status> = C extends CommandName ? Reached<C, S> : never

/** Returns what the table says of a command in a status. */
export const cell = (command: CommandName, status: Status): Cell => table[command][status]
