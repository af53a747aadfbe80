/** What is kept of a task of another program while all others are read, to decide what an import will do. */
import type { Block } from "./internal/blocks.ts"
import * as Completion from "./internal/completion.ts"
import * as Delegation from "./internal/delegation.ts"
import type { SourceTask } from "./SourceTask.ts"
import * as Transcript from "./Transcript.ts"

/** All of it but its conversation. */
export interface Summary extends Omit<SourceTask, "transcript" | "costs" | "original" | "texts"> {
  /** Its calls for subtasks, in order. */
  readonly delegations: ReadonlyArray<Delegation.Delegation>
  /** What it was told of subtasks by messages. */
  readonly notices: string
  /** The calls that would end it and have no result. */
  readonly endings: ReadonlyArray<string>
}

const noticesOf = ({ entries, open }: Transcript.Transcript): string =>
  [...entries, ...(open?.said ?? [])]
    .filter(({ message }) => message.role === "user")
    .flatMap(({ message }) => message.content.flatMap(noticeIn))
    .join("\n")

const noticeIn = (block: Block): ReadonlyArray<string> => {
  if (block.type === "text") return Delegation.isNotice.test(block.text) ? [block.text] : []
  if (block.type !== "tool_result") return []
  return block.content.flatMap((part) =>
    part.type === "text" && Delegation.isHeard.test(part.text) ? [part.text] : []
  )
}

/** Of a task that was read. */
export const of = ({ costs: _, original: __, texts: ___, transcript, ...task }: SourceTask): Summary => {
  // What was said after a result is about it, so it is not asked for again.
  const isLast = transcript.open?.said.length === 0
  return {
    ...task,
    delegations: transcript.delegations,
    notices: noticesOf(transcript),
    endings: isLast ? Transcript.openCalls(transcript, Completion.tool) : []
  }
}
