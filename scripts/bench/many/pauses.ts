/**
 * How long the event loop was held up, at most: by the clock, and by the processor time of its thread, which a machine that
 * does something else meanwhile does not stretch.
 */
import { performance } from "node:perf_hooks"

export interface Pauses {
  readonly wall: number
  readonly processor: number
}

/** Ms between two looks. */
const every = 2

const used = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}

/** Watches until what it gives is called. */
export const watch = (): (() => Pauses) => {
  let [at, before] = [performance.now(), used()]
  let pauses: Pauses = { wall: 0, processor: 0 }
  const timer = setInterval(() => {
    const [now, after] = [performance.now(), used()]
    const wall = now - at - every
    pauses = {
      wall: Math.max(pauses.wall, wall),
      processor: Math.max(pauses.processor, Math.min(wall, after - before))
    }
    at = now
    before = after
  }, every)
  return () => {
    clearInterval(timer)
    return pauses
  }
}
