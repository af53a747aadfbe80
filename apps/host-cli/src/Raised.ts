/** The flag that lets a task go on which a limit has stopped: with twice of what it had. */
import type { Settings } from "@belay/task-engine"

const double = (text: string, pattern: RegExp): number | undefined => {
  const found = pattern.exec(text)
  return found === null ? undefined : 2 * Math.max(Number(found[1]), Number(found[2]))
}

const duration = (minutes: number): string =>
  Number.isInteger(minutes) ? `${minutes * 2}m` : `${Math.ceil(minutes * 120)}s`

/** `why` is what the limit says of itself; empty for a limit that no flag raises. */
export const flag = (why: string, settings: unknown): string => {
  const requests = double(why, /(\d+) of (\d+) requests used/u)
  if (requests !== undefined) return ` --max-requests ${Math.max(requests, 1)}`
  const usd = double(why, /\$([\d.]+) of \$([\d.]+) spent/u)
  if (usd !== undefined) return usd === 0 ? "" : ` --max-cost-usd ${Number(usd.toFixed(2))}`
  const { maxDurationMinutes: minutes }: Partial<Settings.Limits> = settings ?? {}
  return typeof minutes === "number" && /\d[smh]\S* used$/u.test(why) ? ` --timeout ${duration(minutes)}` : ""
}
