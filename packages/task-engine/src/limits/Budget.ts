/**
 * The limits of a task and everything below it: checked before each model call, for the task and all tasks above it.
 * That of time holds at every moment, also in the middle of a call.
 *
 * A call is reserved at the most it can take before it is made, and gets no more than the limits leave, in the history, so calls side by side cannot pass a limit
 * together, in one process or in several, and a subtask's limits are never wider than those above it. A call that is given
 * up counts as what it has taken, that of a killed process as all it may have taken. What is not known is never taken for
 * free. Where nothing is limited nothing is reserved; where limits leave plenty, the commit of the results that a call reads
 * reserves it, so it costs no commit of its own.
 */
import { type HistoryError, Reservation, type Step, TaskHistory } from "@belay/history-store"
import { Usage } from "@belay/message-state"
import { TaskId } from "@belay/task-state"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as ActiveTime from "./ActiveTime.ts"
import { Journal } from "../active/Journal.ts"
import { WorkClock } from "./WorkClock.ts"
import { Models, Settings } from "@belay/settings"
import * as CallNeed from "./CallNeed.ts"
import * as LimitText from "./LimitText.ts"
import { ModelTurn } from "../model/ModelTurn.ts"
import { type CallFailure, fence, type ActiveTask, type StoreFailure } from "../active/ActiveTask.ts"
import * as PartialUsage from "../active/PartialUsage.ts"
import * as Transitions from "../active/Transitions.ts"

/** A limit was passed between the tries of a call. */
class Passed extends Data.TaggedError("Passed")<{ readonly by: Exceeded }> {}

/** Counts what a try of the call has taken, and reserves the next one. */
export type Again = Effect.Effect<void, Passed | StoreFailure>

type Within<A> = { readonly _tag: "Made"; readonly value: A } | { readonly _tag: "Refused"; readonly by: Exceeded }

/** A limit that is reached, and whose it is: that task stops, with everything below it. */
export interface Exceeded {
  readonly owner: TaskId.TaskId
  readonly title: string
  readonly why: string
}

export class Budget extends Context.Service<
  Budget,
  {
    /**
     * Makes one call with its reservation. The call stores what it brought, `Answer` or `Spent`; one that does not end well
     * counts as what it has taken.
     */
    readonly within: <A>(
      running: ActiveTask,
      call: (again: Again) => Effect.Effect<A, CallFailure | Passed>
    ) => Effect.Effect<Within<A>, CallFailure>
    /**
     * What to reserve with results of so many characters, for the call that reads them; nothing where nothing is limited
     * or a limit is near: that call is reserved as it is made.
     */
    readonly ahead: (
      running: ActiveTask,
      characters: number
    ) => Effect.Effect<Reservation.Asked | undefined, HistoryError.HistoryError>
    /** Ends what is reserved for a call that is not made now. */
    readonly release: (running: ActiveTask) => Effect.Effect<void, StoreFailure>
    /** Ends when the time of the task itself is used up; without such a limit it does not end. */
    readonly timeUp: (running: ActiveTask) => Effect.Effect<Exceeded, HistoryError.HistoryError>
  }
>()("@belay/task-engine/Budget") {
  static readonly layer = Layer.effect(
    Budget,
    Effect.gen(function* () {
      const parts: Parts = {
        model: yield* ModelTurn,
        clock: yield* WorkClock,
        history: yield* TaskHistory,
        journal: yield* Journal,
        activeTime: yield* ActiveTime.ActiveTime
      }
      return Budget.of({
        within: within(parts),
        ahead: ahead(parts),
        release: (running) => release(parts, running),
        timeUp: timeUp(parts)
      })
    })
  )
}

interface Parts {
  readonly model: ModelTurn["Service"]
  readonly clock: WorkClock["Service"]
  readonly history: TaskHistory["Service"]
  readonly journal: Journal["Service"]
  readonly activeTime: ActiveTime.ActiveTime["Service"]
}

/** A task whose limits hold for a call. */
interface Scope extends ActiveTime.Task {
  readonly title: string
  readonly limits: Settings.Limits
}

const minute = 60_000

