/** `TaskHistory` and `Inbox` over a database. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import type { HistoryError } from "../../history/HistoryError.ts"
import { Inbox } from "../../history/Inbox.ts"
import { TaskHistory } from "../../history/TaskHistory.ts"
import { Ownership } from "../../ownership/Ownership.ts"
import * as Answerer from "../records/answerer.ts"
import * as Deletions from "../writing/deletions.ts"
import type { Guard } from "../database/guard.ts"
import type { Feed } from "../reading/changes.ts"
import * as Imported from "../writing/imported.ts"
import * as Requests from "../writing/inbox.ts"
import type { Judge } from "./judge.ts"
import * as Owners from "./owners.ts"
import * as Patience from "../database/retry.ts"
import * as Quarantine from "../repair/quarantine.ts"
import * as Read from "../reading/read.ts"
import { logged } from "../repair/repairLog.ts"
import * as Search from "../search/search.ts"
import * as Queue from "../writing/queue.ts"
import * as Hooks from "../writing/hooks.ts"
import * as Sessions from "../writing/sessions.ts"
import * as Writer from "./writer.ts"

interface Store {
  readonly history: TaskHistory["Service"]
  readonly inbox: Inbox["Service"]
}

/** What a history stands on besides its statements. */
export interface Base {
  /** Where it lies, as people are told. */
  readonly path: string
  readonly guard: Guard
  readonly judge: Judge
  readonly feed: Feed
}

export interface Options {
  readonly readOnly: boolean
  /** Why nothing is written to it, where a program that writes may only read: a newer version, or a read-only disk. */
  readonly unwritable: HistoryError | undefined
}

const noticeOf = ({ detail, reason }: HistoryError): string =>
  reason === "readOnly"
    ? "This history is on a disk that is read-only. It can be read, and nothing new is stored."
    : `This history was written by a newer Belay (${detail}). It is open read-only: update Belay to go on.`

/** Nothing can be repaired in what is only read. */
const untouched = Effect.succeed({ repairs: [], quarantined: [] })

export const make = (
  { feed, guard, judge, path }: Base,
  { readOnly, unwritable }: Options
): Effect.Effect<Store, never, SqlClient.SqlClient | Writer.Governors | Scope.Scope> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ownership = yield* Ownership
    const writer = yield* Writer.make(path, { guard, judge })
    const read = Read.make(sql, ownership)
    const search = Search.make(sql, read.keyed, readOnly ? undefined : guard)
    const requests = Requests.make(sql, guard, writer.me, Answerer.of(ownership.row))
    const history = TaskHistory.of({
      me: writer.me,
      commit: unwritable === undefined ? writer.commit : () => Effect.fail(unwritable),
      reconcile: (runners) => (unwritable === undefined ? logged(writer.reconcile(runners)) : untouched),
      expire: unwritable === undefined ? writer.expire : Effect.succeed([]),
      deleted: Patience.reading(path, Deletions.all(sql)),
      notice: unwritable === undefined ? null : noticeOf(unwritable),
      row: (id) => Patience.reading(path, read.row(id), id),
      list: (query) => Patience.reading(path, read.list(query)),
      children: (id) => Patience.reading(path, read.children(id), id),
      find: (prefix, limit) => Patience.reading(path, read.find(prefix, limit)),
      messages: (id) => Patience.reading(path, read.messages(id), id),
      shown: (id) => Patience.reading(path, read.shown(id), id),
      timeline: (id, query) => Patience.reading(path, read.timeline(id, query), id),
      outline: (id) => Patience.reading(path, read.outline(id), id),
      calls: (id) => Patience.reading(path, read.calls(id), id),
      asks: (id) => Patience.reading(path, read.asks(id), id),
      checklist: (id) => Patience.reading(path, read.checklist(id), id),
      files: (id) => Patience.reading(path, read.files(id), id),
      events: (id, from, limit) => Patience.reading(path, read.events(id, from, limit), id),
      search: (query, limit, offset = 0) => Patience.reading(path, search(query, limit, offset)),
      continuation: (id) => Patience.reading(path, read.continuation(id), id),
      reservedSession: (id) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => Patience.reading(path, Sessions.find(sql, id, now), id)),
      queue: Patience.reading(path, Queue.waiting(sql)),
      queuedTask: (id) => Patience.reading(path, Queue.find(sql, id), id),
      hookRuns: (id, key) => Patience.reading(path, Hooks.of(sql, id, key), id),
      treeUsage: (root) => Patience.reading(path, read.treeUsage(root)),
      changedSince: (since) => Patience.reading(path, feed.since(since)),
      owners: Patience.reading(path, Owners.seen(sql, ownership)),
      attention: Patience.reading(path, read.attention),
      quarantined: Patience.reading(path, Quarantine.all(sql)),
      imported: Patience.reading(path, Imported.all(sql)),
      leases: Patience.reading(path, read.leases),
      // Whoever only follows what is written learns of it, too.
      version: Patience.reading(path, Effect.andThen(guard.look, feed.version))
    })
    const inbox = Inbox.of({
      post: (request) =>
        unwritable === undefined
          ? Effect.asVoid(Patience.reading(path, requests.post(request)))
          : Effect.fail(unwritable),
      pending: Patience.reading(path, requests.pending),
      queued: (id) => Patience.reading(path, requests.queued(id), id),
      withdraw: (id, by) =>
        unwritable === undefined ? Patience.reading(path, requests.withdraw(id, by)) : Effect.fail(unwritable),
      reply: (id) => Patience.reading(path, requests.reply(id))
    })
    return { history, inbox }
  })
