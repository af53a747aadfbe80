/**
 * The loop of one task: answer, calls, results, again, until it completes, pauses or waits.
 *
 * Where it stands is read from the log alone, so a resumed task goes on exactly where the stored history ends.
 */
import { type Event, Inbox, type Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import type { TaskRecord } from "@belay/task-state"
import { Pipeline } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import type { Budget } from "./Budget.ts"
import * as Call from "./Call.ts"
import type { Checklists } from "./Checklists.ts"
import type { Delegation } from "./Delegation.ts"
import { Journal } from "./Journal.ts"
import type { ModelTurn } from "./ModelTurn.ts"
import * as Prompt from "./Prompt.ts"
import { type Failure, fence, lastMessage, type Running } from "./Running.ts"
import type { Turn } from "./Turn.ts"

export type End =
  | { readonly _tag: "Completed" }
  /** Its remaining subtasks have stopped; it stays delegated. */
  | { readonly _tag: "Waiting" }
  | { readonly _tag: "Paused"; readonly reason: TaskRecord.InterruptReason; readonly detail?: string }

export interface Parts {
  readonly model: ModelTurn
  readonly turn: Turn
  readonly delegation: Delegation
  readonly checklists: Checklists
  readonly budget: Budget
}

const nothing = Message.text("(no answer)")

/** What can be sent back: services refuse blank texts and messages without content. */
const sendable = (content: ReadonlyArray<Message.ContentBlock>): ReadonlyArray<Message.ContentBlock> => {
  const kept = content.filter((block) => block.type !== "text" || block.text.trim() !== "")
  return kept.length === 0 ? [nothing] : kept
}

const hasText = (message: Message.Message): boolean => !["", nothing.text].includes(Message.textOf(message).trim())

const mistakesAllowed = 3

export const make = (
  parts: Parts
): Effect.Effect<(running: Running) => Effect.Effect<End, Failure>, never, Journal | TaskHistory | Inbox> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const history = yield* TaskHistory
    const inbox = yield* Inbox
    const { budget, checklists, delegation, model, turn } = parts

    /** Asks the model and stores its answer, with the reads that start at once, in one commit. */
    const ask = (running: Running) =>
      Effect.gen(function* () {
        const answered = yield* model.answer(running)
        const message: Message.Message = { role: "assistant", content: sendable(answered.message.content) }
        const uses = Message.toolUses(message)
        const calls = uses.map((use) => ({ callId: use.id, name: use.name, input: use.input }))
        const ready = yield* turn.leading(running, message)
        const progress = calls.map(Pipeline.taskProgress).findLast((text) => text !== undefined)
        const steps: ReadonlyArray<Step.Step> = [
          {
            _tag: "Answer",
            ...fence(running),
            message,
            calls: calls.map((call) => ({
              callId: call.callId,
              name: call.name,
              argsHash: Pipeline.argsHash(call),
              started: ready.has(call.callId)
            })),
            usage: answered.usage,
            model: answered.model,
            costUsd: answered.costUsd
          },
          ...(progress === undefined ? [] : yield* checklists.progress(running, progress))
        ]
        yield* journal.commit(steps, calls.length > 0 ? { commit: "tool.requested" } : undefined)
        return { message, ready, cutOff: answered.stopReason === "max_tokens" }
      })

    /** The user has said something that the answer which completes had not seen. */
    const spokenMeanwhile = (running: Running) =>
      running.unread
        ? Effect.map(inbox.pending, (requests) =>
            requests.some(({ kind, taskId }) => kind === "message" && taskId === running.id)
          )
        : Effect.succeed(false)

    /** What the user said is sent before the task may complete. */
    const notYet = (running: Running, callId: string | undefined) =>
      Effect.gen(function* () {
        const content = [Message.text(Prompt.spokenMeanwhile)]
        const results = callId === undefined ? [] : [{ callId, content, isError: true, state: "finished" as const }]
        const steps: ReadonlyArray<Step.Step> = [
          { _tag: "CallsSettled", ...fence(running), results },
          { _tag: "Deliver", ...fence(running) }
        ]
        yield* journal.commit(steps)
        return undefined
      })

    const complete = (running: Running, result: string, callId?: string) =>
      Effect.gen(function* () {
        if (yield* spokenMeanwhile(running)) return yield* notYet(running, callId)
        // The transcript is durable already: the answer that completes is stored when it comes.
        yield* journal.reached("complete.transcript.before")
        yield* journal.reached("complete.transcript.after")
        const results = [
          {
            callId: callId ?? "",
            content: [Message.text(Prompt.completed)],
            isError: false,
            state: "finished" as const
          }
        ]
        yield* journal.commit(
          [
            ...(callId === undefined ? [] : [{ _tag: "CallsSettled" as const, ...fence(running), results }]),
            { _tag: "Lifecycle", request: { _tag: "Complete", ...fence(running), outcome: "succeeded", result } }
          ],
          { commit: "complete.commit" }
        )
        return { _tag: "Completed" } satisfies End
      })

    const wait = (running: Running) =>
      Effect.map(delegation.awaitChildren(running), (goesOn): End | undefined =>
        goesOn ? undefined : { _tag: "Waiting" }
      )

    const follow = (running: Running, next: Call.Next): Effect.Effect<End | undefined, Failure> =>
      Effect.gen(function* () {
        switch (next._tag) {
          case "GoOn":
            if (running.mistakes <= mistakesAllowed) return undefined
            return yield* Effect.flatMap(turn.questions.guidance(running, Prompt.mistakes), (asked) =>
              follow(running, asked)
            )
          case "Pause":
            return { ...next, _tag: "Paused" }
          case "Complete":
            return yield* complete(running, next.result, next.callId)
          case "Delegate": {
            const refused = yield* delegation.delegate(running, next.calls)
            if (refused === undefined) return yield* wait(running)
            yield* turn.refuseAll(running, next.calls, refused)
            return undefined
          }
        }
      })

    /** An answer without a call: one reminder; a second one in a row ends the task, or in plan mode is the plan. */
    const withoutCall = (running: Running, message: Message.Message, cutOff: boolean) =>
      Effect.gen(function* () {
        const before = running.messages.at(-2)
        if (!cutOff && before !== undefined && Prompt.isReminder(before) && hasText(message)) {
          const text = Message.textOf(message)
          return running.mode === "act"
            ? yield* complete(running, text)
            : yield* follow(running, yield* turn.questions.plan(running, text))
        }
        running.mistakes += 1
        const reminder = Message.user(cutOff ? Prompt.cutOff : Prompt.useTool(running.mode))
        yield* journal.commit([{ _tag: "Append", ...fence(running), message: reminder }])
        return yield* follow(running, Call.goOn)
      })

    const afterCalls = (
      running: Running,
      message: Message.Message,
      states: ReadonlyMap<string, Event.CallState>,
      started: ReadonlyMap<string, Call.Guarded>
    ) => Effect.flatMap(turn.carryOut(running, message, states, started), (next) => follow(running, next))

    const request = (running: Running) =>
      Effect.gen(function* () {
        if (running.unread) {
          running.unread = false
          yield* journal.commit([{ _tag: "Deliver", ...fence(running) }])
        }
        const refused = yield* budget.reserve(running)
        if (refused !== undefined) {
          yield* budget.release(running)
          return { _tag: "Paused", reason: "budget", detail: refused } satisfies End
        }
        const { cutOff, message, ready } = yield* Effect.ensuring(ask(running), budget.release(running))
        return Message.toolUses(message).length === 0
          ? yield* withoutCall(running, message, cutOff)
          : yield* afterCalls(running, message, new Map(), ready)
      })

    /** One step from where the log ends; the end of the loop, or nothing to go on. */
    const step = (running: Running): Effect.Effect<End | undefined, Failure> =>
      Effect.gen(function* () {
        if (running.record.status === "delegated") return yield* wait(running)
        const last = lastMessage(running)
        if (last === undefined || last.role === "user") return yield* request(running)
        if (Message.toolUses(last).length === 0) return yield* withoutCall(running, last, false)
        return yield* afterCalls(running, last, Call.statesOf(yield* history.calls(running.id)), new Map())
      })

    return (running: Running) =>
      Effect.gen(function* () {
        for (;;) {
          const end = yield* step(running)
          if (end !== undefined) return end
        }
      })
  })
