/**
 * How the fibers of all runners share the thread with everything else that is in it.
 *
 * Effect's own scheduler gives each fiber a turn of the event loop of its own, and Node takes all turns that are due one
 * after the other: a hundred runners that go on at the same moment hold up timers, sockets and an editor until each has
 * done its part. Here they have one turn together, which ends after some ms; who is left has the next one, in the order in
 * which they came.
 */
import * as Scheduler from "effect/Scheduler"

/** Ms that fibers may have before the event loop goes round. */
const slice = 8

interface Due {
  readonly task: () => void
  readonly priority: number
}

/** A scheduler all of whose fibers share their turns. `now` tells ms of a clock that only goes forward. */
export const make = (now: () => number = () => performance.now()): Scheduler.Scheduler => {
  const rules = new Scheduler.MixedScheduler()
  const due: Array<Due> = []
  let next: NodeJS.Immediate | undefined

  /** Behind those of its priority and of lower ones, which come first. */
  const put = (one: Due): void => {
    let at = due.length
    while (at > 0 && (due[at - 1]?.priority ?? 0) > one.priority) at--
    if (at === due.length) due.push(one)
    else due.splice(at, 0, one)
  }

  /** The first one first, until the time is over; what they bring comes behind those that wait already. */
  const turn = (ends: number): void => {
    do due.shift()?.task()
    while (due.length > 0 && now() < ends)
  }

  const schedule = (): void => {
    next ??= setImmediate(() => {
      next = undefined
      try {
        turn(now() + slice)
      } finally {
        if (due.length > 0) schedule()
      }
    })
  }

  const dispatcher: Scheduler.SchedulerDispatcher = {
    scheduleTask: (task, priority) => {
      put({ task, priority })
      schedule()
    },
    flush: () => {
      while (due.length > 0) turn(Infinity)
    }
  }

  return {
    executionMode: "async",
    shouldYield: (fiber) => rules.shouldYield(fiber),
    makeDispatcher: () => dispatcher
  }
}
