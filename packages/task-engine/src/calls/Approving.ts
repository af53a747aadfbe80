/**
 * The user's word on a call, where the policy or the loop guard asks for it.
 *
 * An approval binds to the call as it was shown: what would run is judged again after the answer, and asked again when it
 * is another call by then. Where nobody is there a call that asks is denied, recorded, and the task goes on.
 */
import { Grant } from "@belay/approval-policy"
import type { Step } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { LoopGuard, TaskId } from "@belay/task-state"
import { Pipeline, Tool } from "@belay/tool-executor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Call from "./Call.ts"
import * as Grants from "./Grants.ts"
import { Journal } from "../active/Journal.ts"
import { Prompts } from "../active/Prompts.ts"
import * as OpenAsk from "../active/OpenAsk.ts"
import { type Ask, type KeptGrant, UserPort } from "../active/UserPort.ts"
import * as Progress from "../limits/Progress.ts"
import * as Prompt from "../prompt/Prompt.ts"
import { fence, type ActiveTask, type StoreFailure } from "../active/ActiveTask.ts"
import { TaskScheduler } from "../active/Scheduler.ts"
import type { Settings } from "@belay/settings"
import { ToolCallLifecycle } from "./ToolCallLifecycle.ts"
import * as Sentences from "../text/Sentences.ts"
import * as Transitions from "../active/Transitions.ts"

export class Approving extends Context.Service<
  Approving,
  {
    /** The call as it may run; `denied` and `rejected` calls are answered, and a rejection ends the turn. */
    readonly approve: (
      running: ActiveTask,
      open: Call.Open,
      ready: Pipeline.Ready
    ) => Effect.Effect<Pipeline.Ready | "denied" | "rejected", StoreFailure>
    /** Whether a call that repeats itself may run; without anybody there the task stops before it does. */
    readonly mayRepeat: (
      running: ActiveTask,
      ready: Pipeline.Ready
    ) => Effect.Effect<"yes" | Call.Outcome, StoreFailure>
  }
>()("@belay/task-engine/Approving") {
  static readonly layer = Layer.effect(
    Approving,
    Effect.gen(function* () {
      const parts: Parts = {
        settling: yield* ToolCallLifecycle,
        prompts: yield* Prompts,
        grants: yield* Grants.Grants,
        journal: yield* Journal,
        person: yield* UserPort,
        scheduler: yield* TaskScheduler
      }

      return Approving.of({
        approve: (running, open, ready) => decided(parts, running, open, ready),
        mayRepeat: mayRepeat(parts)
      })
    })
  )
}

interface Parts {
  readonly settling: ToolCallLifecycle["Service"]
  readonly prompts: Prompts["Service"]
  readonly grants: Grants.Grants["Service"]
  readonly journal: Journal["Service"]
  readonly person: UserPort["Service"]
  readonly scheduler: TaskScheduler["Service"]
}

/** The step that opens an ask. */
export const opened = (running: ActiveTask, ask: Ask): Step.Step => {
  const { taskId: _task, title: _title, ...body } = ask
  return { _tag: "AskOpened", ...fence(running), ask: body }
}

interface Settled {
  readonly decision?: "allow" | "deny"
  readonly text?: string
  readonly edited?: ReadonlyArray<string>
  readonly grant?: "task" | "always"
  readonly by: string
  /** The request that it came with. */
  readonly requestId?: string | undefined
}

/** The step that closes an ask. */
export const closed = (running: ActiveTask, askId: string, { requestId, ...settled }: Settled): Step.Step => ({
  _tag: "AskSettled",
  ...fence(running),
  settled: { askId, ...settled },
  ...(requestId === undefined ? {} : { requestId })
})

