/**
 * What becomes of the output of one command while it comes.
 *
 * Guarantees: what must not be kept, and logins in addresses, are taken out before anything else sees it; of a line that is written over the last
 * state is kept; a disk that is slower holds the command back as long as it runs; what was held back of an unfinished line
 * is kept at the end, also when the command is given up.
 */
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as LastState from "./LastState.ts"
import type { OutputStore, Recording } from "./OutputStore.ts"
import type * as ProcessGroup from "../process/ProcessGroup.ts"
import type { Pieces } from "../text/Pieces.ts"
import * as UrlLogins from "../text/UrlLogins.ts"

const asItIs: Pieces = { push: (piece) => piece, end: () => "" }
const notKept: Recording = { id: "", push: () => true, flushed: Effect.void, finish: Effect.succeed(undefined) }

export interface Options {
  readonly taskId: TaskId.TaskId
  readonly callId: string
  readonly outputs: OutputStore | undefined
  readonly pieces: Pieces | undefined
  /** Text as it came. */
  readonly onText: (text: string) => void
  /** Text that is settled, as it is kept. */
  readonly onKept: (text: string) => void
}

export interface CommandOutput {
  readonly recording: Recording
  readonly push: (chunk: string) => void
  readonly startedBy: (group: ProcessGroup.ProcessGroup) => void
  /** The command has ended: what is left in the pipes is little, and must not wait for the disk. */
  readonly ended: () => void
  /** Takes no more; what was held back is settled. */
  readonly close: () => void
  /** The line that has not ended. */
  readonly held: () => string
}

export const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<CommandOutput, never, Scope.Scope> {
  const { callId, onKept, onText, outputs, pieces = asItIs, taskId } = options
  const states = LastState.make()
  const logins = UrlLogins.make()
  let group: ProcessGroup.ProcessGroup | undefined
  let hasEnded = false
  let isClosed = false
  const record = outputs?.record(taskId, callId, () => group?.setFlowing(true))
  const recording = record === undefined ? notKept : yield* record
  const keep = (text: string) => {
    if (text === "") return
    const isTaken = recording.push(text)
    onKept(text)
    if (!isTaken && !hasEnded) group?.setFlowing(false)
  }
  const take = (text: string) => {
    if (text === "" || isClosed) return
    keep(states.push(text))
    onText(text)
  }
  const close = () => {
    take(logins.push(pieces.end()) + logins.end())
    if (!isClosed) keep(states.end())
    isClosed = true
  }
  yield* Effect.addFinalizer(() => Effect.sync(close))
  return {
    recording,
    push: (chunk) => take(logins.push(pieces.push(chunk))),
    startedBy: (started) => void (group = started),
    ended: () => {
      hasEnded = true
      group?.setFlowing(true)
    },
    close,
    held: () => (isClosed ? "" : states.held())
  }
})
