/**
 * The loop of one task: answer, calls, results, again, until it completes, pauses or waits.
 *
 * Where it stands is read from the log alone, so a resumed task goes on exactly where the stored history ends.
 */
import { type Event, Inbox, type Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { Recovery, TaskRecord } from "@belay/task-state"
import { Pipeline, Tool } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import type { Background } from "./Background.ts"
import type { Budget, Settle } from "./Budget.ts"
import * as Call from "./Call.ts"
import type { Checklists } from "./Checklists.ts"
import type { Delegation } from "./Delegation.ts"
import { Journal } from "./Journal.ts"
import type { ModelTurn } from "./ModelTurn.ts"
import * as Prompt from "./Prompt.ts"
import { type Failure, fence, lastMessage, noted, type Running } from "./Running.ts"
import * as Service from "./Service.ts"
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
  readonly background: Background
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

export const make = (
  parts: Parts
): Effect.Effect<(running: Running) => Effect.Effect<End, Failure>, never, Journal | TaskHistory | Inbox> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const history = yield* TaskHistory
    const { background, budget, checklists, delegation, model, turn } = parts
    const service = yield* Service.make(model, turn.questions)
    const inbox = yield* Inbox

    /** Asks the model and stores its answer, with the reads that start at once, in one commit. */
    const ask = (running: Running, settle: Settle) =>
      Effect.gen(function* () {
        const answered = yield* service.answer(running)
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
        yield* settle(journal.commit(steps, calls.length > 0 ? { commit: "tool.requested" } : undefined))
        return { message, ready, cutOff: answered.stopReason === "max_tokens" }
      })

    /** Background subtasks are open: the task goes on until they have reported. */
    const notYet = (running: Running, callId: string | undefined) =>
      Effect.gen(function* () {
        noted(running, Recovery.mistake)
        const output = Tool.failure(Prompt.childrenPending(TaskRecord.awaitedIds(running.record)))
        const step: Step.Step =
          callId === undefined
            ? { _tag: "Append", ...fence(running), message: { role: "user", content: output.content } }
            : { _tag: "CallsSettled", ...fence(running), results: [Call.result(callId, output)] }
        yield* journal.commit([step])
        return yield* follow(running, Call.goOn)
      })

    /** The user has said something that the answer which completes had not seen. */
    const spokenMeanwhile = (running: Running) =>
      running.unread
        ? Effect.map(inbox.pending, (requests) =>
            requests.some(({ kind, taskId }) => kind === "message" && taskId === running.id)
          )
        : Effect.succeed(false)

    /** What the user said is sent before the task may complete. */
    const readFirst = (running: Running, callId: string | undefined) =>
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

    const complete = (running: Running, result: string, callId?: string): Effect.Effect<End | undefined, Failure> =>
      Effect.gen(function* () {
        if (yield* spokenMeanwhile(running)) return yield* readFirst(running, callId)
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
      }).pipe(
        Effect.catchTag("TransitionRejected", (rejected) =>
          rejected.rule === "ChildrenPending" ? notYet(running, callId) : Effect.fail(rejected)
        )
      )

    const wait = (running: Running) =>
      Effect.map(delegation.awaitChildren(running), (goesOn): End | undefined =>
        goesOn ? undefined : { _tag: "Waiting" }
      )

    const follow = (running: Running, next: Call.Next): Effect.Effect<End | undefined, Failure> =>
      Effect.gen(function* () {
        switch (next._tag) {
          case "GoOn":
            return undefined
          case "Pause":
            return { ...next, _tag: "Paused" }
          case "Complete":
            return yield* complete(running, next.result, next.callId)
          case "Delegate": {
            const refused = yield* delegation.delegate(running, next.calls)
            if (refused === undefined) return running.record.status === "delegated" ? yield* wait(running) : undefined
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
        noted(running, Recovery.mistake)
        const reminder = Message.user(cutOff ? Prompt.cutOff : Prompt.useTool(running.mode))
        yield* journal.commit([{ _tag: "Append", ...fence(running), message: reminder }])
        return undefined
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
        yield* background.deliver(running)
        if (running.recovery._tag === "NeedsGuidance") {
          return yield* follow(running, yield* turn.questions.guidance(running, Prompt.mistakes))
        }
        noted(running, Recovery.request)
        const answered = yield* budget
          .within(running, (settle) => ask(running, settle))
          .pipe(Effect.catchTag("ModelError", (error) => service.failed(running, error)))
        // The next step makes the request again.
        if (answered === undefined) return undefined
        if (answered._tag === "Refused") return { _tag: "Paused", reason: "budget", detail: answered.why } satisfies End
        const { cutOff, message, ready } = answered.value
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
        if (running.record.attempt > 1) yield* turn.recall(running)
        yield* background.launch(running)
        for (;;) {
          const end = yield* step(running)
          if (end !== undefined) return end
        }
      })
  })
