/** Values of several runs as one figure. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
  /** One of each run, in the order of the runs. */
  readonly values: ReadonlyArray<number>
}

/** The value below which such a share of the values lies, between the two that are nearest to it. */
export const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)] ?? Number.NaN
  const above = sorted[Math.ceil(at)] ?? Number.NaN
  return below + (above - below) * (at - Math.floor(at))
}

export const spread = (values: ReadonlyArray<number>): Spread => ({
  median: quantile(values, 0.5),
  min: Math.min(...values),
  max: Math.max(...values),
  values
})

export const single = (value: number): Spread => spread([value])

/** Two programs whose runs alternated: what a run of each has to do with a machine that is loaded is alike. */
export const compared = <A>(
  runs: { readonly belay: ReadonlyArray<A>; readonly floor: ReadonlyArray<A> },
  of: (run: A) => number
): { readonly belay: Spread; readonly floor: Spread } => ({
  belay: spread(runs.belay.map(of)),
  floor: spread(runs.floor.map(of))
})
