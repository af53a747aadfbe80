/**
 * The history in a folder with its database in a thread of its own, for programs that must not block.
 *
 * The same services as `layerSqlite`, with the same guarantees; a commit is one message. The caller's thread never waits
 * for the disk or for a lock. What governs the history is composed in the entry of the thread (`serveHistory`). A history
 * of a newer version is only read, as by `layerReader`. A thread that dies is followed by another one, as the same owner:
 * reads that were pending are made there, pending commits fail with reason `unknown`, and a runner whose task somebody took
 * meanwhile with `LeaseLost`. After five deaths in a row every call fails, and to other processes it is an owner that died.
 */
import { DataFolder } from "@belay/machine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Preload from "./internal/thread/Preload.ts"
import type * as HistoryError from "./history/HistoryError.ts"
import { Inbox } from "./history/Inbox.ts"
import { fileOf, newOwnerId } from "./internal/process/identity.ts"
import { logged } from "./internal/repair/repairLog.ts"
import * as Keeper from "./internal/thread/workerSupervisor.ts"
import type { Options } from "./internal/store/layer.ts"
import { TaskHistory } from "./history/TaskHistory.ts"
import { Ownership } from "./ownership/Ownership.ts"

/** Configures the thread of a history. */
export interface WorkerOptions extends Options {
  /** What this process is, such as "vscode". */
  readonly kind: string
  /** The module `@belay/history-store/worker`; a file `worker.js` beside this one by default. */
  readonly workerUrl?: URL | string
  /** MiB of JavaScript heap that the thread may use; what Node gives a thread by default. */
  readonly maxHeapMb?: number
  /** The thread of this history, started before; it must have been told the same folder and kind. */
  readonly ahead?: Preload.Preload
}

/** Beside this module, with its extension: sources are `.ts`, what was built or bundled is `.js`. */
const besideThis = (): URL => new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url)

const addressOf = (url: URL | string): URL | string =>
  typeof url === "string" && url.startsWith("file:") ? new URL(url) : url

const historyOf = ({ call, generation, opened }: Keeper.Kept): TaskHistory["Service"] => ({
  me: opened.me,
  notice: opened.notice,
  commit: (steps) => call("commit", steps),
  row: (id) => call("row", id),
  list: (query) => call("list", query),
  children: (id) => call("children", id),
  find: (text, limit) => call("find", text, limit),
  messages: (id) => call("messages", id),
  shown: (id) => call("shown", id),
  timeline: (id, query) => call("timeline", id, query),
  outline: (id) => call("outline", id),
  calls: (id) => call("calls", id),
  asks: (id) => call("asks", id),
  checklist: (id) => call("checklist", id),
  files: (id) => call("files", id),
  events: (id, from, limit) => call("events", id, from, limit),
  search: (query, limit, offset) => call("search", query, limit, offset),
  treeUsage: (root) => call("treeUsage", root),
  continuation: (id) => call("continuation", id),
  reservedSession: (id) => call("reservedSession", id),
  queue: call("queue"),
  queuedTask: (id) => call("queuedTask", id),
  hookRuns: (id, key) => call("hookRuns", id, key),
  // A new connection counts from the beginning.
  version: Effect.map(call("version"), (version) => generation() * 2 ** 32 + version),
  changedSince: (version) => call("changedSince", version),
  reconcile: (runners) => logged(call("reconcile", runners)),
  owners: call("owners"),
  leases: call("leases"),
  attention: call("attention"),
  quarantined: call("quarantined"),
  imported: call("imported"),
  deleted: call("deleted"),
  expire: call("expire")
})

const inboxOf = ({ call }: Keeper.Kept): Inbox["Service"] => ({
  post: (request) => call("post", request),
  pending: call("pending"),
  queued: (id) => call("queued", id),
  withdraw: (id, by) => call("withdraw", id, by),
  reply: (id) => call("reply", id)
})

const ownershipOf = ({ call, opened }: Keeper.Kept): Ownership["Service"] => ({
  row: opened.owner,
  // The thread has it, as long as its history is open.
  hold: Effect.void,
  // Without its thread it can prove nobody dead.
  liveness: (other) =>
    Effect.catch(call("liveness", other), () => Effect.succeed({ _tag: "Unknown", why: "noLock" } as const)),
  forget: (other) => Effect.ignore(call("forget", other))
})

/**
 * The history in a folder, its database in a worker thread. What goes in must be plain data. Errors: `HistoryError` when
 * it cannot be opened, `failed` when the thread cannot be started.
 */
export const layerWorker = (
  options: WorkerOptions
): Layer.Layer<TaskHistory | Inbox | Ownership | DataFolder, HistoryError.HistoryError> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { ahead, maxHeapMb, workerUrl, ...own } = options
      const belayHistory = { ...own, ownerId: ahead?.start.belayHistory.ownerId ?? (yield* newOwnerId) }
      const url = addressOf(workerUrl ?? besideThis())
      const limit = maxHeapMb === undefined ? {} : { maxHeapMb }
      const kept = yield* Keeper.open({
        url,
        start: { belayHistory },
        path: fileOf(options.directory),
        ...limit,
        ...(ahead === undefined ? {} : { ahead })
      })
      return Context.make(TaskHistory, historyOf(kept)).pipe(
        Context.add(Inbox, inboxOf(kept)),
        Context.add(Ownership, ownershipOf(kept)),
        Context.add(DataFolder, { directory: options.directory })
      )
    })
  )
