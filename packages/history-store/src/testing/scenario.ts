/** Steps that many tests take, in few words. */
import type * as History from "../history/TaskHistory.ts"
import type * as Reservation from "../history/Reservation.ts"
import type * as HistoryError from "../history/HistoryError.ts"
import * as Step from "../history/Step.ts"
import { TaskHistory } from "../history/TaskHistory.ts"
import { Message } from "@belay/message-state"
import { type Command, TaskId, type TaskRecord } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

export const id = (text: string): TaskId.TaskId => TaskId.TaskId.make(text)

export const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 2 }

export const limits = { depth: 5, fanOut: 16 }

export const meta = (title: string): Step.TaskMeta => ({
  title,
  workspace: "/work",
  mode: "act",
  model: "m-1",
  host: "test",
  settings: { title }
})

export const lifecycle = Step.request

export const describeStep = (taskId: string): Step.Step => ({
  _tag: "Describe",
  taskId: id(taskId),
  meta: meta(taskId),
  prompt: Message.user(Message.text(`do ${taskId}`), Message.text("environment"))
})

/** Creates a root, without starting it. */
export const created = (taskId: string): ReadonlyArray<Step.Step> => [
  lifecycle({ _tag: "Create", taskId: id(taskId) }),
  describeStep(taskId)
]

export const started = (taskId: string): ReadonlyArray<Step.Step> => [
  ...created(taskId),
  lifecycle({ _tag: "Start", taskId: id(taskId) })
]

export interface Asked {
  readonly callId: string
  readonly name?: string
}

/** The model answers with calls, which start at once. */
export const turn = (
  taskId: string,
  attempt: number,
  calls: ReadonlyArray<Asked>,
  costUsd: number | null = 0.5
): ReadonlyArray<Step.Step> => [
  {
    _tag: "Answer",
    taskId: id(taskId),
    attempt,
    message: {
      role: "assistant",
      content: [
        Message.text("next"),
        ...calls.map((call) => ({
          type: "tool_use" as const,
          id: call.callId,
          name: call.name ?? "read_file",
          input: { path: `${call.callId}.ts` }
        }))
      ]
    },
    calls: calls.map((call) => ({
      callId: call.callId,
      name: call.name ?? "read_file",
      argsHash: `hash-${call.callId}`
    })),
    usage,
    model: "m-1",
    costUsd
  },
  {
    _tag: "CallsStarted",
    taskId: id(taskId),
    attempt,
    callIds: calls.map((call) => call.callId),
    rules: Object.fromEntries(calls.map((call) => [call.callId, "read"]))
  }
]

export const settled = (
  taskId: string,
  attempt: number,
  ...results: ReadonlyArray<{ readonly callId: string; readonly text: string; readonly isError?: boolean }>
): Step.Step => ({
  _tag: "CallsSettled",
  taskId: id(taskId),
  attempt,
  results: results.map(({ callId, isError, text }) => ({
    callId,
    content: [Message.text(text)],
    isError: isError === true,
    state: "finished"
  }))
})

/** The parent asks for children in one turn and delegates; the call of child `c` is `call-c`. */
export const delegated = (
  parent: string,
  attempt: number,
  children: ReadonlyArray<string>,
  wait: TaskRecord.Awaited["wait"] = "foreground"
): ReadonlyArray<Step.Step> => [
  ...turn(
    parent,
    attempt,
    children.map((child) => ({ callId: `call-${child}`, name: "new_task" }))
  ),
  lifecycle({
    _tag: "Delegate",
    taskId: id(parent),
    attempt,
    limits,
    children: children.map((child) => ({ id: id(child), callId: `call-${child}`, wait }))
  }),
  ...children.map(describeStep)
]

export const completed = (taskId: string, attempt: number, result = `${taskId} is done`): Step.Step =>
  lifecycle({ _tag: "Complete", taskId: id(taskId), attempt, outcome: "succeeded", result })

export const finished = (taskId: string): ReadonlyArray<Step.Step> => [
  lifecycle({ _tag: "Start", taskId: id(taskId) }),
  completed(taskId, 1)
]

export const collect = (parent: string, attempt: number, ...children: ReadonlyArray<string>): Step.Step =>
  lifecycle({ _tag: "Collect", taskId: id(parent), attempt, children: children.map(id) })

type Failed = HistoryError.HistoryError | Command.TransitionRejected

export const commit = (
  ...steps: ReadonlyArray<Step.Step | ReadonlyArray<Step.Step>>
): Effect.Effect<History.Committed, Failed, TaskHistory> => TaskHistory.use((history) => history.commit(steps.flat()))

/** What became of a reservation. */
export const reserve = (asked: Reservation.Asked): Effect.Effect<Reservation.Reserved, Failed, TaskHistory> =>
  Effect.map(commit([{ _tag: "Reserve", ...asked }]), ({ reserved }) => {
    if (reserved === undefined) throw new Error("a commit did not say what became of its reservation")
    return reserved
  })

export const rowOf = (taskId: string) =>
  Effect.map(
    TaskHistory.use((history) => history.row(id(taskId))),
    Option.getOrThrow
  )

export const recordOf = (taskId: string) => Effect.map(rowOf(taskId), (row) => row.record)

export const statusOf = (taskId: string) => Effect.map(recordOf(taskId), (record) => record.status)

export const eventsOf = (taskId: string) => TaskHistory.use((history) => history.events(id(taskId), 1, 10_000))

export const messagesOf = (taskId: string) => TaskHistory.use((history) => history.messages(id(taskId)))

/** The results that the model reads, in the order of the message that carries them. */
export const resultsOf = (taskId: string) =>
  Effect.map(messagesOf(taskId), (messages) =>
    messages.flatMap((message) =>
      message.content.flatMap((block) =>
        block.type === "tool_result"
          ? [
              [
                block.tool_use_id,
                block.content.map((part) => (part.type === "text" ? part.text : "")).join("")
              ] as const
            ]
          : []
      )
    )
  )

export const ids = (rows: ReadonlyArray<History.TaskRow>): ReadonlyArray<string> => rows.map((row) => row.record.id)
