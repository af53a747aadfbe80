/**
 * The history in a folder with its database in a thread of its own, for programs that must not block.
 *
 * The same services as `layerSqlite`, with the same guarantees; a commit is one message. The caller's thread never waits
 * for the disk or for a lock. A thread that dies is a `HistoryError` to every call, pending or later (whether a pending
 * commit was made is then not known), and to other processes an owner that died.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as HistoryError from "./HistoryError.ts"
import { Inbox } from "./Inbox.ts"
import * as Thread from "./internal/thread.ts"
import { fileOf, type Options } from "./layer.ts"
import { Owner } from "./Owner.ts"
import { TaskHistory } from "./TaskHistory.ts"

export interface WorkerOptions extends Options {
  /** The module `@belay/history-store/worker`; a file `worker.js` beside this one by default. */
  readonly workerUrl?: URL | string
  /** MiB of JavaScript heap that the thread may use; what Node gives a thread by default. */
  readonly maxHeapMb?: number
}

/** Beside this module, with its extension: sources are `.ts`, what was built or bundled is `.js`. */
const besideThis = (): URL => new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url)

const addressOf = (url: URL | string): URL | string =>
  typeof url === "string" && url.startsWith("file:") ? new URL(url) : url

const historyOf = ({ call, opened }: Thread.Thread): TaskHistory["Service"] => ({
  me: opened.me,
  notice: opened.notice,
  commit: (steps) => call("commit", steps),
  row: (id) => call("row", id),
  list: (query) => call("list", query),
  children: (id) => call("children", id),
  find: (text, limit) => call("find", text, limit),
  messages: (id) => call("messages", id),
  calls: (id) => call("calls", id),
  asks: (id) => call("asks", id),
  checklist: (id) => call("checklist", id),
  events: (id, from, limit) => call("events", id, from, limit),
  treeUsage: (root) => call("treeUsage", root),
  version: call("version"),
  reconcile: (runners) => call("reconcile", runners),
  quarantined: call("quarantined")
})

const inboxOf = ({ call }: Thread.Thread): Inbox["Service"] => ({
  post: (request) => call("post", request),
  pending: call("pending"),
  applied: (id) => call("applied", id)
})

const ownerOf = ({ call, opened }: Thread.Thread): Owner["Service"] => ({
  row: opened.owner,
  // Without its thread it can prove nobody dead.
  alive: (other) => Effect.catch(call("alive", other), () => Effect.succeed(true)),
  forget: (other) => Effect.ignore(call("forget", other))
})

/**
 * The history in a folder, its database in a worker thread. What goes in must be plain data. Errors: `HistoryError` when
 * it cannot be opened, `failed` when the thread cannot be started.
 */
export const layerWorker = (
  options: WorkerOptions
): Layer.Layer<TaskHistory | Inbox | Owner, HistoryError.HistoryError> =>
  Layer.effectContext(
    Effect.suspend(() => {
      const { maxHeapMb, workerUrl, ...belayHistory } = options
      const url = addressOf(workerUrl ?? besideThis())
      const limit = maxHeapMb === undefined ? {} : { maxHeapMb }
      const thread = Thread.open({ url, start: { belayHistory }, path: fileOf(options.directory), ...limit })
      return Effect.map(thread, (opened) =>
        Context.make(TaskHistory, historyOf(opened)).pipe(
          Context.add(Inbox, inboxOf(opened)),
          Context.add(Owner, ownerOf(opened))
        )
      )
    })
  )
