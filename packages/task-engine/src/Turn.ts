/**
 * The calls of one answer, from requested to settled, each with exactly one result.
 *
 * Calls that change nothing run in parallel, everything else in order; subtasks start together when all other calls of
 * the answer are settled, and completion comes last. After a crash a turn goes on call by call: what had not started
 * goes through the pipeline again, what had started is never run again unless it changes nothing.
 */
import { type Event, type History, type Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { Mode } from "@belay/modes"
import { Failpoint, LoopGuard, TaskId, TaskRecord } from "@belay/task-state"
import { Pipeline, Tool, ToolCatalog, ToolExecutor } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Checklists } from "./Checklists.ts"
import { Journal } from "./Journal.ts"
import type { ModelTurn } from "./ModelTurn.ts"
import { Person, type Ask } from "./Person.ts"
import * as Prompt from "./Prompt.ts"
import { fence, type Running } from "./Running.ts"

/** What the loop has to do after the calls of an answer. */
export type Next =
  | { readonly _tag: "GoOn" }
  | { readonly _tag: "Delegate"; readonly calls: ReadonlyArray<Pipeline.Call> }
  | { readonly _tag: "Complete"; readonly callId: string; readonly result: string }
  | { readonly _tag: "Pause"; readonly reason: "unattended" | "mistakes" }

const goOn: Next = { _tag: "GoOn" }

const result = (callId: string, output: Tool.ToolOutput, state: Step.CallResult["state"] = "finished"): Step.CallResult => ({
  callId,
  content: output.content,
  isError: output.isError,
  state
})

/** A call of the turn with what the log knows of it. */
interface Open {
  readonly call: Pipeline.Call
  readonly state: Event.CallState
  readonly tool: Tool.Tool | undefined
}

const mistakesAllowed = 3

