/** `TaskHistory` and `Inbox` over one SQLite connection. */
import type { TaskId } from "@belay/task-state"
import { Command } from "@belay/task-state"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { SqlError } from "effect/sql/SqlError"
import * as HistoryError from "../HistoryError.ts"
import { Inbox, type Request } from "../Inbox.ts"
import { Owner, type OwnerRow } from "../Owner.ts"
import type * as Step from "../Step.ts"
import { type Committed, TaskHistory } from "../TaskHistory.ts"
import * as Read from "./read.ts"
import * as Reconciliation from "./reconcile.ts"
import { type OwnerColumns, ownerOf } from "./rows.ts"
import * as Steps from "./steps.ts"
import * as Tx from "./transaction.ts"

/** Requests whose decision depends on whether another process lives. */
const asksForLiveness = (step: Step.Step): boolean =>
  step._tag === "Lifecycle" && ["Start", "Resume", "Interrupt", "CollectUnowned"].includes(step.request._tag)

const isBusy = (error: unknown): boolean =>
  error instanceof SqlError && error.reason._tag === "LockTimeoutError"

/** SQLite waits 50 ms; between the tries the event loop is free. */
const busyPolicy = Schedule.spaced("20 millis").pipe(Schedule.jittered, Schedule.upTo({ duration: "30 seconds" }))

export const make = (path: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const owner = yield* Owner
    const me = owner.row.ownerId
    let registered = false

    const typed = <A, E>(effect: Effect.Effect<A, E | SqlError>) =>
      effect.pipe(
        Effect.retry({ schedule: busyPolicy, while: isBusy }),
        Effect.catchDefect((defect) => (Schema.isSchemaError(defect) ? Effect.fail(defect) : Effect.die(defect))),
        Effect.mapError((error) =>
          error instanceof Command.TransitionRejected
            ? error
            : Schema.isSchemaError(error)
              ? new HistoryError.HistoryError({ reason: "corrupt", path, detail: "a record cannot be read", cause: error })
              : HistoryError.fromCause(path, error)
        )
      ) as Effect.Effect<A, Exclude<E, SqlError> extends never ? HistoryError.HistoryError : Exclude<E, SqlError> | HistoryError.HistoryError>

    const owners = Effect.map(sql<OwnerColumns>`SELECT * FROM owner`, (rows) => rows.map(ownerOf))

    /** Who lives, probed before the transaction: nothing but the database is touched inside. */
    const probe = Effect.gen(function* () {
      const rows = yield* owners
      const others = rows.filter((row) => row.ownerId !== me)
      const alive = yield* Effect.forEach(others, owner.alive)
      return {
        dead: others.filter((_, index) => alive[index] === false),
        known: new Map(others.map((row, index) => [row.ownerId, alive[index] === true]))
      }
    })

    const register = (now: number) => {
      if (registered) return Effect.void
      const { row } = owner
      return Effect.tap(
        sql`INSERT INTO owner (owner_id, machine_id, boot_id, pid_namespace, pid, kind, host, started_at)
          VALUES (${row.ownerId}, ${row.machineId}, ${row.bootId}, ${row.pidNamespace}, ${row.pid}, ${row.kind},
            ${row.host}, ${now}) ON CONFLICT (owner_id) DO NOTHING`,
        () => Effect.void
      )
    }

    const transact = <A, E>(
      liveness: boolean,
      body: (tx: Tx.Transaction, dead: ReadonlyArray<OwnerRow>) => Effect.Effect<A, E>
    ) =>
      Effect.gen(function* () {
        const probed = liveness ? yield* probe : { dead: [], known: new Map<string, boolean>() }
        const now = yield* Clock.currentTimeMillis
        const done = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* register(now)
            const present = new Set(liveness ? (yield* owners).map((row) => row.ownerId) : [])
            // Without a probe nobody is taken for dead.
            const alive = (id: string) => !liveness || (present.has(id) && (probed.known.get(id) ?? true))
            const tx = Tx.make(sql, me, now, alive)
            const result = yield* body(tx, probed.dead)
            yield* Tx.flush(tx)
            return { tx, result }
          })
        )
        registered = true
        return { ...done, dead: probed.dead }
      })

    const commit = Effect.fnUntraced(function* (steps: ReadonlyArray<Step.Step>) {
      const { tx } = yield* typed(
        transact(steps.some(asksForLiveness), (tx) =>
          Effect.forEach(steps, (step) => Steps.apply(tx, step), { discard: true })
        )
      )
      const committed: Committed = { events: tx.pending.map((pending) => pending.event), records: tx.records }
      return committed
    })

    const reconcile = Effect.fn("TaskHistory.reconcile")(function* (runners: ReadonlySet<TaskId.TaskId>) {
      const { dead, result } = yield* typed(
        transact(true, (tx, found) =>
          Reconciliation.run(
            tx,
            runners,
            found.map((row) => row.ownerId)
          )
        )
      )
      yield* Effect.forEach(dead, owner.forget, { discard: true })
      return result
    })

    const read = Read.make(sql, owner, path)
    const history = TaskHistory.of({
      me,
      commit,
      reconcile: (runners) => reconcile(runners) as Effect.Effect<any, HistoryError.HistoryError>,
      row: (id) => typed(read.row(id)),
      list: (query) => typed(read.list(query)),
      children: (id) => typed(read.children(id)),
      find: (prefix, limit) => typed(read.find(prefix, limit)),
      messages: (id) => typed(read.messages(id)),
      calls: (id) => typed(read.calls(id)),
      asks: (id) => typed(read.asks(id)),
      checklist: (id) => typed(read.checklist(id)),
      events: (id, from, limit) => typed(read.events(id, from, limit)),
      treeUsage: (root) => typed(read.treeUsage(root)),
      version: typed(read.version)
    })

    const inbox = Inbox.of({
      post: (request) =>
        typed(
          Effect.flatMap(
            Clock.currentTimeMillis,
            (now) => sql`INSERT INTO inbox (id, task_id, attempt, kind, payload, requested_by, created_at)
              VALUES (${request.id}, ${request.taskId}, ${request.attempt}, ${request.kind}, '{}', ${request.by}, ${now})
              ON CONFLICT (id) DO NOTHING`
          )
        ).pipe(Effect.asVoid),
      pending: typed(
        Effect.map(
          sql<any>`SELECT i.* FROM inbox i JOIN lease l ON l.task_id = i.task_id
            WHERE i.applied_at IS NULL AND l.owner_id = ${me} ORDER BY i.created_at, i.id`,
          (rows) =>
            rows.map((row): Request => ({
              id: row.id,
              taskId: row.task_id,
              attempt: row.attempt,
              kind: row.kind,
              by: row.requested_by
            }))
        )
      )
    })

    // A process that leaves in peace leaves no row; its leases were released by its runners.
    yield* Effect.addFinalizer(() =>
      registered
        ? Effect.ignore(sql`DELETE FROM owner WHERE owner_id = ${me}
            AND NOT EXISTS (SELECT 1 FROM lease WHERE owner_id = ${me})`)
        : Effect.void
    )

    return { history, inbox }
  })
