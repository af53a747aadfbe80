/** What one row of the table says: what was measured, beside what, and the most that it may be. */
import type { Spread } from "./spread.ts"

/**
 * `most`: of what is counted. Of times: `within` so many ms, so many `times` the floor, or so much `beyond` it. Beside a
 * floor of memory, too.
 */
export type Limit =
  | { readonly most: number }
  | { readonly within: number }
  | { readonly times: number }
  | { readonly beyond: number }

/** Times in ms, memory in MB. */
export interface Figure {
  readonly name: string
  readonly belay: Spread
  /** The least that anything of the kind takes, of the same runs. */
  readonly floor?: Spread
  /** The same of other programs, by their names: figures to compare with, and no limits. */
  readonly others?: ReadonlyArray<readonly [name: string, of: Spread]>
  /** The processor time of what is timed, in ms, where it is known. */
  readonly processor?: { readonly belay: Spread; readonly floor?: Spread }
  readonly limit: Limit | undefined
  readonly digits: number
}

/** Figures of one part of the bench, and what there are none of and why. */
export interface Measured {
  readonly figures: ReadonlyArray<Figure>
  readonly skipped: ReadonlyArray<string>
}
