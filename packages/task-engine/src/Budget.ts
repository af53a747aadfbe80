/**
 * The limits of a task and everything below it: checked before each model call, for the task and all tasks above it.
 * That of time holds at every moment, also in the middle of a call.
 *
 * A call is reserved at the most it can take before it is made, so calls side by side cannot pass a limit together, and
 * a subtask's limits are never wider than those above it. What is not known is never taken for free.
 */
import { TaskHistory, type HistoryError } from "@belay/history-store"
import type { Usage } from "@belay/message-state"
import type { TaskId } from "@belay/task-state"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import * as ActiveTime from "./ActiveTime.ts"
import { Journal } from "./Journal.ts"
import type { ModelTurn } from "./ModelTurn.ts"
import * as Words from "./protocol/Words.ts"
import type { Running } from "./Running.ts"
import * as Settings from "./Settings.ts"

/** Stores what the call brought; from then on it counts as used and no longer as reserved. */
export type Settle = <A, E>(commit: Effect.Effect<A, E>) => Effect.Effect<A, E>

export type Within<A> =
  | { readonly _tag: "Made"; readonly value: A }
  | { readonly _tag: "Refused"; readonly by: Exceeded }

/** A limit that is reached, and whose it is: that task stops, with everything below it. */
export interface Exceeded {
  readonly owner: TaskId.TaskId
  readonly title: string
  readonly why: string
}

export interface Budget {
  /** Makes one call with its reservation, which ends with it. */
  readonly within: <A, E>(
    running: Running,
    call: (settle: Settle) => Effect.Effect<A, E>
  ) => Effect.Effect<Within<A>, E | HistoryError.HistoryError>
  /** Ends when the time of the task itself is used up; without such a limit it does not end. */
  readonly timeUp: (running: Running) => Effect.Effect<Exceeded, HistoryError.HistoryError>
}

/** What one call takes at most; `usd` is null where no price is known. */
export interface Need {
  readonly requests: number
  readonly tokens: number
  readonly usd: number | null
}

/** A task whose limits hold for a call. */
interface Scope extends ActiveTime.Task {
  readonly title: string
  readonly limits: Settings.Limits
}

const minute = 60_000

/** Timers take no longer waits than this. */
const longestWait = 24 * 60 * minute

const timeUsed = (activeMs: number, minutes: number): string | undefined =>
  activeMs >= minutes * minute ? `${Words.duration(activeMs)} of ${Words.duration(minutes * minute)} used` : undefined

const money = (usd: number): string => `$${usd.toFixed(2)}`

const tokensOf = (used: Usage.Usage): number =>
  used.inputTokens + used.outputTokens + used.cacheReadTokens + used.cacheWriteTokens

/** Which limit a call would pass, as a sentence. `open` are the reservations of other calls. */
export const refusal = (
  { maxCostUsd, maxDurationMinutes, maxRequests, maxTokens }: Settings.Limits,
  used: Usage.UsageTotal,
  open: readonly Need[],
  need: Need,
  activeMs: number
): string | undefined => {
  const reserved = (pick: (one: Need) => number) => open.reduce((sum, one) => sum + pick(one), pick(need))
  const late = maxDurationMinutes === null ? undefined : timeUsed(activeMs, maxDurationMinutes)
  if (late !== undefined) return late
  if (maxRequests !== null && used.requests + reserved((one) => one.requests) > maxRequests) {
    const others = reserved((one) => one.requests) - need.requests
    return `${used.requests} of ${maxRequests} requests used${others === 0 ? "" : `, ${others} under way`}`
  }
  if (maxTokens !== null && tokensOf(used) + reserved((one) => one.tokens) > maxTokens) {
    return `${tokensOf(used)} of ${maxTokens} tokens used, and the next call may take ${need.tokens}`
  }
  if (maxCostUsd === null) return undefined
  if (need.usd === null || used.costUsd === null) return "the price of a model is not known, so cost cannot be limited"
  return used.costUsd + reserved((one) => one.usd ?? 0) > maxCostUsd
    ? `${money(used.costUsd)} of ${money(maxCostUsd)} spent, and the next call may cost ${money(need.usd)}`
    : undefined
}