/** `before`: what a person has to know besides the reason, such as what has changed since the call was shown. */
const askOf = (running: ActiveTask, askId: string, ready: Pipeline.Ready, before: ReadonlyArray<string>): Ask => ({
  taskId: running.id,
  title: running.title,
  askId,
  kind: "approval",
  callId: ready.call.callId,
  question: `${ready.tool.name} ${JSON.stringify(ready.args)}`,
  rule: ready.decision.rule,
  reason: [...before, ready.decision.reason].join(" "),
  resolved: ready.decision.resolved,
  grants: Grant.offers(
    ready.decision,
    Grants.judged(running, ready),
    running.settings.folderGrants ? undefined : "This folder is restricted: nothing is allowed always here."
  )
})

const denyUnattended = ({ settling }: Parts, running: ActiveTask, ready: Pipeline.Ready, ask: Ask) => {
  const why = `Not run: denied, because nobody was there to answer. ${ask.reason} (rule: ${ready.decision.rule})`
  const output = Progress.refused(running, ready.call, Tool.failure(why))
  return settling.settle(
    running,
    [Call.result(ready.call.callId, output, "finished", Call.denied(ready.decision.rule))],
    [opened(running, ask), closed(running, ask.askId, { decision: "deny", by: "unattended" })]
  )
}

/** The first answer and the steps that store it; nothing when nobody is there any more. */
const put = Effect.fnUntraced(function* (
  { journal, person, prompts, scheduler }: Parts,
  running: ActiveTask,
  ask: Ask,
  proposals: OpenAsk.OpenAsk["proposals"] = []
) {
  const open = OpenAsk.open(running.asks, ask, proposals)
  yield* journal.commit([opened(running, ask)])
  const shown = Effect.map(person.approve(ask), (given): OpenAsk.Reply | undefined =>
    given === undefined ? undefined : { ...given, by: "user" }
  )
  yield* scheduler.release(running)
  const reply = yield* OpenAsk.reply(running.asks, open, prompts.one(shown))
  if (reply === undefined) return undefined
  const { by, requestId, text } = reply
  // A yes to a text that cannot be taken is no yes to the proposed one.
  const decision = OpenAsk.canEdit(open, reply) ? (reply.decision ?? "deny") : "deny"
  const said = Message.isSaid(text) ? text : undefined
  // More than was offered is this call alone.
  const grant = decision === "allow" && OpenAsk.canGrant(open, reply) ? reply.grant : undefined
  const edited = decision === "allow" ? (reply.edited ?? []) : []
  const settled = closed(running, ask.askId, {
    decision,
    by,
    requestId,
    ...(said === undefined ? {} : { text: said }),
    ...(edited.length === 0 ? {} : { edited: edited.map(({ resolved }) => resolved) }),
    ...(grant === undefined ? {} : { grant })
  })
  return { by, decision, said, edited, grant, steps: [settled, ...OpenAsk.applied(requestId)] }
})

const rulesOf = (running: ActiveTask, ready: Pipeline.Ready) => Grant.rulesFor(Grants.judged(running, ready))

/** The settings of the task then: what cannot be kept for the folder holds for the task. */
const granting = Effect.fnUntraced(function* (
  { grants }: Parts,
  running: ActiveTask,
  ready: Pipeline.Ready,
  grant: "task" | "always" | undefined
) {
  if (grant === undefined) return { settings: running.settings }
  const rules = rulesOf(running, ready)
  const forTask = Grants.adding(running.settings, rules)
  if (grant === "task") return { settings: forTask }
  const folder = running.workspace
  return yield* Effect.match(grants.keep(running, rules), {
    onSuccess: () => ({ settings: running.settings, kept: { folder, rules } }),
    onFailure: ({ message }) => ({ settings: forTask, kept: { folder, rules, problem: message } })
  })
})

