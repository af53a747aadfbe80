/**
 * Delegation: subtasks are created together with their parent's wait, in one commit, and report through the history.
 *
 * A child's result reaches its parent by `Collect`, which answers the call that asked for it, once. A child that stops
 * without completing stays awaited; nothing here can lose the edge.
 */
import { Approvals } from "@belay/approval-policy"
import { type HistoryError, type Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { type Command, Failpoint, TaskId, TaskRecord } from "@belay/task-state"
import type { Pipeline } from "@belay/tool-executor"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as EngineTools from "./EngineTools.ts"
import { Journal } from "./Journal.ts"
import * as Prompt from "./Prompt.ts"
import { beginOf, TaskRegistry } from "./Registry.ts"
import { fence, type Running } from "./Running.ts"
import { TaskScheduler } from "./Scheduler.ts"
import * as Settings from "./Settings.ts"

type Fails = Command.TransitionRejected | HistoryError.HistoryError

export interface Delegation {
  /** One commit: the children, the parent's wait, the calls as started. */
  readonly delegate: (running: Running, calls: ReadonlyArray<Pipeline.Call>) => Effect.Effect<void, Fails>
  /**
   * Runs the awaited children that can run here and collects their reports. True when the parent goes on; false when it
   * still waits for children that have stopped.
   */
  readonly awaitChildren: (running: Running) => Effect.Effect<boolean, Fails>
}

const titleOf = (message: string): string => {
  const [line = ""] = message.trim().split("\n")
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}

/** The title of a task: the first line of its prompt, at most 80 characters. */
export const title = titleOf

export const isoDay = Effect.map(Clock.currentTimeMillis, (now) => new Date(now).toISOString().slice(0, 10))

export const make: Effect.Effect<Delegation, never, Journal | TaskHistory | TaskRegistry | TaskScheduler> = Effect.gen(
  function* () {
    const journal = yield* Journal
    const history = yield* TaskHistory
    const registry = yield* TaskRegistry
    const scheduler = yield* TaskScheduler
    const failpoints = yield* Failpoint.Failpoints
    const hit = (name: Failpoint.Failpoint) => Effect.sync(() => failpoints.hit(name))

    const describe = (running: Running, id: TaskId.TaskId, args: typeof EngineTools.NewTask.Type, day: string): Step.Step => {
      const mode = args.mode ?? "act"
      const { settings } = running
      const todos = args.todos === undefined ? [] : [Prompt.checklist(args.todos)]
      return {
        _tag: "Describe",
        taskId: id,
        meta: {
          title: titleOf(args.message),
          workspace: running.workspace,
          mode,
          model: Settings.modelFor(settings, mode),
          host: "subtask",
          settings: { ...settings, approvals: Approvals.narrow(settings.approvals, settings.approvals) }
        },
        prompt: Message.user(Message.text(args.message), Prompt.environment(running.workspace, day), ...todos)
      }
    }

    const delegate = (running: Running, calls: ReadonlyArray<Pipeline.Call>) =>
      Effect.gen(function* () {
        if (calls.length === 0) return
        const day = yield* isoDay
        const children = yield* Effect.forEach(calls, (call) =>
          Effect.map(TaskId.make, (id) => ({ id, call, args: call.input as typeof EngineTools.NewTask.Type }))
        )
        yield* hit("delegate.commit.before")
        yield* journal.commit([
          { _tag: "CallsStarted", ...fence(running), callIds: calls.map((call) => call.callId) },
          {
            _tag: "Lifecycle",
            request: {
              _tag: "Delegate",
              ...fence(running),
              children: children.map(({ call, id }) => ({ id, callId: call.callId, wait: "foreground" as const })),
              limits: { depth: running.settings.depth, fanOut: running.settings.fanOut }
            }
          },
          ...children.map(({ args, id }) => describe(running, id, args, day))
        ])
        yield* hit("delegate.commit.after")
      })

    const collect = (running: Running, child: TaskId.TaskId) =>
      Effect.gen(function* () {
        yield* hit("complete.collect.before")
        yield* journal.commit([
          { _tag: "Lifecycle", request: { _tag: "Collect", ...fence(running), children: [child] } }
        ])
        yield* hit("complete.collect.after")
        yield* hit("complete.publish.before")
        yield* hit("complete.publish.after")
      })

    const follow = (running: Running, child: TaskId.TaskId) =>
      Effect.gen(function* () {
        const row = yield* history.row(child)
        if (Option.isNone(row)) return
        const begin = beginOf(row.value.record)
        const heldElsewhere = row.value.lease?.alive === true && row.value.lease.ownerId !== history.me
        if (heldElsewhere) return
        const record = begin === undefined ? row.value.record : (yield* registry.run(child, begin)).record
        if (record.status === "completed") yield* collect(running, child)
      })

    const awaitChildren = (running: Running) =>
      Effect.gen(function* () {
        yield* scheduler.release(running)
        yield* hit("delegate.queue.before")
        yield* hit("delegate.queue.after")
        yield* Effect.forEach(TaskRecord.foregroundIds(running.record), (child) => follow(running, child), {
          concurrency: "unbounded",
          discard: true
        })
        if (TaskRecord.foregroundIds(running.record).length > 0) return false
        yield* scheduler.acquire(running)
        return true
      })

    return { delegate, awaitChildren }
  }
)