const needOf = (running: Running, inputTokens: number): Need => {
  const { outputReserve, price } = Settings.limitsOf(
    running.settings,
    Settings.modelFor(running.settings, running.mode)
  )
  const perInput = price === undefined ? 0 : Math.max(price.input, price.cacheRead, price.cacheWrite)
  return {
    requests: 1,
    tokens: inputTokens + outputReserve,
    usd: price === undefined ? null : (inputTokens * perInput + outputReserve * price.output) / 1_000_000
  }
}

export const make = (model: ModelTurn): Effect.Effect<Budget, never, TaskHistory | Journal> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const journal = yield* Journal
    const activeTime = yield* ActiveTime.make
    const lock = yield* Semaphore.make(1)
    const reserved = new Map<TaskId.TaskId, Set<Need>>()

    const scopeOf = (id: TaskId.TaskId) =>
      Effect.gen(function* () {
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
    const scopesOf = (running: Running) =>
      Effect.gen(function* () {
        const scopes: Array<Scope> = []
        let id: TaskId.TaskId | undefined = running.id
        while (id !== undefined) {
          const scope: Option.Option<Scope> = yield* scopeOf(id)
          if (Option.isNone(scope)) break
          if (Settings.isLimited(scope.value.limits)) scopes.unshift(scope.value)
          id = scope.value.record.lineage.parentId
        }
        return scopes
      })

    const refusedBy = (scope: Scope, need: Need) =>
      Effect.gen(function* () {
        const { limits, record } = scope
        const used = yield* history.treeUsage(record.id)
        const spent = limits.maxDurationMinutes === null ? 0 : yield* activeTime(scope, yield* Clock.currentTimeMillis)
        const why = refusal(limits, used, [...(reserved.get(record.id) ?? [])], need, spent)
        return why === undefined ? undefined : ({ owner: record.id, title: scope.title, why } satisfies Exceeded)
      })

    const reserve = (running: Running) =>
      Effect.gen(function* () {
        const scopes = yield* scopesOf(running)
        if (scopes.length === 0) return { end: () => undefined }
        const need = needOf(running, model.inputTokens(running))
        for (const scope of scopes) {
          const by = yield* refusedBy(scope, need)
          if (by !== undefined) return { by, end: () => undefined }
        }
        const ids = scopes.map(({ record }) => record.id)
        for (const id of ids) reserved.set(id, (reserved.get(id) ?? new Set()).add(need))
        return { end: () => ids.forEach((id) => reserved.get(id)?.delete(need)) }
      })

    const within: Budget["within"] = <A, E>(running: Running, call: (settle: Settle) => Effect.Effect<A, E>) =>
      Effect.acquireUseRelease(
        lock.withPermit(reserve(running)),
        (reservation): Effect.Effect<Within<A>, E> => {
          const { by, end } = { by: undefined, ...reservation }
          if (by !== undefined) return Effect.succeed({ _tag: "Refused", by })
          // Nobody may see the call both as used and as reserved.
          const settle: Settle = (commit) => lock.withPermit(Effect.tap(commit, () => Effect.sync(end)))
          return Effect.map(call(settle), (value): Within<A> => ({ _tag: "Made", value }))
        },
        ({ end }) => Effect.sync(end)
      )

    const timeUp: Budget["timeUp"] = (running) =>
      Effect.gen(function* () {
        const { record, settings, title } = running
        const { maxDurationMinutes: minutes } = settings
        if (minutes === null) return yield* Effect.never
        for (;;) {
          const active = yield* activeTime({ record }, yield* Clock.currentTimeMillis)
          const why = timeUsed(active, minutes)
          if (why !== undefined) return { owner: record.id, title, why }
          yield* Effect.sleep(Math.min(Math.ceil(minutes * minute - active), longestWait))
        }
      })

    return { within, timeUp }
  })
