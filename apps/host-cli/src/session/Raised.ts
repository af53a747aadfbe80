/** How a task that a limit has stopped is told of, and the option that lets it go on: with twice of what it had. */
import type { Settings } from "@belay/settings"

const reached = ([, used, most]: RegExpExecArray): number => Math.max(Number(used), Number(most))

const duration = (minutes: number): string =>
  Number.isInteger(minutes) ? `${minutes * 2}m` : `${Math.ceil(minutes * 120)}s`

interface Raised {
  /** That it was reached, as a sentence that names the option. */
  readonly said: string
  /** What to add to the command that goes on; empty for a limit that no option raises. */
  readonly flag: string
}

/** `why` is what the limit says of itself. */
export const of = (why: string, settings: unknown): Raised => {
  const requests = /(\d+) of (\d+) requests used/u.exec(why)
  if (requests !== null) {
    // Those that are under way count, too.
    const most = reached(requests)
    const said = `Stopped after ${most} ${most === 1 ? "request" : "requests"} (--max-requests)`
    return { said, flag: ` --max-requests ${Math.max(2 * most, 1)}` }
  }
  const cost = /\$([\d.]+) of \$([\d.]+) spent/u.exec(why)
  if (cost !== null) {
    const usd = 2 * reached(cost)
    return {
      said: `Stopped: ${why} (--max-cost-usd)`,
      flag: usd === 0 ? "" : ` --max-cost-usd ${Number(usd.toFixed(2))}`
    }
  }
  const tokens = /(\d+) of (\d+) tokens used/u.exec(why)
  if (tokens !== null) {
    const more = Math.max(2 * reached(tokens), 1)
    return { said: `Stopped: ${why} (--max-tokens)`, flag: ` --max-tokens ${more}` }
  }
  const { maxDurationMinutes: minutes }: Partial<Settings.Limits> = settings ?? {}
  return typeof minutes === "number" && /\d[smh]\S* used$/u.test(why)
    ? { said: `Stopped: ${why} (--timeout)`, flag: ` --timeout ${duration(minutes)}` }
    : { said: `Stopped: ${why}`, flag: "" }
}
