/**
 * A child that leads a process group, with what has left the group as far as `Strays` finds it.
 *
 * Guarantees: SIGTERM to all of it, SIGKILL after 2 seconds, and what was killed is waited for.
 */
import type * as childProcess from "node:child_process"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { isRunning, isThere, signal, signalOne } from "../../internal/signals.ts"
import type { Hold } from "./Hold.ts"
import * as ProcessReaper from "./ProcessReaper.ts"
import * as Strays from "./Strays.ts"

const graceMillis = 2000
/** What was killed is gone as soon as the kernel gives it a moment; one that hangs in the kernel is not waited for. */
const goneMillis = 10_000
const pollMillis = 20

const untilGone = Effect.fnUntraced(function* (pid: number, strays: ReadonlyArray<number>, millis: number) {
  const latest = (yield* Clock.currentTimeMillis) + millis
  const isLeft = () => isRunning(pid) || strays.some(isThere)
  while (isLeft() && (yield* Clock.currentTimeMillis) < latest) yield* Effect.sleep(pollMillis)
})

/** Signals all that is left; who starts others meanwhile is found by the next. */
const signalAll = Effect.fnUntraced(function* (pid: number, mark: string, name: NodeJS.Signals, millis: number) {
  const group = signal(pid, name)
  const strays = Strays.of(mark)
  for (const stray of strays) signalOne(stray, name)
  if (group || strays.length > 0) yield* untilGone(pid, strays, millis)
})

/** `isBoxed`: all that leaves the group ends with the box. */
export const hold = (
  child: childProcess.ChildProcess & { readonly pid: number },
  { isBoxed, mark }: { readonly isBoxed: boolean; readonly mark: string }
): Hold => {
  const { pid } = child
  ProcessReaper.add(pid)
  const hasStrays = () => !isBoxed && Strays.of(mark).length > 0
  let isGone = false
  const isAlive = Effect.sync(() => {
    const hasExited = child.exitCode !== null || child.signalCode !== null
    // What has gone with all it started does not come back.
    const alive = !isGone && (isRunning(pid) || hasStrays())
    isGone ||= !alive && hasExited
    return alive
  })
  return {
    isWhole: true,
    isAlive,
    end: Effect.gen(function* () {
      if (!(yield* isAlive)) return
      yield* signalAll(pid, mark, "SIGTERM", graceMillis)
      yield* signalAll(pid, mark, "SIGKILL", goneMillis)
    }).pipe(Effect.ensuring(Effect.sync(() => ProcessReaper.remove(pid))))
  }
}