/** Timers take no longer waits than this. */
const longestWait = 24 * 60 * minute

/** No more than the failure of the service ended it. */
const isRefusedByService = (exit: Exit.Exit<unknown, CallFailure | Passed>): boolean =>
  Exit.isFailure(exit) && Option.exists(Cause.findErrorOption(exit.cause), (error) => error._tag === "ModelError")

const scopeOf = Effect.fnUntraced(function* ({ history, journal }: Parts, id: TaskId.TaskId) {
  const running = journal.running.get(id)
  if (running !== undefined) {
    const { record, settings, title } = running
    return Option.some<Scope>({ record, title, limits: settings })
  }
  const row = yield* history.row(id)
  if (Option.isNone(row)) return Option.none<Scope>()
  const limits = yield* Effect.orDie(Settings.decode(row.value.meta.settings))
  return Option.some<Scope>({ record: row.value.record, title: row.value.meta.title, limits })
})

/** The task and those above it that have a limit, the topmost first: of several that refuse, the widest decides. */
const scopesOf = Effect.fnUntraced(function* (parts: Parts, running: ActiveTask) {
  const scopes: Array<Scope> = []
  let id: TaskId.TaskId | undefined = running.id
  while (id !== undefined) {
    const scope: Option.Option<Scope> = yield* scopeOf(parts, id)
    if (Option.isNone(scope)) break
    if (Settings.isLimited(scope.value.limits)) scopes.unshift(scope.value)
    id = scope.value.record.lineage.parentId
  }
  return scopes
})

/** The limit of time that is reached, of the topmost task that has come to it. */
const late = Effect.fnUntraced(function* ({ activeTime, clock }: Parts, scopes: ReadonlyArray<Scope>) {
  if (scopes.some(({ limits }) => limits.maxDurationMinutes !== null)) yield* clock.look
  for (const scope of scopes) {
    const minutes = scope.limits.maxDurationMinutes
    if (minutes === null) continue
    const why = LimitText.timeUsed(yield* activeTime.until(scope, yield* Clock.currentTimeMillis), minutes)
    if (why !== undefined) return { owner: scope.record.id, title: scope.title, why } satisfies Exceeded
  }
  return undefined
})

/** What limits the calls of a task now. Errors: `Passed` when it has no time left. */
const limitsOf = Effect.fnUntraced(function* (parts: Parts, running: ActiveTask) {
  const scopes = yield* scopesOf(parts, running)
  const by = yield* late(parts, scopes)
  if (by !== undefined) return yield* new Passed({ by })
  return scopes.filter(({ limits }) => CallNeed.isCounted(limits))
})

const asked = (
  running: ActiveTask,
  id: string,
  need: Omit<CallNeed.CallNeed, "least"> & Pick<Reservation.Asked, "least">,
  counted: ReadonlyArray<Scope>
): Reservation.Asked => ({
  ...fence(running),
  id,
  ...need,
  scopes: counted.map(({ limits: { maxCostUsd, maxRequests, maxTokens }, record }) => ({
    taskId: record.id,
    limits: { maxCostUsd, maxRequests, maxTokens }
  }))
})

/** The reservation of the next call; none where nothing limits it. Errors: `Passed`. */
const reserve = Effect.fnUntraced(function* (parts: Parts, running: ActiveTask, before?: number) {
  const counted = yield* limitsOf(parts, running)
  Transitions.granted(running, undefined)
  if (counted.length === 0) {
    yield* release(parts, running)
    return undefined
  }
  const made = Transitions.takenUp(running)
  const need = CallNeed.of(running, parts.model.inputTokens(running), before)
  const wanted = asked(running, made?.id ?? (yield* TaskId.make), need, counted)
  if (made !== undefined && CallNeed.covers(made, wanted)) {
    Transitions.granted(running, wanted.outputTokens)
    return wanted.id
  }
  const { reserved } = yield* parts.journal.commit([{ _tag: "Reserve", ...wanted }])
  if (reserved?._tag === "Reserved") {
    Transitions.granted(running, reserved.outputTokens)
    return wanted.id
  }
  if (made !== undefined) yield* parts.journal.commit([unused(running, made)])
  if (reserved === undefined) return yield* Effect.die("a commit did not say what became of its reservation")
  const scope = counted.find(({ record }) => record.id === reserved.by)
  const why = LimitText.refusal(
    scope?.limits ?? running.settings,
    reserved,
    Reservation.needOf({ ...need, ...need.least })
  )
  return yield* new Passed({ by: { owner: reserved.by, title: scope?.title ?? "", why } })
})

