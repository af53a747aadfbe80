/**
 * Calls of an answer whose arguments came broken or cut off: the rest of the answer is carried out, and the model reads
 * what happened to them. They are answered with the commit that stores the answer, so no crash makes them run.
 */
import type { Step } from "@belay/history-store"
import { Message } from "@belay/message-state"
import type { ModelEvent } from "@belay/model-client"
import { Tool } from "@belay/tool-executor"
import * as Call from "./Call.ts"
import * as CutOff from "../prompt/CutOff.ts"
import * as Progress from "../limits/Progress.ts"
import type { ActiveTask } from "../active/ActiveTask.ts"

/** What the calls that were spoiled are answered with. */
export interface Answer {
  readonly message: Message.Message
  readonly spoiled: ReadonlyArray<ModelEvent.SpoiledCall>
  /** What cut the answer off, in words that follow "at". */
  readonly cutAt: string
}

const broken = (name: string, fault: string): string =>
  `Not run: the arguments of ${name} are not JSON (${fault}). Escape quotes and line breaks in strings, and send the call again.`

/** The results of the spoiled calls, each counted as a mistake of the answer. */
export const results = (running: ActiveTask, { cutAt, message, spoiled }: Answer): ReadonlyArray<Step.CallResult> => {
  return Message.toolUses(message).flatMap((use, position) => {
    const one = spoiled.find(({ callId }) => callId === use.id)
    if (one === undefined) return []
    const { fault, received } = one
    const text =
      fault === undefined
        ? CutOff.ofCall({ name: use.name, received, cutAt, isFirst: position === 0 })
        : broken(use.name, fault)
    const call = { callId: use.id, name: use.name, input: received }
    return [Call.result(use.id, Progress.refused(running, call, Tool.failure(text)))]
  })
}
