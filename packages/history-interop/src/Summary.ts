/** What is kept of a task of another program while all others are read, to decide what an import will do. */
import * as Completion from "./internal/completion.ts"
import { fieldsOf, text } from "./internal/fields.ts"
import type { SourceTask } from "./SourceTask.ts"
import * as Transcript from "./Transcript.ts"

/** A call for a subtask that has no result. */
export interface Asked {
  readonly callId: string
  readonly message: string
}

/** All of it but its conversation. */
export interface Summary extends Omit<SourceTask, "transcript" | "costs" | "original"> {
  readonly asked: ReadonlyArray<Asked>
  /** The calls that would end it and have no result. */
  readonly endings: ReadonlyArray<string>
}

/** Of a task that was read. */
export const of = ({ costs: _, original: __, transcript, ...task }: SourceTask): Summary => {
  const open = new Set(Transcript.openCalls(transcript, "new_task"))
  const asked = (transcript.open?.calls ?? []).flatMap(({ use }) =>
    open.has(use.id) ? [{ callId: use.id, message: text(fieldsOf(use.input)["message"]) ?? "" }] : []
  )
  // What was said after a result is about it, so it is not asked for again.
  const isLast = transcript.open?.said.length === 0
  return { ...task, asked, endings: isLast ? Transcript.openCalls(transcript, Completion.tool) : [] }
}
