/** One clock for all processes of a machine, in ms: Node's `hrtime` is the system's monotonic clock. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6

/** What the server saw of one run. */
export interface Served {
  readonly received: ReadonlyArray<number>
  readonly sent: ReadonlyArray<number>
  /** The body of the first request ever, when requests are recorded. */
  readonly first?: { readonly system?: unknown; readonly tools?: unknown }
}
