/** What is kept of a task of another program while all others are read, to decide what an import will do. */
import * as Completion from "./internal/completion.ts"
import type { Delegation } from "./internal/delegation.ts"
import type { SourceTask } from "./SourceTask.ts"
import * as Transcript from "./Transcript.ts"

/** All of it but its conversation. */
export interface Summary extends Omit<SourceTask, "transcript" | "costs" | "original"> {
  /** Its calls for subtasks, in order. */
  readonly delegations: ReadonlyArray<Delegation>
  /** The calls that would end it and have no result. */
  readonly endings: ReadonlyArray<string>
}

/** Of a task that was read. */
export const of = ({ costs: _, original: __, transcript, ...task }: SourceTask): Summary => {
  // What was said after a result is about it, so it is not asked for again.
  const isLast = transcript.open?.said.length === 0
  return {
    ...task,
    delegations: transcript.delegations,
    endings: isLast ? Transcript.openCalls(transcript, Completion.tool) : []
  }
}