export const make = (options: { readonly home: string; readonly checklists: Checklists; readonly model: ModelTurn }) =>
  Effect.gen(function* () {
    const executor = yield* ToolExecutor
    const catalog = yield* ToolCatalog
    const history = yield* TaskHistory
    const journal = yield* Journal
    const person = yield* Person
    const failpoints = yield* Failpoint.Failpoints
    // Approval prompts are shown one at a time.
    const prompts = yield* Semaphore.make(1)

    const hit = (name: Failpoint.Failpoint) => Effect.sync(() => failpoints.hit(name))

    const contextOf = (running: Running): Pipeline.TaskContext => ({
      taskId: running.id,
      mode: running.mode,
      workspace: running.workspace,
      approvals: running.settings.approvals,
      strictPlanMode: running.settings.strictPlanMode,
      home: options.home,
      progress: () => Effect.void
    })

    const settle = (running: Running, results: ReadonlyArray<Step.CallResult>, before: ReadonlyArray<Step.Step> = []) =>
      Effect.gen(function* () {
        yield* hit("tool.finished.before")
        yield* journal.commit([...before, { _tag: "CallsSettled", ...fence(running), results }])
        for (const { callId } of results) running.startedCalls.delete(callId)
        yield* hit("tool.finished.after")
      })

    const mistake = (running: Running, made: boolean): void => {
      running.mistakes = made ? running.mistakes + 1 : 0
    }

    const start = (running: Running, callIds: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        yield* hit("tool.started.before")
        yield* journal.commit([{ _tag: "CallsStarted", ...fence(running), callIds }])
        yield* hit("tool.started.after")
      })

    const execute = (running: Running, ready: Pipeline.Ready) =>
      Effect.gen(function* () {
        const { callId } = ready.call
        running.startedCalls.add(callId)
        yield* hit("tool.run.before")
        const output = yield* executor.run(ready, {
          ...contextOf(running),
          progress: (chunk) => options.model.live(running, { type: "tool.output", callId, chunk })
        })
        yield* hit("tool.run.after")
        mistake(running, output.isError && ready.tool.category === "edit")
        return result(callId, output)
      })

    const observeLoop = (running: Running, call: Pipeline.Call): LoopGuard.Verdict => {
      const observed = LoopGuard.observe(running.loopGuard, { name: call.name, args: call.input })
      running.loopGuard = observed.state
      return observed.verdict
    }

    const warned = (output: Step.CallResult): Step.CallResult => ({
      ...output,
      content: [...output.content, Message.text(LoopGuard.warning)]
    })

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

    const openAsk = (running: Running, ask: Ask): Step.Step => {
      const { taskId: _task, title: _title, ...body } = ask
      return { _tag: "AskOpened", ...fence(running), ask: body }
    }

    const settledAsk = (running: Running, askId: string, settled: { decision?: "allow" | "deny"; text?: string; by: string }): Step.Step => ({
      _tag: "AskSettled",
      taskId: running.id,
      settled: { askId, ...settled }
    })

    /** Nobody is there: denied and recorded, in one commit, and the task goes on. */
    const denyUnattended = (running: Running, ready: Pipeline.Ready, ask: Ask) => {
      const output = Tool.failure(
        `Not run: denied, because nobody was there to answer. ${ready.decision.reason} (rule: ${ready.decision.rule})`
      )
      return settle(running, [result(ready.call.callId, output)], [
        openAsk(running, ask),
        settledAsk(running, ask.askId, { decision: "deny", by: "unattended" })
      ])
    }

    /** Asks until the call that was approved is the call that would run. */
    const approved = (running: Running, ready: Pipeline.Ready): Effect.Effect<Pipeline.Ready | "denied", any> =>
      Effect.gen(function* () {
        if (ready.decision.decision === "allow") return ready
        const ask = askOf(running, yield* TaskId.make, ready)
        if (!person.attended) {
          yield* denyUnattended(running, ready, ask)
          return "denied" as const
        }
        yield* journal.commit([openAsk(running, ask)])
        const answer = yield* prompts.withPermit(person.approve(ask))
        const { decision, text } = answer
        const settled = settledAsk(running, ask.askId, { decision, by: "user", ...(text === undefined ? {} : { text }) })
        if (decision === "deny") {
          const why = text === undefined || text === "" ? "" : ` They said: ${text}`
          const output = Tool.failure(`Not run: the user rejected this call.${why}`)
          yield* settle(running, [result(ready.call.callId, output)], [settled])
          return "denied" as const
        }
        yield* hit("tool.approved.before")
        yield* journal.commit([settled, { _tag: "CallsApproved", ...fence(running), callIds: [ready.call.callId] }])
        yield* hit("tool.approved.after")
        const again = yield* executor.prepare(ready.call, contextOf(running))
        if (again._tag === "Refused") {
          yield* settle(running, [result(ready.call.callId, again.output)])
          return "denied" as const
        }
        return again.hash === ready.hash ? again : yield* approved(running, again)
      })

    /** The mode of this moment decides, whatever was offered when the request was made. */
    const refusedByMode = (running: Running, tool: Tool.Tool): string | undefined => {
      const { strictPlanMode } = running.settings
      return Mode.availability(running.mode, tool, { strictPlanMode }) === "refused"
        ? Mode.refusal(running.mode, tool.name)
        : undefined
    }

    const prepare = (running: Running, call: Pipeline.Call, tool: Tool.Tool | undefined): Effect.Effect<Pipeline.Prepared> => {
      const refusal = tool === undefined ? undefined : refusedByMode(running, tool)
      return refusal === undefined
        ? executor.prepare(call, contextOf(running))
        : Effect.succeed({ _tag: "Refused", call, output: Tool.failure(refusal), mistake: false })
    }

    /** Reads of one answer: prepared, started, run side by side and settled together. */
    const runReads = (running: Running, prepared: ReadonlyArray<Pipeline.Ready>, started: boolean) =>
      Effect.gen(function* () {
        if (!started) yield* start(running, prepared.map((ready) => ready.call.callId))
        const verdicts = prepared.map((ready) => observeLoop(running, ready.call))
        const results = yield* Effect.forEach(prepared, (ready) => execute(running, ready), { concurrency: 8 })
        const outcome = results.map((output, index) => (verdicts[index] === "ok" ? output : warned(output)))
        yield* settle(running, outcome)
        return verdicts.includes("ask")
      })

    /** A call that may change something: alone, in order. */
    const runOne = (running: Running, open: Open) =>
      Effect.gen(function* () {
        const prepared = yield* prepare(running, open.call, open.tool)
        if (prepared._tag === "Refused") {
          if (prepared.mistake) mistake(running, true)
          yield* settle(running, [result(open.call.callId, prepared.output)])
          return "done" as const
        }
        const ready = yield* approved(running, prepared)
        if (ready === "denied") return person.attended ? ("rejected" as const) : ("done" as const)
        const verdict = observeLoop(running, ready.call)
        yield* start(running, [ready.call.callId])
        const output = yield* execute(running, ready)
        yield* settle(running, [verdict === "ok" ? output : warned(output)])
        return verdict === "ask" ? ("looping" as const) : ("done" as const)
      })

    /** A question to the person; without one the task stops with its ask open. */
    const question = (running: Running, open: Open) =>
      Effect.gen(function* () {
        const { call } = open
        const prepared = yield* prepare(running, call, open.tool)
        if (prepared._tag === "Refused") {
          if (prepared.mistake) mistake(running, true)
          yield* settle(running, [result(call.callId, prepared.output)])
          return goOn
        }
        const { args } = prepared
        if (args.needs_more_exploration === true) {
          yield* settle(running, [result(call.callId, Tool.output("Go on exploring."))])
          return goOn
        }
        const known = (yield* history.asks(running.id)).find((ask) => ask.open && ask.callId === call.callId)
        const askId = known?.askId ?? (yield* TaskId.make)
        const ask: Ask = {
          taskId: running.id,
          title: running.title,
          askId,
          kind: call.name === "plan_mode_respond" ? "plan" : "question",
          callId: call.callId,
          question: args.question ?? args.response,
          ...(args.options === undefined ? {} : { options: args.options }),
          grants: []
        }
        if (known === undefined) yield* journal.commit([openAsk(running, ask)])
        if (!person.attended) return { _tag: "Pause", reason: "unattended" } satisfies Next
        const answer = yield* prompts.withPermit(person.answer(ask))
        mistake(running, false)
        const switched: ReadonlyArray<Step.Step> =
          answer.switchToAct === true
            ? [{ _tag: "ModeChanged", ...fence(running), to: "act", by: "user", answeredAsk: askId }]
            : []
        yield* settle(running, [result(call.callId, Tool.output(answer.text))], [
          settledAsk(running, askId, { text: answer.text, by: "user" }),
          ...switched
        ])
        return goOn
      })

    const rejectRest = (running: Running, rest: ReadonlyArray<Open>) =>
      rest.length === 0
        ? Effect.void
        : settle(running, rest.map(({ call }) => result(call.callId, Tool.failure(Prompt.rejectedTurn))))

    const delegations = (running: Running, open: ReadonlyArray<Open>) =>
      Effect.gen(function* () {
        const calls: Array<Pipeline.Call> = []
        for (const item of open) {
          const prepared = yield* prepare(running, item.call, item.tool)
          if (prepared._tag === "Refused") {
            if (prepared.mistake) mistake(running, true)
            yield* settle(running, [result(item.call.callId, prepared.output)])
            continue
          }
          if ((yield* approved(running, prepared)) !== "denied") calls.push(item.call)
        }
        return calls
      })

    const completion = (running: Running, open: Open) =>
      Effect.gen(function* () {
        const prepared = yield* prepare(running, open.call, open.tool)
        if (prepared._tag === "Ready") {
          return { _tag: "Complete", callId: open.call.callId, result: prepared.args.result } satisfies Next
        }
        mistake(running, prepared.mistake)
        yield* settle(running, [result(open.call.callId, prepared.output)])
        return goOn
      })

    /** What had started when the process ended and may have changed something: its outcome is unknown, for good. */
    const closeUnknown = (running: Running, open: ReadonlyArray<Open>) => {
      const awaited = new Set(Object.values(TaskRecord.awaiting(running.record)).map((entry) => entry.callId))
      const lost = open.filter(({ call, state, tool }) => {
        if (state !== "started" || tool === undefined) return false
        return tool.flow === "delegate" ? !awaited.has(call.callId) : tool.flow === "run" && !tool.readOnly
      })
      const ids = lost.map(({ call }) => call.callId)
      const results = ids.map((callId) => result(callId, Tool.failure(Prompt.unknownOutcome), "unknown"))
      return ids.length === 0 ? Effect.succeed(ids) : Effect.as(settle(running, results), ids)
    }

    const isRead = ({ tool }: Open): boolean => tool?.flow === "run" && tool.readOnly

    /** Runs of reads next to each other, and everything else alone. */
    const grouped = (open: ReadonlyArray<Open>): ReadonlyArray<ReadonlyArray<Open>> => {
      const groups: Array<Array<Open>> = []
      for (const item of open) {
        const last = groups.at(-1)
        if (isRead(item) && last?.[0] !== undefined && isRead(last[0])) last.push(item)
        else groups.push([item])
      }
      return groups
    }

    const readGroup = (running: Running, group: ReadonlyArray<Open>, ready: ReadonlyMap<string, Pipeline.Ready>) =>
      Effect.gen(function* () {
        const runnable: Array<Pipeline.Ready> = []
        const alone: Array<Open> = []
        for (const item of group) {
          const prepared = ready.get(item.call.callId) ?? (yield* prepare(running, item.call, item.tool))
          if (prepared._tag === "Ready" && prepared.decision.decision === "allow") runnable.push(prepared)
          else alone.push(item)
        }
        const started = runnable.every((item) => ready.has(item.call.callId))
        let looping = runnable.length > 0 && (yield* runReads(running, runnable, started))
        for (const [index, item] of alone.entries()) {
          const outcome = yield* runOne(running, item)
          if (outcome === "looping") looping = true
          if (outcome === "rejected") {
            yield* rejectRest(running, alone.slice(index + 1))
            return "rejected" as const
          }
        }
        return looping ? ("looping" as const) : ("done" as const)
      })

    const runAll = (running: Running, open: ReadonlyArray<Open>, ready: ReadonlyMap<string, Pipeline.Ready>) =>
      Effect.gen(function* () {
        const groups = grouped(open)
        for (const [index, group] of groups.entries()) {
          const [first] = group
          if (first === undefined) continue
          const outcome = isRead(first) ? yield* readGroup(running, group, ready) : yield* runOne(running, first)
          if (outcome === "rejected") {
            yield* rejectRest(running, groups.slice(index + 1).flat())
            return outcome
          }
          if (outcome === "looping") return outcome
        }
        return "done" as const
      })

    /** What the answer asks for before anything is stored: leading reads that may run at once start with its commit. */
    const leading = (running: Running, message: Message.Message) =>
      Effect.gen(function* () {
        const ready = new Map<string, Pipeline.Ready>()
        for (const block of Message.toolUses(message)) {
          const tool = catalog.get(block.name)
          if (tool === undefined || tool.flow !== "run" || !tool.readOnly) break
          const prepared = yield* prepare(running, { callId: block.id, name: block.name, input: block.input }, tool)
          if (prepared._tag === "Refused" || prepared.decision.decision !== "allow") break
          ready.set(block.id, prepared)
        }
        return ready
      })

    /** Carries the open calls of the newest answer out; `ready` are those that its commit has started. */
    const carryOut = (
      running: Running,
      message: Message.Message,
      states: ReadonlyMap<string, Event.CallState>,
      ready: ReadonlyMap<string, Pipeline.Ready>
    ) =>
      Effect.gen(function* () {
        const open = Message.toolUses(message).flatMap((block): ReadonlyArray<Open> => {
          const state = states.get(block.id) ?? "requested"
          if (state === "finished" || state === "unknown") return []
          const call = { callId: block.id, name: block.name, input: block.input }
          return [{ call, state, tool: catalog.get(block.name) }]
        })
        const lost = new Set(ready.size === 0 ? yield* closeUnknown(running, open) : [])
        const alive = open.filter(({ call }) => !lost.has(call.callId))
        const of = (flow: Tool.ToolFlow) => alive.filter(({ tool }) => tool?.flow === flow)
        const plain = alive.filter(({ tool }) => tool === undefined || tool.flow === "run")
        const later = [...of("question"), ...of("delegate"), ...of("complete")]
        const outcome = yield* runAll(running, plain, ready)
        if (outcome === "rejected") {
          yield* rejectRest(running, later)
          return goOn
        }
        for (const item of of("question")) {
          const next = yield* question(running, item)
          if (next._tag === "Pause") return next
        }
        // A child that is awaited already is left alone: its result comes by its own way.
        const asked = of("delegate").filter(({ state }) => state !== "started")
        const calls = yield* delegations(running, asked)
        const completions = of("complete")
        if (calls.length > 0 || of("delegate").length > asked.length) {
          if (completions.length > 0) {
            yield* settle(running, completions.map(({ call }) => result(call.callId, Tool.failure(Prompt.notYet))))
          }
          return { _tag: "Delegate", calls } satisfies Next
        }
        if (outcome === "looping") {
          yield* rejectRest(running, completions)
          return { _tag: "Pause", reason: "mistakes" } satisfies Next
        }
        const [last] = completions
        return last === undefined ? goOn : yield* completion(running, last)
      })

    const tooManyMistakes = (running: Running): boolean => running.mistakes > mistakesAllowed

    return { leading, carryOut, tooManyMistakes, mistake }
  })

export type Turn = Effect.Success<ReturnType<typeof make>>

/** The states of the newest turn's calls, as the log has them. */
export const statesOf = (calls: ReadonlyArray<History.ToolCall>): ReadonlyMap<string, Event.CallState> => {
  const newest = calls.at(-1)?.messageIndex
  return new Map(calls.filter((call) => call.messageIndex === newest).map((call) => [call.callId, call.state]))
}
