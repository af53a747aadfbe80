/** What the interface begins with: where, with which options, and what is shown or said first. */
import type { TaskId } from "@belay/task-state"
import type * as Deferred from "effect/Deferred"
import type { Parsed } from "../cli/Arguments.ts"
import type { ExitCode } from "../cli/Failure.ts"

export interface Beginning {
  readonly directory: string
  readonly workspace: string
  readonly parsed: Parsed
  /** The task that is shown first. */
  readonly task: TaskId.TaskId | undefined
  /** A task is chosen from a list first. */
  readonly picks: boolean
  /** Said at once; may be empty. */
  readonly prompt: string
  /** Ends with the exit code once the person or the terminal is gone. */
  readonly left: Deferred.Deferred<ExitCode>
  readonly wrote: (text: string) => void
  readonly sent: (text: string) => void
}
