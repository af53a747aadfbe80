/**
 * What people say to a task while it runs here: answers, messages, a switch of mode; from this process or another.
 *
 * Both come through the same functions. A request of another process is marked as carried out in the commit that carries
 * it out, so it counts once; one that is meant for an attempt that is over changes nothing.
 */
import { type HistoryError, Inbox, type InboxRequest, type Step, TaskHistory } from "@belay/history-store"
import { ModeSwitch, PlanResponse } from "@belay/modes"
import { type Command, TaskId } from "@belay/task-state"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { Journal } from "./Journal.ts"
import { applied, type OpenAsk, type Reply } from "./OpenAsk.ts"
import { TaskRegistry } from "./Registry.ts"
import { refused, type RequestRefused } from "./RequestRefused.ts"
import { fence, type Running } from "./Running.ts"
import type { Given, TaskEngine } from "./TaskEngine.ts"

type Refusable = Effect.Effect<void, RequestRefused | Command.TransitionRejected | HistoryError.HistoryError>

export interface Requests extends Pick<TaskEngine["Service"], "answer" | "send" | "switchMode"> {
  /** Carries out what other processes asked for; false when a task was not ready to be asked. */
  readonly carryOut: Effect.Effect<boolean, HistoryError.HistoryError>
}

type Origin = Pick<Reply, "by" | "requestId">

const here: Origin = { by: "user" }

const isBlank = (text: string | undefined): boolean => text === undefined || text.trim() === ""

export const make: Effect.Effect<Requests, never, TaskHistory | Inbox | Journal | TaskRegistry> = Effect.gen(
  function* () {
    const history = yield* TaskHistory
    const inbox = yield* Inbox
    const journal = yield* Journal
    const registry = yield* TaskRegistry
    const underWay = new Set<string>()

    const runningOf = (id: TaskId.TaskId) => {
      const running = journal.running.get(id)
      return running === undefined ? Effect.fail(refused(id, "notRunning")) : Effect.succeed(running)
    }

    /** Ends when the answer is stored. */
    const settle = ({ id }: Running, open: OpenAsk, reply: Reply): Refusable =>
      Effect.gen(function* () {
        if (!(yield* Deferred.succeed(open.reply, reply))) return yield* refused(id, "alreadyAnswered")
        if (!(yield* Deferred.await(open.stored))) return yield* refused(id, "notRunning")
      })

    const answer = (id: TaskId.TaskId, askId: string, given: Given, origin = here): Refusable =>
      Effect.gen(function* () {
        const running = yield* runningOf(id)
        const open = running.asks.get(askId)
        if (open === undefined) {
          const known = (yield* history.asks(id)).find((ask) => ask.askId === askId)
          return yield* refused(id, known?.open === false ? "alreadyAnswered" : "unknownAsk")
        }
        const silent = isBlank(given.text)
        if (open.wants === "text" && silent) return yield* refused(id, "needsText")
        if (open.wants === "decision" && given.decision === undefined && silent) {
          return yield* refused(id, "needsDecision")
        }
        // Words alone say what to do instead.
        const decision = open.wants === "decision" ? { decision: given.decision ?? "deny" } : {}
        yield* settle(running, open, { ...given, ...decision, ...origin })
      })

    const send = (id: TaskId.TaskId, text: string, by = here.by): Refusable =>
      Effect.gen(function* () {
        const running = yield* runningOf(id)
        const messageId = yield* TaskId.make
        const { attempt } = running.record
        yield* inbox.post({ id: messageId, taskId: id, attempt, by, kind: "message", text })
        running.unread = true
        // It has completed meanwhile, and its last commit may have taken the message along.
        if (running.record.status === "completed" && !(yield* inbox.applied(messageId))) {
          return yield* refused(id, "notRunning")
        }
      })

    /** The words that come with a switch, and its notice, wait for the turn boundary like every message. */
    const switchNow = (running: Running, mode: "plan" | "act", text: string | undefined, origin: Origin) =>
      Effect.gen(function* () {
        const id = origin.requestId ?? (yield* TaskId.make)
        const switched = ModeSwitch.switchMode(running.mode, mode, PlanResponse.notAwaiting)
        const say = (name: string, said: string | undefined): ReadonlyArray<Step.Step> =>
          said === undefined || isBlank(said)
            ? []
            : [{ _tag: "Say", ...fence(running), id: `${id}-${name}`, text: said, queued: true }]
        const changed: ReadonlyArray<Step.Step> = switched.changed
          ? [{ _tag: "ModeChanged", ...fence(running), to: mode, by: "user" }]
          : []
        const steps = [...changed, ...say("mode", switched.notice), ...say("text", text), ...applied(origin.requestId)]
        if (steps.length === 0) return
        yield* journal.commit(steps)
        running.unread = true
      })

    const switchMode = (id: TaskId.TaskId, mode: "plan" | "act", text?: string, origin = here): Refusable =>
      Effect.gen(function* () {
        const running = yield* runningOf(id)
        const plan = [...running.asks.values()].find(({ ask }) => ask.kind === "plan")
        if (running.mode === "act" || mode === "plan" || plan === undefined) {
          return yield* switchNow(running, mode, text, origin)
        }
        yield* settle(running, plan, { text: text ?? "", switchToAct: true, ...origin })
      })

    /** What changed nothing is marked, too, unless its task stopped before it could be heard. */
    const once = (request: InboxRequest, effect: Refusable) => {
      if (underWay.has(request.id)) return Effect.void
      underWay.add(request.id)
      const marked = effect.pipe(
        Effect.catchTag("RequestRefused", ({ reason }) =>
          reason === "notRunning" ? Effect.void : Effect.asVoid(journal.commit(applied(request.id)))
        ),
        Effect.ignore,
        Effect.ensuring(Effect.sync(() => underWay.delete(request.id)))
      )
      return Effect.forkDetach(marked)
    }

    const carry = (running: Running, request: InboxRequest) => {
      const { by, id, taskId } = request
      const origin = { by, requestId: id }
      switch (request.kind) {
        case "interrupt":
          return Effect.forkDetach(registry.stop(taskId, { reason: "user", requestId: id }))
        case "message":
          return Effect.sync(() => {
            running.unread = true
          })
        case "answer": {
          const { askId, decision, text } = request
          const given = { ...(decision === undefined ? {} : { decision }), ...(text === undefined ? {} : { text }) }
          return once(request, answer(taskId, askId, given, origin))
        }
        case "mode":
          return once(request, switchMode(taskId, request.mode, request.text, origin))
      }
    }

    const carryOut = Effect.gen(function* () {
      let all = true
      for (const request of yield* inbox.pending) {
        const running = journal.running.get(request.taskId)
        if (running === undefined) all = false
        else if (request.kind === "message" || running.record.attempt === request.attempt)
          yield* carry(running, request)
      }
      return all
    })

    return {
      answer: (id, askId, given) => answer(id, askId, given),
      send: (id, text) => send(id, text),
      switchMode: (id, mode, text) => switchMode(id, mode, text),
      carryOut
    }
  }
)
