/**
 * Delegation: subtasks are created together with their parent's wait, in one commit, and report through the history.
 *
 * A child's result reaches its parent by `Collect`, which answers the call that asked for it, once. A child that stops
 * without completing stays awaited; nothing here can lose the edge.
 */
import { type Step, TaskHistory } from "@belay/history-store"
import { ProjectContext } from "@belay/prompt-context"
import { Command, TaskId, TaskRecord } from "@belay/task-state"
import { type Pipeline, Tool } from "@belay/tool-executor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Agents from "../context/Agents.ts"
import * as Call from "../calls/Call.ts"
import * as Children from "./Children.ts"
import { Checklists } from "../checklist/Checklists.ts"
import { Journal } from "../active/Journal.ts"
import * as Prompt from "../prompt/Prompt.ts"
import { TaskRegistry } from "../active/Registry.ts"
import { ReportCollection } from "../reports/ReportCollection.ts"
import { fence, type ActiveTask, type StoreFailure } from "../active/ActiveTask.ts"
import { TaskScheduler } from "../active/Scheduler.ts"
import { Surroundings } from "../context/Surroundings.ts"

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

interface Parts extends Children.Parts {
  readonly reports: ReportCollection["Service"]
  readonly journal: Journal["Service"]
  readonly history: TaskHistory["Service"]
  readonly registry: TaskRegistry["Service"]
  readonly scheduler: TaskScheduler["Service"]
  /** Of the stopped subtasks of a task, the only one that is resumed. */
  readonly restricted: Map<TaskId.TaskId, TaskId.TaskId>
}

/** The sentence for a limit that refuses a delegation. */
const limitOf = (running: ActiveTask) => (rejected: Command.TransitionRejected) => {
  if (rejected.rule === "TooDeep") return Effect.succeed(Prompt.tooDeep(running.settings.depth))
  if (rejected.rule === "TooMany") return Effect.succeed(Prompt.tooMany(running.settings.fanOut))
  return Effect.fail(rejected)
}

const delegate = (parts: Parts): Delegation["Service"]["delegate"] =>
  Effect.fn("Delegation.delegate")(function* (running, calls) {
    if (calls.length === 0) return undefined
    const agents = yield* Children.agentsFor(parts, running, calls)
    const names = calls.flatMap(({ args }): ReadonlyArray<string> => (args.agent === undefined ? [] : [args.agent]))
    const none = names.find((name) => agents.every((agent) => agent.name !== name))
    if (none !== undefined) return Agents.unknown(none, agents)
    const listed = yield* Effect.forEach(calls, (call) =>
      Effect.flatMap(Children.childOf(parts, running, call, agents), (child) =>
        Children.withChecklist(parts, running, child)
      )
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
      ...Children.edges(running, children),
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
