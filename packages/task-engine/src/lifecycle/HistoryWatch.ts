/**
 * What happens beside the tasks while an engine lives: what other processes wrote and asked for is looked at, and what
 * dead ones left behind is repaired.
 *
 * One look comes whenever the history has changed, or a runner has ended here. By itself, a look at the leases comes beside
 * it, so that nothing that holds the first up lets a lost task go on; and once a minute everything is compared.
 */
import { type HistoryError, TaskHistory } from "@belay/history-store"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { Journal } from "../active/Journal.ts"
import { LeaseWatch } from "./LeaseWatch.ts"
import { PendingLaunches } from "../active/PendingLaunches.ts"
import { TaskRegistry } from "../active/Registry.ts"
import { AttentionKeeper } from "../asks/AttentionKeeper.ts"
import { TaskRuns } from "../delegation/TaskRuns.ts"
import { WaitingParents } from "../delegation/WaitingParents.ts"
import { InboxRequests } from "./InboxRequests.ts"

/** How often other processes' requests are looked for. */
const pollEvery = "200 millis"

/** How often this process compares its leases with its runners. */
const auditEvery = "1 minute"

/** Of nothing that was seen: whatever is there is another state. */
const unseen = { version: -1, endings: -1 }

/** Errors: `HistoryError` when what dead processes left behind cannot be repaired. */
export const layer: Layer.Layer<
  never,
  HistoryError.HistoryError,
  | AttentionKeeper
  | Journal
  | LeaseWatch
  | PendingLaunches
  | InboxRequests
  | TaskHistory
  | TaskRegistry
  | TaskRuns
  | WaitingParents
> = Layer.effectDiscard(
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const journal = yield* Journal
    const registry = yield* TaskRegistry
    const pending = yield* PendingLaunches
    const leases = yield* LeaseWatch
    const attention = yield* AttentionKeeper
    const waiting = yield* WaitingParents
    const requests = yield* InboxRequests
    const runs = yield* TaskRuns
    let seen = unseen

    /** Tasks that wait look at their subtasks again. */
    const wake = Effect.sync(() => {
      for (const running of journal.running.values()) running.news.openUnsafe()
    })

    const poll = Effect.gen(function* () {
      // A process that is killed writes nothing by which it would be noticed.
      yield* runs.resumeParents
      const endings = registry.endings()
      const version = yield* journal.look
      if (version === seen.version && endings === seen.endings) return
      // Who waits and is woken still has its task.
      yield* leases.look
      yield* attention.look
      yield* wake
      seen = { version, endings }
      yield* waiting.look
      // A task that is taken and not running yet is asked at the next look.
      if (!(yield* requests.carryOut)) seen = unseen
    }).pipe(Effect.ignore)

    const audit = Effect.gen(function* () {
      yield* waiting.look
      yield* history.reconcile(new Set([...registry.kept(), ...pending.ids()]))
      yield* wake
      yield* attention.look
    }).pipe(Effect.ignore)

    yield* history.reconcile(new Set())
    yield* attention.look
    yield* Effect.forkScoped(Effect.repeat(poll, Schedule.spaced(pollEvery)))
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(leases.look), Schedule.spaced(pollEvery)))
    yield* Effect.forkScoped(Effect.repeat(Effect.delay(audit, auditEvery), Schedule.forever))
  })
)
