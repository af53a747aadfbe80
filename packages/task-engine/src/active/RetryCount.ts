/**
 * The repetitions of one request, counted in one sequence for people: those of the transport, which counts anew with each
 * request that the engine makes, and the one by the engine itself.
 */
import type { ModelEvent } from "@belay/model-client"

export interface State {
  /** Before the request that is under way. */
  readonly before: number
  /** Of the transport, in the request that is under way. */
  readonly made: number
  /** How many there are in all, as far as the transport has told. */
  readonly of: number | undefined
}

export const initial: State = { before: 0, made: 0, of: undefined }

/** The transport tries again; the engine will once more, if it `mayRepeat`. */
export const transport = (
  { before }: State,
  { of, try: made }: Pick<ModelEvent.Retrying, "of" | "try">,
  mayRepeat: boolean
): State => ({ before, made, of: before + of + (mayRepeat ? 1 + of : 0) })

/** The engine tries again. */
export const engine = ({ before, made, of }: State): State => ({ before: before + made + 1, made: 0, of })

/** What failed, and that it is tried again in so many milliseconds, as a line. */
export const line = ({ before, made, of }: State, message: string, inMs: number): string => {
  const when = inMs === 0 ? "now" : `in ${Math.ceil(inMs / 1000)} s`
  // It says the same.
  return `${message.replace(/ Try again in \d+ s\.$/u, "")} Trying again ${when}${of === undefined ? "" : ` (${before + made} of ${of})`}.`
}
