/** The history inside its thread: `layerSqliteOrRead`, one fiber per call, until it is told to close. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type { MessagePort } from "node:worker_threads"
import type * as HistoryError from "../../history/HistoryError.ts"
import { Inbox } from "../../history/Inbox.ts"
import { layerSqliteOrRead } from "../store/layer.ts"
import type { Governors } from "../store/writer.ts"
import { Ownership, type OwnershipOptions } from "../../ownership/Ownership.ts"
import { TaskHistory } from "../../history/TaskHistory.ts"
import * as Wire from "./wire.ts"

/** A clock of the caller's own stands still during a call; waiting takes the time that it takes. */
const standing = (clock: Clock.Clock, now: number): Clock.Clock => {
  const nanos = BigInt(Math.trunc(now)) * 1_000_000n
  return {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.succeed(now),
    currentTimeNanosUnsafe: () => nanos,
    currentTimeNanos: Effect.succeed(nanos),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}

/** Every call is answered, also when its result cannot travel. */
const reply = (port: MessagePort, id: number, exit: Parameters<typeof Wire.encode>[0]): void => {
  try {
    port.postMessage({ _tag: "Reply", id, outcome: Wire.encode(exit) } satisfies Wire.Told)
  } catch (cause) {
    port.postMessage({ _tag: "Reply", id, outcome: Wire.encode(Exit.die(cause)) } satisfies Wire.Told)
  }
}

/** Answers calls as they come; a caller that gives up has its fiber interrupted, and hears when that is done. */
const answer = (port: MessagePort, services: Wire.Services, clock: Clock.Clock) => {
  const calls = Wire.calls(services)
  const running = new Map<number, Fiber.Fiber<unknown, unknown>>()
  const begin = ({ args, id, name, now }: Wire.Call) => {
    const call = calls[name] as (...args: ReadonlyArray<unknown>) => ReturnType<Wire.Calls[Wire.Name]>
    const effect: Effect.Effect<unknown, Effect.Error<ReturnType<Wire.Calls[Wire.Name]>>> = Effect.suspend(() =>
      call(...args)
    )
    const at = now === null ? clock : standing(clock, now)
    const fiber = Effect.runFork(Effect.provideService(effect, Clock.Clock, at))
    running.set(id, fiber)
    fiber.addObserver((exit) => {
      running.delete(id)
      reply(port, id, exit)
    })
  }
  const cancel = (id: number) => running.get(id)?.interruptUnsafe()
  const stop = Effect.suspend(() => Fiber.interruptAll([...running.values()]))
  return { begin, cancel, stop }
}

/** What decides, says who lives and repairs in a thread, for its owner. */
export type Compose = (owner: OwnershipOptions) => Layer.Layer<Governors>

const open = (port: MessagePort, options: Wire.Opening, compose: Compose) =>
  Effect.gen(function* () {
    const { directory, kind, ownerId } = options
    const governed = layerSqliteOrRead(options).pipe(Layer.provideMerge(compose({ directory, kind, ownerId })))
    const context = yield* Layer.build(governed)
    const services = {
      history: Context.get(context, TaskHistory),
      inbox: Context.get(context, Inbox),
      ownership: Context.get(context, Ownership)
    }
    const answering = answer(port, services, yield* Clock.Clock)
    yield* Effect.addFinalizer(() => answering.stop)
    const { me, notice } = services.history
    const opened = { me, notice, owner: services.ownership.row }
    port.postMessage({ _tag: "Opened", opened } satisfies Wire.Told)
    return answering
  })

/** Serves until the program says that it closes; then the database is closed and the lock is free. */
export const serve = (port: MessagePort, options: Wire.Opening, compose: Compose): Effect.Effect<void> =>
  Effect.gen(function* () {
    const closing = Deferred.makeUnsafe<void>()
    let answering: ReturnType<typeof answer> | undefined
    port.on("message", (asked: Wire.Asked) => {
      if (asked._tag === "Call") answering?.begin(asked)
      else if (asked._tag === "Cancel") answering?.cancel(asked.id)
      else Deferred.doneUnsafe(closing, Effect.void)
    })
    port.on("messageerror", (cause) => {
      throw cause
    })
    const serving = Effect.scoped(
      Effect.flatMap(open(port, options, compose), (opened) => {
        answering = opened
        return Effect.never
      })
    )
    const told = yield* Effect.raceFirst(serving, Deferred.await(closing)).pipe(
      Effect.as<Wire.Told>({ _tag: "Closed" }),
      Effect.catch((error: HistoryError.HistoryError) =>
        Effect.map(Effect.exit(Effect.fail(error)), (exit): Wire.Told => ({
          _tag: "Refused",
          outcome: Wire.encode(exit)
        }))
      )
    )
    port.postMessage(told)
    port.close()
  })
