/**
 * Delegation: subtasks are created together with their parent's wait, in one commit, and report through the history.
 *
 * A child's result reaches its parent by `Collect`, which answers the call that asked for it, once. A child that stops
 * without completing stays awaited; nothing here can lose the edge.
 */
import { Approvals } from "@belay/approval-policy"
import { type Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { ProjectContext } from "@belay/prompt-context"
import { Command, TaskId, TaskRecord } from "@belay/task-state"
import { type Pipeline, Tool } from "@belay/tool-executor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Agents from "../context/Agents.ts"
import * as Call from "../calls/Call.ts"
import { Checklists } from "../checklist/Checklists.ts"
import type * as EngineTools from "../tools/EngineTools.ts"
import { Journal } from "../active/Journal.ts"
import * as Prompt from "../prompt/Prompt.ts"
import { TaskRegistry } from "../active/Registry.ts"
import * as ReportText from "../prompt/ReportText.ts"
import { ReportCollection } from "../reports/ReportCollection.ts"
import { fence, type ActiveTask, type StoreFailure } from "../active/ActiveTask.ts"
import { TaskScheduler } from "../active/Scheduler.ts"
import { Settings } from "@belay/settings"
import { Surroundings } from "../context/Surroundings.ts"
import * as Title from "../prompt/Title.ts"

export class Delegation extends Context.Service<
  Delegation,
  {
    /**
     * One commit: the children, the parent's edges, the calls as started; those of background children are answered by it,
     * and these children start. The sentence says which limit refuses all of it.
     */
    readonly delegate: (
      running: ActiveTask,
      calls: ReadonlyArray<Pipeline.Ready>
    ) => Effect.Effect<string | undefined, StoreFailure>
    /**
     * Runs the awaited children that can run here and collects their reports, also of those that other processes run. True
     * when the parent goes on; false when it still waits for children that have stopped.
     */
    readonly awaitChildren: (running: ActiveTask) => Effect.Effect<boolean, StoreFailure>
    /** Of the stopped subtasks of a task, this process resumes only one; or all again. */
    readonly restrict: (parent: TaskId.TaskId, only: TaskId.TaskId | undefined) => void
  }
>()("@belay/task-engine/Delegation") {
  static readonly layer = Layer.effect(
    Delegation,
    Effect.gen(function* () {
      const parts: Parts = {
        checklists: yield* Checklists,
        reports: yield* ReportCollection,
        surroundings: yield* Surroundings,
        journal: yield* Journal,
        history: yield* TaskHistory,
        registry: yield* TaskRegistry,
        scheduler: yield* TaskScheduler,
        folder: yield* ProjectContext.ProjectContext,
        restricted: new Map()
      }

      return Delegation.of({
        delegate: delegate(parts),
        awaitChildren: awaitChildren(parts),
        restrict: (parent, only) => {
          if (only === undefined) parts.restricted.delete(parent)
          else parts.restricted.set(parent, only)
        }
      })
    })
  )
}

interface Parts {
  readonly checklists: Checklists["Service"]
  readonly reports: ReportCollection["Service"]
  readonly surroundings: Surroundings["Service"]
  readonly journal: Journal["Service"]
  readonly history: TaskHistory["Service"]
  readonly registry: TaskRegistry["Service"]
  readonly scheduler: TaskScheduler["Service"]
  readonly folder: (typeof ProjectContext.ProjectContext)["Service"]
  /** Of the stopped subtasks of a task, the only one that is resumed. */
  readonly restricted: Map<TaskId.TaskId, TaskId.TaskId>
}

interface Child {
  readonly id: TaskId.TaskId
  readonly call: Pipeline.Call
  readonly args: typeof EngineTools.NewTask.Type
  readonly wait: TaskRecord.Awaited["wait"]
  readonly title: string
  readonly environment: Message.TextBlock
  readonly settings: Settings.TaskSettings
  readonly agent?: ProjectContext.Agent
  readonly checklist?: Step.FirstChecklist
}

/** The sentence for a limit that refuses a delegation. */
const limitOf = (running: ActiveTask) => (rejected: Command.TransitionRejected) => {
  if (rejected.rule === "TooDeep") return Effect.succeed(Prompt.tooDeep(running.settings.depth))
  if (rejected.rule === "TooMany") return Effect.succeed(Prompt.tooMany(running.settings.fanOut))
  return Effect.fail(rejected)
}

/** Those that a delegation may name; they are looked at only when it names one. */
const agentsFor = ({ folder }: Parts, running: ActiveTask, calls: ReadonlyArray<Pipeline.Ready>) =>
  calls.some(({ args }) => args.agent !== undefined)
    ? Effect.map(folder.content(running.workspace), ({ agents }) => agents)
    : Effect.succeed([])

const childOf = Effect.fnUntraced(function* (
  { surroundings }: Parts,
  running: ActiveTask,
  { args, call }: Pipeline.Ready,
  agents: ReadonlyArray<ProjectContext.Agent>
): Effect.fn.Return<Child> {
  const id = yield* TaskId.make
  const given: typeof EngineTools.NewTask.Type = args
  const { workspace } = running
  const agent = agents.find(({ name }) => name === given.agent)
  const settings = agent === undefined ? running.settings : Agents.applied(running.settings, agent)
  const wait = given.background === true ? "background" : "foreground"
  const mode = given.mode ?? "act"
  const environment = yield* surroundings.block({ id, workspace, mode, settings, author: "task" })
  const title = Title.of(given.message)
  return { id, call, args: given, wait, title, environment, settings, ...(agent === undefined ? {} : { agent }) }
})

const describe = (running: ActiveTask, child: Child): Step.Step => {
  const { agent, args, checklist, environment, id, title } = child
  const { resultSchema: _, ...settings } = child.settings
  const mode = args.mode ?? "act"
  const preset = agent === undefined ? [] : [Agents.told(agent)]
  const todos = args.todos === undefined ? [] : [Prompt.checklist(args.todos)]
  return {
    _tag: "Describe",
    taskId: id,
    meta: {
      title,
      workspace: running.workspace,
      mode,
      model: Settings.modelFor(settings, mode),
      host: running.host,
      settings: {
        ...settings,
        // Looked up above when they are asked for.
        grants: [],
        ...Settings.noLimits,
        ...args.budget,
        approvals: Approvals.narrow(settings.approvals, settings.approvals)
      }
    },
    prompt: Message.joined(
      Message.from("task", Message.text(args.message)),
      Message.from("engine.environment", environment),
      Message.from("engine.subtask", ReportText.subtask),
      Message.from("engine.agent", ...preset),
      Message.from("engine.firstChecklist", ...todos)
    ),
    ...(checklist === undefined ? {} : { checklist })
  }
}

/** With the list that it begins with; the steps tell why it has none. */
const withChecklist = ({ checklists }: Parts, running: ActiveTask, child: Child) => {
  const { todos } = child.args
  return todos === undefined || !running.settings.focusChain.enabled
    ? Effect.succeed({ child, steps: [] })
    : Effect.map(checklists.first(child, todos, fence(running)), ({ steps, ...list }) => ({
        child: { ...child, ...list },
        steps
      }))
}

/** Edges and first words of the children; background edges first, because a waiting task takes no more of them. */
const edges = (running: ActiveTask, children: ReadonlyArray<Child>): ReadonlyArray<Step.Step> => {
  const { depth, fanOut } = running.settings
  const limits = { depth, fanOut }
  const waiting = (wait: Child["wait"], _tag: "Delegate" | "DelegateBackground"): ReadonlyArray<Step.Step> => {
    const some = children.filter((child) => child.wait === wait)
    const edgesOf = some.map(({ call, id }) => ({ id, callId: call.callId, wait }))
    const request = { _tag, ...fence(running), children: edgesOf, limits }
    return some.length === 0 ? [] : [{ _tag: "Lifecycle", request }]
  }
  return [
    ...waiting("background", "DelegateBackground"),
    ...waiting("foreground", "Delegate"),
    ...children.map((child) => describe(running, child))
  ]
}

const delegate = (parts: Parts): Delegation["Service"]["delegate"] =>
  Effect.fn("Delegation.delegate")(function* (running, calls) {
    if (calls.length === 0) return undefined
    const agents = yield* agentsFor(parts, running, calls)
    const names = calls.flatMap(({ args }): ReadonlyArray<string> => (args.agent === undefined ? [] : [args.agent]))
    const none = names.find((name) => agents.every((agent) => agent.name !== name))
    if (none !== undefined) return Agents.unknown(none, agents)
    const listed = yield* Effect.forEach(calls, (call) =>
      Effect.flatMap(childOf(parts, running, call, agents), (child) => withChecklist(parts, running, child))
    )
    const children = listed.map(({ child }) => child)
    const background = children.filter(({ wait }) => wait === "background")
    const answers = background.map(({ call, id }) => Call.result(call.callId, Tool.output(Prompt.inBackground(id))))
    const steps: ReadonlyArray<Step.Step> = [
      {
        _tag: "CallsStarted",
        ...fence(running),
        callIds: calls.map(({ call }) => call.callId),
        ...Call.auditOf(calls)
      },
      ...listed.flatMap(({ steps }) => steps),
      ...edges(running, children),
      ...(answers.length === 0 ? [] : [{ _tag: "CallsSettled" as const, ...fence(running), results: answers }])
    ]
    const commit = parts.journal.commit(steps, { commit: "delegate.commit", publish: "delegate.publish" })
    const made = children.map(({ id }) => id)
    const refused = yield* parts.checklists
      .unlessRefused(made, commit)
      .pipe(Effect.as(undefined), Effect.catchTag("TransitionRejected", limitOf(running)))
    if (refused !== undefined) return refused
    yield* Effect.forEach(background, ({ id }) => Effect.asVoid(parts.registry.launch(id)), { discard: true })
    return undefined
  })

/** Whether the runners here have ended, by child. */
type Followed = Map<TaskId.TaskId, boolean>

const follow = Effect.fnUntraced(function* (
  { registry }: Parts,
  running: ActiveTask,
  followed: Followed,
  child: TaskId.TaskId
) {
  followed.set(child, false)
  yield* Effect.asVoid(registry.launch(child))
  // However it ended is told by what it left behind: a defect of a child is its own.
  const noted = Effect.map(registry.ended(child), () => {
    followed.set(child, true)
    running.news.openUnsafe()
  })
  yield* Effect.forkScoped(noted)
})

/** A wait begins by starting what has stopped; what stops later is left to a person. */
const mayStart = ({ restricted }: Parts, running: ActiveTask, child: TaskId.TaskId, beginning: boolean): boolean => {
  const only = restricted.get(running.id)
  const foreground = TaskRecord.foregroundIds(running.record).includes(child)
  return beginning && foreground && (only === undefined || only === child)
}

/** Collects what a child reports, or starts it. True while it is at work, here or elsewhere. */
const attend = Effect.fnUntraced(function* (
  parts: Parts,
  running: ActiveTask,
  followed: Followed,
  child: TaskId.TaskId,
  beginning: boolean
) {
  const ended = followed.get(child)
  if (ended === false) return true
  const row = yield* parts.history.row(child)
  if (Option.isNone(row)) return false
  const { lease, record } = row.value
  if (record.status === "completed") {
    yield* parts.reports.collect(fence(running), [child])
    return false
  }
  if (lease?.alive === true && lease.ownerId !== parts.history.me) return true
  if (!parts.registry.runs(record) && (ended === true || !mayStart(parts, running, child, beginning))) return false
  yield* follow(parts, running, followed, child)
  return true
})

/** Background children are looked at, too: no request of the parent is under way. */
const look = Effect.fnUntraced(function* (parts: Parts, running: ActiveTask, followed: Followed, beginning: boolean) {
  const atWork = yield* Effect.forEach(TaskRecord.awaitedIds(running.record), (child) =>
    attend(parts, running, followed, child, beginning)
  )
  return atWork.includes(true)
})

const awaitChildren = (parts: Parts): Delegation["Service"]["awaitChildren"] =>
  Effect.fn("Delegation.awaitChildren")(function* (running) {
    const followed: Followed = new Map()
    yield* parts.scheduler.release(running)
    yield* parts.journal.reached("delegate.queue.before")
    for (let beginning = true; ; beginning = false) {
      // What comes while it looks is looked at next.
      yield* running.news.close
      const atWork = yield* look(parts, running, followed, beginning)
      if (beginning) yield* parts.journal.reached("delegate.queue.after")
      if (TaskRecord.foregroundIds(running.record).length === 0) return true
      if (!atWork) return false
      yield* running.news.await
    }
  }, Effect.scoped)
