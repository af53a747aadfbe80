/**
 * Whether a figure keeps its limit.
 *
 * What is judged are single runs, each beside the run of the floor that came next to it, so that load which both bear
 * goes out of the ratio. Where the middle half of them lies on both sides of the limit and is wider than a fifth of it,
 * nothing is judged. A machine with more to do than it has processors stretches times unevenly: there a time passes its
 * limit only when the processor time passes it, too.
 */
import type { Figure, Limit } from "./figure.ts"
import { quantile, type Spread } from "./spread.ts"

export type Verdict = "ok" | "over" | "too noisy to judge"

const tooWide = 0.2

const valueOf = (limit: Limit, belay: number, floor: number): number =>
  "times" in limit ? belay / floor : "beyond" in limit ? belay - floor : belay

const mostOf = (limit: Limit): number => {
  if ("times" in limit) return limit.times
  if ("beyond" in limit) return limit.beyond
  return "within" in limit ? limit.within : limit.most
}

interface Compared {
  readonly belay: Spread
  readonly floor?: Spread
}

/** What the limit is held against, one of each run. */
const judged = (limit: Limit, { belay, floor }: Compared): ReadonlyArray<number> =>
  belay.values.map((value, run) => {
    const beside = floor?.values.length === belay.values.length ? floor.values[run] : floor?.median
    return valueOf(limit, value, beside ?? Number.NaN)
  })

const ofRuns = (limit: Limit, compared: Compared): Verdict => {
  const values = judged(limit, compared)
  const most = mostOf(limit)
  const low = quantile(values, 0.25)
  const high = quantile(values, 0.75)
  if (high <= most) return "ok"
  if (low > most) return "over"
  if (high - low > tooWide * Math.abs(most)) return "too noisy to judge"
  return quantile(values, 0.5) <= most ? "ok" : "over"
}

/** Undefined where there is no limit. `loaded`: the machine had more to do than it has processors. */
export const verdict = (figure: Figure, loaded: boolean): Verdict | undefined => {
  const { limit, processor } = figure
  if (limit === undefined) return undefined
  const found = ofRuns(limit, figure)
  if (found !== "over" || !loaded || "most" in limit) return found
  return processor !== undefined && ofRuns(limit, processor) === "over" ? "over" : "too noisy to judge"
}