/** Where limits leave plenty, the call that reads results is reserved with their commit. */
const ahead = (parts: Parts): Budget["Service"]["ahead"] =>
  Effect.fnUntraced(
    function* (running, characters) {
      const counted = yield* limitsOf(parts, running)
      if (counted.length === 0) return undefined
      const { least: _least, ...need } = CallNeed.of(
        running,
        parts.model.inputTokens(running) + CallNeed.news(characters)
      )
      return asked(running, yield* TaskId.make, need, counted)
    },
    Effect.catchTag("Passed", () => Effect.succeed(undefined))
  )

/** Ends a reservation whose call is not made. */
const unused = (running: ActiveTask, { id, model }: Reservation.Asked): Step.Step => ({
  _tag: "Unanswered",
  taskId: running.id,
  reservation: id,
  model,
  costUsd: 0
})

const release = Effect.fnUntraced(function* ({ journal }: Parts, running: ActiveTask) {
  const made = Transitions.takenUp(running)
  if (made !== undefined) yield* journal.commit([unused(running, made)])
})

/** Stores what a call without an answer has taken, and ends its reservation. */
const over = Effect.fnUntraced(function* (
  { journal }: Parts,
  running: ActiveTask,
  reservation: string | undefined,
  failed: boolean
) {
  const taken = Transitions.callOver(running)
  const usage = taken === undefined ? undefined : PartialUsage.usageOf(taken, failed, yield* Clock.currentTimeMillis)
  if (usage === undefined && reservation === undefined) return
  const by = taken?.model ?? Settings.modelFor(running.settings, running.mode)
  const step: Step.Step = {
    _tag: "Unanswered",
    taskId: running.id,
    ...(reservation === undefined ? {} : { reservation }),
    ...(usage === undefined ? {} : { usage }),
    model: by,
    costUsd: usage === undefined ? 0 : Usage.cost(usage, Models.of(running.settings, by).price)
  }
  yield* journal.commit([step])
})

const within =
  (parts: Parts): Budget["Service"]["within"] =>
  <A>(
    running: ActiveTask,
    call: (again: Again) => Effect.Effect<A, CallFailure | Passed>
  ): Effect.Effect<Within<A>, CallFailure> => {
    const made = Effect.acquireUseRelease(
      Effect.map(reserve(parts, running), (id) => ({ id })),
      (reservation) => {
        const again: Again = Effect.gen(function* () {
          yield* over(parts, running, reservation.id, false)
          reservation.id = undefined
          reservation.id = yield* reserve(parts, running, running.budget.granted)
        }).pipe(Effect.uninterruptible)
        return Effect.map(call(again), (value): Within<A> => ({ _tag: "Made", value }))
      },
      // What cannot be stored goes on counting as reserved.
      ({ id }, exit) =>
        Exit.isSuccess(exit) ? Effect.void : Effect.ignore(over(parts, running, id, isRefusedByService(exit)))
    )
    return Effect.catchTag(made, "Passed", ({ by }) => Effect.succeed<Within<A>>({ _tag: "Refused", by }))
  }

const timeUp = (parts: Parts): Budget["Service"]["timeUp"] =>
  Effect.fn("Budget.timeUp")(function* (running) {
    const { record, settings, title } = running
    const { maxDurationMinutes: minutes } = settings
    if (minutes === null) return yield* Effect.never
    for (;;) {
      yield* parts.clock.look
      const active = yield* parts.activeTime.until({ record }, yield* Clock.currentTimeMillis)
      const why = LimitText.timeUsed(active, minutes)
      if (why !== undefined) return { owner: record.id, title, why }
      yield* Effect.sleep(Math.min(Math.ceil(minutes * minute - active), longestWait))
    }
  })