const decided = (
  parts: Parts,
  running: ActiveTask,
  open: Call.Open,
  ready: Pipeline.Ready,
  stale?: string
): ReturnType<Approving["Service"]["approve"]> =>
  Effect.gen(function* () {
    const { callId } = ready.call
    if (ready.decision.decision === "allow") {
      // The policy approves as it judges; there is nothing to store.
      yield* parts.journal.reached("tool.approved.before")
      yield* parts.journal.reached("tool.approved.after")
      return ready
    }
    const before = [...(stale === undefined ? [] : [stale]), ...(yield* parts.grants.notes(running, ready))]
    const ask = askOf(running, yield* TaskId.make, ready, before)
    const proposals = parts.person.attended ? yield* Pipeline.proposals(ready, parts.settling.contextOf(running)) : []
    const edits = proposals.map(({ summary }) => summary)
    const shown = edits.length === 0 ? ask : { ...ask, edits }
    const answered = parts.person.attended ? yield* put(parts, running, shown, proposals) : undefined
    if (answered === undefined) {
      yield* denyUnattended(parts, running, ready, ask)
      return "denied" as const
    }
    const { by, decision, edited, grant, said, steps } = answered
    if (by === OpenAsk.byMode) {
      yield* parts.journal.commit(steps)
      const now = yield* parts.settling.prepare(running, open)
      if (now._tag === "Ready") return yield* decided(parts, running, open, now)
      yield* parts.settling.refuse(running, now)
      return "denied" as const
    }
    if (decision === "deny") {
      const why = said === undefined ? "" : ` They said: ${said}`
      const output = Tool.failure(
        `${Prompt.rejectedCall}${why === "" ? " Go on without it, or ask what to do instead." : why}`
      )
      const end = Call.denied(ready.decision.rule)
      yield* parts.settling.settle(running, [Call.result(callId, output, "finished", end)], steps)
      return "rejected" as const
    }
    const { kept, settings }: { readonly kept?: KeptGrant; readonly settings: Settings.TaskSettings } = yield* granting(
      parts,
      running,
      ready,
      grant
    )
    const configured = settings === running.settings ? [] : [Grants.configured(running, settings)]
    const approved = { _tag: "CallsApproved", ...fence(running), callIds: [callId] } as const
    yield* parts.journal.commit([...steps, ...configured, approved], { commit: "tool.approved" })
    Transitions.configured(running, settings)
    if (kept !== undefined) yield* parts.person.allowed?.(kept) ?? Effect.void
    const again = yield* parts.settling.prepare(running, open)
    if (again._tag === "Refused") {
      yield* parts.settling.refuse(running, again)
      return "denied" as const
    }
    // The very call that was shown runs as it was asked, also when the answer allows further ones by a rule.
    const approvedCall = { ...again, decision: ready.decision, approvedBy: ask.askId }
    if (again.hash === ready.hash) return edited.length === 0 ? approvedCall : { ...approvedCall, edited }
    const [path = "What it works on"] = again.decision.resolved.paths ?? []
    // A command is bound to more than the files that it names.
    const target = again.facts.command === undefined ? path : "What it runs or works on"
    return yield* decided(parts, running, open, again, Sentences.askStale(target))
  })

const mayRepeat = (parts: Parts): Approving["Service"]["mayRepeat"] =>
  Effect.fn("Approving.mayRepeat")(function* (running, ready) {
    const question = LoopGuard.question(ready.call.name)
    const paused = { _tag: "Pause", reason: "mistakes", detail: question } as const
    if (!parts.person.attended) return paused
    const { askId: _, ...shown } = askOf(running, "", ready, [])
    const ask: Ask = {
      ...shown,
      grants: [],
      askId: yield* TaskId.make,
      kind: "mistakes",
      reason: question
    }
    const answered = yield* put(parts, running, ask)
    if (answered === undefined) {
      // The stop asks for itself.
      yield* parts.journal.commit([closed(running, ask.askId, { by: "unattended" })])
      return paused
    }
    Transitions.counted(running)
    if (answered.decision === "deny") {
      const { said } = answered
      const output = Tool.failure(said === undefined ? LoopGuard.refusal : `${LoopGuard.refusal} They said: ${said}`)
      yield* parts.settling.settle(running, [Call.result(ready.call.callId, output)], answered.steps)
      return "done" as const
    }
    yield* parts.journal.commit(answered.steps)
    return "yes" as const
  })
