/**
 * The calls of a run from their request to their end: what each is about, since when it runs, and whether anybody was
 * there to allow it.
 */
import type { LiveEvent } from "@belay/task-engine"
import { Transcript, Words } from "@belay/interaction"
import { firstLine } from "./firstLine.ts"

type Of<Type extends LiveEvent.TaskEvent["type"]> = Extract<LiveEvent.TaskEvent, { type: Type }>

/** A call as lines name it; what the model wrote of it is printable. */
export interface Call {
  readonly name: string
  readonly subject: string
  /** In milliseconds; absent before it runs. */
  readonly started?: number
  /** It was asked about, and nobody was there to allow it. */
  readonly isUnanswered?: boolean
}

export interface OpenCalls {
  readonly requested: (event: Of<"tool.requested">) => void
  readonly started: (event: Of<"tool.started">) => void
  readonly asked: (event: Of<"ask">) => void
  /** Whether the ask was about a call. */
  readonly settled: (event: Of<"ask.settled">) => boolean
  /** Gives what was known of the call, and forgets it; nothing of a call that was not seen to be requested. */
  readonly finished: (event: Of<"tool.finished">) => Call | undefined
  readonly of: (taskId: string, callId: string) => Call | undefined
}

const keyOf = (taskId: string, callId: string): string => `${taskId}:${callId}`

export const make = (): OpenCalls => {
  const calls = new Map<string, Call>()
  /** Of asks about a call, by their ids: the call. */
  const asks = new Map<string, string>()
  const note = (key: string, more: Partial<Call>): void => {
    const call = calls.get(key)
    if (call !== undefined) calls.set(key, { ...call, ...more })
  }
  return {
    requested: ({ args, callId, name, taskId }) =>
      void calls.set(keyOf(taskId, callId), {
        name: Words.printable(name),
        subject: firstLine(Transcript.subjectOf(args), 100)
      }),
    started: ({ callId, taskId, ts }) => note(keyOf(taskId, callId), { started: ts }),
    asked: ({ askId, callId, taskId }) => {
      if (callId !== undefined) asks.set(askId, keyOf(taskId, callId))
    },
    settled: ({ askId, by }) => {
      const key = asks.get(askId)
      asks.delete(askId)
      if (key !== undefined && by === "unattended") note(key, { isUnanswered: true })
      return key !== undefined
    },
    finished: ({ callId, taskId }) => {
      const key = keyOf(taskId, callId)
      const call = calls.get(key)
      calls.delete(key)
      return call
    },
    of: (taskId, callId) => calls.get(keyOf(taskId, callId))
  }
}
