/** What passes between the interface and what runs tasks: what is known, and what the person wants done. */
import type { View } from "@belay/interaction"
import type { Message } from "@belay/message-state"
import type { AnswerInput } from "@belay/task-engine"
import type * as AskFrame from "./asks/AskFrame.ts"
import type * as TaskTree from "./tasks/TaskTree.ts"

/** What is known of the task that is shown, and of the others. */
export interface Known {
  readonly mode: "plan" | "act"
  readonly header: View.Header | undefined
  readonly model: string
  /** Of the task that is shown, where it has subtasks. */
  readonly tree: ReadonlyArray<TaskTree.Line>
  readonly asks: ReadonlyArray<AskFrame.Asked>
  readonly queued: ReadonlyArray<View.Queued>
  readonly others: number
  /** It works, or waits for a decision that stops it from working. */
  readonly isBusy: boolean
  /** It waits for nothing but what the person says next. */
  readonly isYourTurn: boolean
}

/** What the person wants done. */
export interface Wishes {
  /** Something was said, with images. */
  readonly send: (text: string, pictures: ReadonlyArray<Message.Attachment>) => void
  /** What is written is edited elsewhere; `done` gets what became of it. */
  readonly edit: (text: string, done: (text: string) => void) => void
  /** Into the clipboard. */
  readonly copy: (text: string) => void
  /** What an ask would write is edited first. */
  readonly editProposal: (asked: AskFrame.Asked) => void
  /** Why something is asked. */
  readonly explain: (asked: AskFrame.Asked) => void
  /** The image of the clipboard. */
  readonly clipboard: (done: (bytes: Uint8Array) => void) => void
  /** An Enter without words: a stopped task goes on. */
  readonly goOn: () => void
  readonly stop: () => void
  readonly switchMode: (mode: "plan" | "act") => void
  /** `starts`: a plan is begun. */
  readonly answer: (asked: AskFrame.Asked, given: AnswerInput | "starts") => void
  /** The last message that waits to be read is written again. */
  readonly takeBack: () => void
  /** All that was said in the task that is shown is looked at. */
  readonly look: () => void
  /** Another task is chosen from a list. */
  readonly choose: () => void
  /** Another model is chosen from a list. */
  readonly chooseModel: () => void
  readonly leave: () => void
  /** Something may be meant by what stands before the caret: `Interface.offer` says what. */
  readonly complete: (line: string, isFirst: boolean) => void
  /** What is written has changed. */
  readonly wrote: (text: string) => void
}
