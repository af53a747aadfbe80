/** A hook that has been started for an event of a task: it is started once, whatever becomes of the process that did. */

/** Describes one run; without an output it was started, and nobody knows how it ended. */
export interface HookRun {
  /** What it was started for: of a call its id. */
  readonly key: string
  /** What it was told of, and the hook itself: SHA-256, hexadecimal. An answer counts for exactly these. */
  readonly toldHash: string
  readonly hookHash: string
  /** What it answered, as whoever started it wrote that. */
  readonly output?: string
}
