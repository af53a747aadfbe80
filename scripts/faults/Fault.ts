/** A deliberate fault: one text of a source, which occurs exactly once, and what takes its place. */
export interface Fault {
  readonly name: string
  /** Below `packages`. */
  readonly package: string
  /** Below its `src`. */
  readonly file: string
  readonly find: string
  readonly put: string
  /** The test file that notices it, below the package's `test`, without `.test.ts`. */
  readonly test: string
  /** The whole name of the test that notices it. */
  readonly says: string
}

/** Writes the faults of one package. */
export const of =
  (name: string) =>
  (fault: string, file: string, find: string, put: string, test: string, says: string): Fault => ({
    name: fault,
    package: name,
    file,
    find,
    put,
    test,
    says
  })
