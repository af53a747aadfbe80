/**
 * What travels between a program and the thread of its history.
 *
 * Arguments and results are plain data that structured clone keeps, maps and sets included. It does not keep classes:
 * an `Option` and the typed errors are taken apart on one side and put together again on the other.
 */
import { Command } from "@belay/task-state"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as HistoryError from "../../history/HistoryError.ts"
import type { Inbox } from "../../history/Inbox.ts"
import type { Options } from "../store/layer.ts"
import type { OwnerRow } from "../../history/Owner.ts"
import type { TaskHistory } from "../../history/TaskHistory.ts"
import type { Ownership, OwnershipOptions } from "../../ownership/Ownership.ts"

export interface Services {
  readonly history: TaskHistory["Service"]
  readonly inbox: Inbox["Service"]
  readonly ownership: Ownership["Service"]
}

type History = Services["history"]

/** Everything that can be asked of the thread; each is one message there and one back. */
export interface Calls extends Omit<
  History,
  | "me"
  | "notice"
  | "queue"
  | "version"
  | "owners"
  | "leases"
  | "attention"
  | "quarantined"
  | "imported"
  | "deleted"
  | "expire"
> {
  readonly version: () => History["version"]
  readonly queue: () => History["queue"]
  readonly owners: () => History["owners"]
  readonly leases: () => History["leases"]
  readonly attention: () => History["attention"]
  readonly quarantined: () => History["quarantined"]
  readonly imported: () => History["imported"]
  readonly deleted: () => History["deleted"]
  readonly expire: () => History["expire"]
  readonly post: Services["inbox"]["post"]
  readonly pending: () => Services["inbox"]["pending"]
  readonly queued: Services["inbox"]["queued"]
  readonly withdraw: Services["inbox"]["withdraw"]
  readonly reply: Services["inbox"]["reply"]
  readonly liveness: Services["ownership"]["liveness"]
  readonly forget: Services["ownership"]["forget"]
}

export type Name = keyof Calls

export const calls = ({ history, inbox, ownership }: Services): Calls => ({
  commit: history.commit,
  row: history.row,
  list: history.list,
  children: history.children,
  find: history.find,
  messages: history.messages,
  shown: history.shown,
  timeline: history.timeline,
  outline: history.outline,
  calls: history.calls,
  asks: history.asks,
  checklist: history.checklist,
  files: history.files,
  events: history.events,
  search: history.search,
  treeUsage: history.treeUsage,
  continuation: history.continuation,
  reservedSession: history.reservedSession,
  queue: () => history.queue,
  queuedTask: history.queuedTask,
  hookRuns: history.hookRuns,
  version: () => history.version,
  changedSince: history.changedSince,
  reconcile: history.reconcile,
  owners: () => history.owners,
  leases: () => history.leases,
  attention: () => history.attention,
  quarantined: () => history.quarantined,
  imported: () => history.imported,
  deleted: () => history.deleted,
  expire: () => history.expire,
  post: inbox.post,
  pending: () => inbox.pending,
  queued: inbox.queued,
  withdraw: inbox.withdraw,
  reply: inbox.reply,
  liveness: ownership.liveness,
  forget: ownership.forget
})

/** The history of a thread, and as whom it is opened: the program knows its id, and so does each thread after another. */
export interface Opening extends Options, OwnershipOptions {
  readonly ownerId: string
}

/** How the thread is started. */
export interface Start {
  readonly belayHistory: Opening
}

export const isStart = (data: unknown): data is Start =>
  typeof data === "object" && data !== null && "belayHistory" in data

export interface Call {
  readonly _tag: "Call"
  readonly id: number
  readonly name: Name
  readonly args: ReadonlyArray<unknown>
  /** ms since 1970 by the caller's clock; `null` when that is the system's, which the thread has as well. */
  readonly now: number | null
}

/** To the thread. */
export type Asked = Call | { readonly _tag: "Cancel"; readonly id: number } | { readonly _tag: "Close" }

export interface Opened {
  readonly me: string
  readonly notice: string | null
  readonly owner: OwnerRow
}

export type Outcome =
  | { readonly _tag: "Value"; readonly value: unknown }
  | { readonly _tag: "Option"; readonly values: ReadonlyArray<unknown> }
  | { readonly _tag: "Failure"; readonly error: unknown }
  | { readonly _tag: "Defect"; readonly defect: unknown }
  | { readonly _tag: "Interrupted" }

/** From the thread. */
export type Told =
  | { readonly _tag: "Opened"; readonly opened: Opened }
  | { readonly _tag: "Refused"; readonly outcome: Outcome }
  | { readonly _tag: "Reply"; readonly id: number; readonly outcome: Outcome }
  | { readonly _tag: "Closed" }

const Failure = Schema.toCodecJson(Schema.Union([HistoryError.HistoryError, Command.TransitionRejected]))
type Failure = typeof Failure.Type

const Defect = Schema.toCodecJson(Schema.Defect())

const encodeFailure = Schema.encodeSync(Failure)
const decodeFailure = Schema.decodeUnknownSync(Failure)
const encodeDefect = Schema.encodeSync(Defect)
const decodeDefect = Schema.decodeUnknownSync(Defect)

const encodeCause = (cause: Cause.Cause<Failure>): Outcome => {
  const failed = Cause.findErrorOption(cause)
  if (Option.isSome(failed)) return { _tag: "Failure", error: encodeFailure(failed.value) }
  if (Cause.hasInterruptsOnly(cause)) return { _tag: "Interrupted" }
  return { _tag: "Defect", defect: encodeDefect(Cause.squash(cause)) }
}

export const encode = (exit: Exit.Exit<unknown, Failure>): Outcome => {
  if (exit._tag === "Failure") return encodeCause(exit.cause)
  const { value } = exit
  return Option.isOption(value) ? { _tag: "Option", values: Option.toArray(value) } : { _tag: "Value", value }
}

/** What the caller gets; `interrupted` when the thread gave up what nobody had asked it to give up. */
export const decode = (outcome: Outcome, interrupted: Failure): Effect.Effect<unknown, Failure> => {
  switch (outcome._tag) {
    case "Value":
      return Effect.succeed(outcome.value)
    case "Option":
      return Effect.succeed(outcome.values.length === 0 ? Option.none() : Option.some(outcome.values[0]))
    case "Failure":
      return Effect.suspend(() => Effect.fail(decodeFailure(outcome.error)))
    case "Defect":
      return Effect.suspend(() => Effect.die(decodeDefect(outcome.defect)))
    case "Interrupted":
      return Effect.fail(interrupted)
  }
}
