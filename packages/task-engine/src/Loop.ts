/**
 * The loop of one task: answer, calls, results, again, until it completes, pauses or waits.
 *
 * Where it stands is read from the log alone, so a resumed task goes on exactly where the stored history ends.
 */
import { type Event, type HistoryError, type Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import type { ModelError } from "@belay/model-client"
import { type Command, Failpoint, type TaskRecord } from "@belay/task-state"
import { Pipeline } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import type { Budget } from "./Budget.ts"
import type { Checklists } from "./Checklists.ts"
import type { Delegation } from "./Delegation.ts"
import { Journal } from "./Journal.ts"
import type { ModelTurn } from "./ModelTurn.ts"
import * as Prompt from "./Prompt.ts"
import { fence, lastMessage, type Running } from "./Running.ts"
import { statesOf, type Turn } from "./Turn.ts"

export type End =
  | { readonly _tag: "Completed" }
  /** Its remaining subtasks have stopped; it stays delegated. */
  | { readonly _tag: "Waiting" }
  | { readonly _tag: "Paused"; readonly reason: TaskRecord.InterruptReason; readonly detail?: string }

type Fails = Command.TransitionRejected | HistoryError.HistoryError | ModelError.ModelError

export interface Parts {
  readonly model: ModelTurn
  readonly turn: Turn
  readonly delegation: Delegation
  readonly checklists: Checklists
  readonly budget: Budget
}

const empty = { _tag: "text", text: "(no answer)" } as const

const hasText = (message: Message.Message): boolean => Message.textOf(message).trim() !== ""

export const make = (
  parts: Parts
): Effect.Effect<(running: Running) => Effect.Effect<End, Fails>, never, Journal | TaskHistory> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const history = yield* TaskHistory
    const failpoints = yield* Failpoint.Failpoints
    const { budget, checklists, delegation, model, turn } = parts
    const hit = (name: Failpoint.Failpoint) => Effect.sync(() => failpoints.hit(name))

    /** Asks the model and stores its answer, with the reads that start at once, in one commit. */
    const ask = (running: Running) =>
      Effect.gen(function* () {
        const answered = yield* model.answer(running)
        const content =
          answered.message.content.length > 0 ? answered.message.content : [{ type: "text" as const, text: empty.text }]
        const message: Message.Message = { role: "assistant", content }
        const uses = Message.toolUses(message)
        const calls = uses.map((use) => ({ callId: use.id, name: use.name, input: use.input }))
        const ready = yield* turn.leading(running, message)
        const progress = calls.map(Pipeline.taskProgress).findLast((text) => text !== undefined)
        const steps: ReadonlyArray<Step.Step> = [
          {
            _tag: "Answer",
            ...fence(running),
            message,
            calls: calls.map((call) => ({ callId: call.callId, name: call.name, argsHash: Pipeline.argsHash(call) })),
            usage: answered.usage,
            model: answered.model,
            costUsd: answered.costUsd
          },
          ...(ready.size === 0
            ? []
            : [{ _tag: "CallsStarted" as const, ...fence(running), callIds: [...ready.keys()] }]),
          ...(progress === undefined ? [] : yield* checklists.progress(running, progress))
        ]
        yield* hit("tool.requested.before")
        yield* journal.commit(steps)
        yield* hit("tool.requested.after")
        return { message, ready, cutOff: answered.stopReason === "max_tokens" }
      })

    const complete = (running: Running, result: string, callId?: string) =>
      Effect.gen(function* () {
        yield* hit("complete.transcript.before")
        yield* hit("complete.transcript.after")
        yield* hit("complete.commit.before")
        const content = [Message.text(Prompt.completed)]
        const settled: ReadonlyArray<Step.Step> =
          callId === undefined
            ? []
            : [
                {
                  _tag: "CallsSettled",
                  ...fence(running),
                  results: [{ callId, content, isError: false, state: "finished" }]
                }
              ]
        yield* journal.commit([
          ...settled,
          { _tag: "Lifecycle", request: { _tag: "Complete", ...fence(running), outcome: "succeeded", result } }
        ])
        yield* hit("complete.commit.after")
        return { _tag: "Completed" } satisfies End
      })

    /** An answer without a call: one reminder; a second one in a row ends the task, or in plan mode its turn. */
    const withoutCall = (running: Running, message: Message.Message, cutOff: boolean) =>
      Effect.gen(function* () {
        const before = running.messages.at(-3)
        const reminded =
          !cutOff &&
          before?.role === "assistant" &&
          Message.toolUses(before).length === 0 &&
          running.messages.at(-2)?.role === "user"
        if (reminded && hasText(message)) {
          if (running.mode === "act") return yield* complete(running, Message.textOf(message))
          return { _tag: "Paused", reason: "unattended" } satisfies End
        }
        turn.mistake(running, true)
        const reminder = Message.user(cutOff ? Prompt.cutOff : Prompt.useTool(running.mode))
        yield* journal.commit([{ _tag: "Append", ...fence(running), message: reminder }])
        return undefined
      })

    const afterCalls = (
      running: Running,
      message: Message.Message,
      states: ReadonlyMap<string, Event.CallState>,
      ready: ReadonlyMap<string, Pipeline.Ready>
    ) =>
      Effect.gen(function* () {
        const next = yield* turn.carryOut(running, message, states, ready)
        switch (next._tag) {
          case "GoOn":
            return turn.tooManyMistakes(running)
              ? ({ _tag: "Paused", reason: "mistakes", detail: "too many mistakes in a row" } satisfies End)
              : undefined
          case "Pause":
            return { _tag: "Paused", reason: next.reason } satisfies End
          case "Complete":
            return yield* complete(running, next.result, next.callId)
          case "Delegate":
            yield* delegation.delegate(running, next.calls)
            return yield* wait(running)
        }
      })

    const wait = (running: Running) =>
      Effect.map(delegation.awaitChildren(running), (goesOn): End | undefined =>
        goesOn ? undefined : { _tag: "Waiting" }
      )

    const request = (running: Running) =>
      Effect.gen(function* () {
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
    const step = (running: Running): Effect.Effect<End | undefined, Fails> =>
      Effect.gen(function* () {
        if (running.record.status === "delegated") return yield* wait(running)
        const last = lastMessage(running)
        if (last === undefined || last.role === "user") return yield* request(running)
        if (Message.toolUses(last).length === 0) return yield* withoutCall(running, last, false)
        return yield* afterCalls(running, last, statesOf(yield* history.calls(running.id)), new Map())
      })

    return (running: Running) =>
      Effect.gen(function* () {
        for (;;) {
          const end = yield* step(running)
          if (end !== undefined) return end
        }
      })
  })
