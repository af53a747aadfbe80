/**
 * The user's word on a call, where the policy or the loop guard asks for it.
 *
 * An approval binds to the call as it was shown: what would run is judged again after the answer, and asked again when it
 * is another call by then. Where nobody is there a call that asks is denied, recorded, and the task goes on.
 */
import type { Step } from "@belay/history-store"
import { LoopGuard, TaskId } from "@belay/task-state"
import { type Pipeline, Tool } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import type * as Semaphore from "effect/Semaphore"
import * as Call from "./Call.ts"
import { Journal } from "./Journal.ts"
import * as OpenAsk from "./OpenAsk.ts"
import { type Ask, Person } from "./Person.ts"
import { fence, type Running, type StoreFailure } from "./Running.ts"
import type { Settling } from "./Settling.ts"

export interface Approving {
  /** The call as it may run; `denied` and `rejected` calls are answered, and a rejection ends the turn. */
  readonly approve: (
    running: Running,
    open: Call.Open,
    ready: Pipeline.Ready
  ) => Effect.Effect<Pipeline.Ready | "denied" | "rejected", StoreFailure>
  /** Whether a call that repeats itself may run; without anybody there the task stops before it does. */
  readonly mayRepeat: (running: Running, ready: Pipeline.Ready) => Effect.Effect<"yes" | Call.Outcome, StoreFailure>
}

/** The step that opens an ask. */
export const opened = (running: Running, ask: Ask): Step.Step => {
  const { taskId: _task, title: _title, ...body } = ask
  return { _tag: "AskOpened", ...fence(running), ask: body }
}

interface Settled {
  readonly decision?: "allow" | "deny"
  readonly text?: string
  readonly by: string
}

/** The step that closes an ask. */
export const closed = (running: Running, askId: string, settled: Settled): Step.Step => ({
  _tag: "AskSettled",
  taskId: running.id,
  settled: { askId, ...settled }
})

/** `prompts`: one is shown at a time. */
export const make = (
  settling: Settling,
  prompts: Semaphore.Semaphore
): Effect.Effect<Approving, never, Journal | Person> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const person = yield* Person

    const askOf = (running: Running, askId: string, ready: Pipeline.Ready): Ask => ({
      taskId: running.id,
      title: running.title,
      askId,
      kind: "approval",
      callId: ready.call.callId,
      question: `${ready.tool.name} ${JSON.stringify(ready.args)}`,
      rule: ready.decision.rule,
      reason: ready.decision.reason,
      resolved: ready.decision.resolved,
      grants: []
    })

    const denyUnattended = (running: Running, ready: Pipeline.Ready, ask: Ask) => {
      const output = Tool.failure(
        `Not run: denied, because nobody was there to answer. ${ready.decision.reason} (rule: ${ready.decision.rule})`
      )
      return settling.settle(
        running,
        [Call.result(ready.call.callId, output)],
        [opened(running, ask), closed(running, ask.askId, { decision: "deny", by: "unattended" })]
      )
    }

    /** The first answer and the steps that store it; nothing when nobody is there any more. */
    const put = (running: Running, ask: Ask) =>
      Effect.gen(function* () {
        const open = OpenAsk.open(running.asks, ask, "decision")
        yield* journal.commit([opened(running, ask)])
        const shown = Effect.map(person.approve(ask), (given): OpenAsk.Reply | undefined =>
          given === undefined ? undefined : { ...given, by: "user" }
        )
        const reply = yield* OpenAsk.reply(running.asks, open, prompts.withPermit(shown))
        if (reply === undefined) return undefined
        const { by, requestId, text } = reply
        const decision = reply.decision ?? "deny"
        const said = text === undefined || text === "" ? undefined : text
        const settled = closed(running, ask.askId, { decision, by, ...(said === undefined ? {} : { text: said }) })
        return { decision, said, steps: [settled, ...OpenAsk.applied(requestId)] }
      })

    const approve: Approving["approve"] = (running, open, ready) =>
      Effect.gen(function* () {
        const { callId } = ready.call
        if (ready.decision.decision === "allow") {
          // The policy approves as it judges; there is nothing to store.
          yield* journal.reached("tool.approved.before")
          yield* journal.reached("tool.approved.after")
          return ready
        }
        const ask = askOf(running, yield* TaskId.make, ready)
        const answered = person.attended ? yield* put(running, ask) : undefined
        if (answered === undefined) {
          yield* denyUnattended(running, ready, ask)
          return "denied" as const
        }
        const { decision, said, steps } = answered
        if (decision === "deny") {
          const why = said === undefined ? "" : ` They said: ${said}`
          const output = Tool.failure(`Not run: the user rejected this call.${why}`)
          yield* settling.settle(running, [Call.result(callId, output)], steps)
          return "rejected" as const
        }
        yield* journal.commit([...steps, { _tag: "CallsApproved", ...fence(running), callIds: [callId] }], {
          commit: "tool.approved"
        })
        const again = yield* settling.prepare(running, open)
        if (again._tag === "Refused") {
          yield* settling.refuse(running, again)
          return "denied" as const
        }
        return again.hash === ready.hash ? again : yield* approve(running, open, again)
      })

    const mayRepeat: Approving["mayRepeat"] = (running, ready) =>
      Effect.gen(function* () {
        const paused = { _tag: "Pause", reason: "mistakes", detail: LoopGuard.question } as const
        if (!person.attended) return paused
        const { askId: _, ...shown } = askOf(running, "", ready)
        const ask: Ask = { ...shown, askId: yield* TaskId.make, kind: "mistakes", reason: LoopGuard.question }
        const answered = yield* put(running, ask)
        if (answered === undefined) {
          // The stop asks for itself.
          yield* journal.commit([closed(running, ask.askId, { by: "unattended" })])
          return paused
        }
        running.loopGuard = LoopGuard.reset()
        if (answered.decision === "deny") {
          const output = Tool.failure(LoopGuard.refusal)
          yield* settling.settle(running, [Call.result(ready.call.callId, output)], answered.steps)
          return "done" as const
        }
        yield* journal.commit(answered.steps)
        return "yes" as const
      })

    return { approve, mayRepeat }
  })
