/**
 * Every write of this process: who lives is probed first, then one transaction reads, decides and writes.
 *
 * The process is registered by its first commit, with its lock already held, and leaves no row and no lease behind when
 * its scope closes: what it did not finish is then nobody's, and the next process repairs it.
 */
import { Reconciler, type TaskId, TaskRecord, TaskStateMachine } from "@belay/task-state"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type * as Step from "../../history/Step.ts"
import type { Committed, TaskHistory } from "../../history/TaskHistory.ts"
import { Ownership } from "../../ownership/Ownership.ts"
import * as Deletions from "../writing/deletions.ts"
import type { Guard, Named } from "../database/guard.ts"
import * as Lifecycle from "../writing/lifecycle.ts"
import * as Judge from "./judge.ts"
import * as Names from "../writing/named.ts"
import * as Owners from "./owners.ts"
import * as Patience from "../database/retry.ts"
import * as Reconciliation from "../repair/reconcile.ts"
import * as Statements from "../database/statements.ts"
import * as Steps from "../writing/steps.ts"
import * as Tx from "../writing/transaction.ts"

/** Requests whose decision depends on whether another process lives. */
const liveRequests: ReadonlySet<string> = new Set([
  "Start",
  "Resume",
  "TakeOver",
  "Interrupt",
  "CollectUnowned",
  "Abandon",
  "Restart",
  "Undelete",
  "Delete"
])

const asksForLiveness = (step: Step.Step): boolean =>
  step._tag === "SwitchAtRest" ||
  step._tag === "ConfigureAtRest" ||
  step._tag === "FilesRestored" ||
  step._tag === "ConversationCut" ||
  step._tag === "ConversationUncut" ||
  (step._tag === "Lifecycle" && liveRequests.has(step.request._tag))

/** What a host composes beside a history that it writes. */
export type Governors = TaskStateMachine | Reconciler | Ownership

type Writer = Pick<TaskHistory["Service"], "me" | "commit" | "reconcile" | "expire">

export const make = (
  path: string,
  { guard, judge }: { readonly guard: Guard; readonly judge: Judge.Judge }
): Effect.Effect<Writer, never, SqlClient.SqlClient | Governors | Scope.Scope> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ownership = yield* Ownership
    const machine = yield* TaskStateMachine
    const reconciler = yield* Reconciler
    const me = ownership.row.ownerId
    let registered = false
    let wrote = false
    let swept = false
    /** Of each look that is under way: the tasks that this process has written as their owner since it began. */
    const looks = new Set<Set<TaskId.TaskId>>()

    const transact = <A, E>(
      named: Named,
      liveness: boolean,
      body: (tx: Tx.Transaction, judged: Judge.Judged) => Effect.Effect<A, E | SqlError>
    ) =>
      Effect.gen(function* () {
        const probed = liveness ? yield* judge.before : Judge.nobody
        const now = yield* Clock.currentTimeMillis
        wrote = true
        const done = yield* guard.write(
          named,
          Effect.gen(function* () {
            const taken = yield* Effect.serviceOption(sql.transactionService)
            const statements = Option.match(taken, { onNone: () => sql, onSome: ([one]) => Statements.on(one, sql) })
            // Who saw a thread before this one dead may have removed the row since: a lease is never without its ownership.
            if (!registered || liveness) yield* Owners.insert(statements, ownership.row, now)
            const judged = liveness ? yield* judge.within(statements, probed) : Judge.unasked
            const tx = Tx.make(statements, ownership.row, now, judged.alive, machine)
            const result = yield* body(tx, judged)
            yield* Tx.flush(tx)
            return { tx, result }
          })
        )
        registered = true
        return done
      })

    const noteOwned = (tx: Tx.Transaction) =>
      Effect.sync(() => {
        for (const look of looks) for (const of of tx.heads.values()) if (of?.lease?.ownerId === me) look.add(of.id)
      })

    const commit = (steps: ReadonlyArray<Step.Step>) =>
      Effect.map(
        Patience.writing(
          path,
          transact(Names.of(steps), steps.some(asksForLiveness), (tx) =>
            Effect.andThen(
              Effect.forEach(steps, (step) => Steps.apply(tx, step), { discard: true }),
              noteOwned(tx)
            )
          )
        ),
        ({ tx }): Committed => ({
          events: tx.pending.map((pending) => pending.event),
          records: tx.records,
          ...(tx.reserved === undefined ? {} : { reserved: tx.reserved })
        })
      )

    const reconcile = Effect.fn("TaskHistory.reconcile")(function* (runners: ReadonlySet<TaskId.TaskId>) {
      // Who has a runner was said before it waits for other processes; what is taken meanwhile has one, too.
      const known = new Set(runners)
      looks.add(known)
      const repair = transact("everything", true, (tx, judged) =>
        Effect.all({ gone: Owners.forget(tx, judged), done: Reconciliation.run(tx, reconciler, known, !swept) })
      )
      // Decided and written in one transaction, so a repair cannot be refused.
      const refusedIsDefect = Effect.catchTag(repair, "TransitionRejected", Effect.die)
      const { result } = yield* Effect.ensuring(
        Patience.reading(path, refusedIsDefect),
        Effect.sync(() => looks.delete(known))
      )
      swept = true
      yield* Effect.forEach(result.gone, ownership.forget, { discard: true })
      return result.done
    })

    const expire: Writer["expire"] = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if ((yield* Patience.reading(path, Deletions.expired(sql, now))).length === 0) return []
      const erasing = transact("everything", true, (tx) =>
        Effect.gen(function* () {
          const ids = yield* Deletions.expired(tx.sql, now)
          const erase = (taskId: TaskId.TaskId) =>
            Effect.flatMap(Tx.head(tx, taskId), (of) =>
              TaskRecord.isTombstone(of?.record)
                ? Lifecycle.request(tx, { _tag: "Delete", taskId, subtasks: "keep", forever: true })
                : Effect.void
            )
          yield* Effect.forEach(ids, erase, { discard: true })
          return ids
        })
      )
      // A tombstone refuses no deletion.
      const { result } = yield* Patience.reading(path, Effect.catchTag(erasing, "TransitionRejected", Effect.die))
      return result
    })

    // A row that could not be removed keeps its file: the free lock then proves that nobody is there.
    const leave = Effect.ignore(
      Effect.andThen(Patience.waiting(Owners.leave(sql, guard, me), "2 seconds"), ownership.forget(ownership.row))
    )
    yield* Effect.addFinalizer(() => (wrote ? leave : ownership.forget(ownership.row)))

    return { me, commit, reconcile, expire }
  })
