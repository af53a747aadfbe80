/** The tasks that run in a program without Effect: each run is kept until it ends, and an abort interrupts it. */
import { TaskHistory } from "@belay/history-store"
import { iterate, type runIn } from "@belay/machine/promise"
import { type Command, TaskId } from "@belay/task-state"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as nodeFs from "node:fs"
import type { TaskEvents } from "../active/TaskEvents.ts"
import { TaskEngine } from "../lifecycle/TaskEngine.ts"
import type { BelayOptions, RunResult, NewTask, ResumeOptions, Task } from "./Belay.ts"
import { settingsOf } from "./Layers.ts"
import * as OpenTasks from "./OpenTasks.ts"
import * as Events from "./EventStream.ts"

/** The services of the engine. */
type Services = TaskEngine | TaskEvents | TaskHistory

/** Runs effects with the engine, and gives its services once they are there. */
export interface Place {
  readonly run: ReturnType<typeof runIn<Services, never>>
  readonly context: () => Context.Context<Services>
}

const atRest = (id: TaskId.TaskId) =>
  Effect.flatMap(
    TaskHistory.use((history) => history.row(id)),
    Option.match({
      onNone: () => Effect.die(new Error(`there is no task ${id} any more`)),
      onSome: ({ record }) => Effect.succeed({ record })
    })
  )

const isRefused = (cause: unknown): cause is Command.TransitionRejected =>
  cause instanceof Error && "_tag" in cause && cause._tag === "TransitionRejected"

/** Starts, resumes and gives the tasks of one engine. */
export const make = (options: BelayOptions, { context, run }: Place) => {
  const { approvals = "ask", kind = "program" } = options
  const runs = new Map<string, Promise<RunResult>>()

  /** Runs a task that this process has; its end is kept for whoever asks for it. */
  const begin = (id: TaskId.TaskId, signal: AbortSignal | undefined): void => {
    const stop = () => void run(TaskEngine.use((engine) => engine.interrupt(id, "user"))).catch(() => {})
    const ended = run(TaskEngine.use((engine) => engine.run(id))).finally(() => {
      signal?.removeEventListener("abort", stop)
      if (runs.get(id) === ended) runs.delete(id)
    })
    // Who does not ask for it is not told by an unhandled rejection.
    ended.catch(() => {})
    runs.set(id, ended)
    if (signal?.aborted === true) stop()
    else signal?.addEventListener("abort", stop, { once: true })
  }

  const resume = async (id: TaskId.TaskId, { message, mode, signal }: ResumeOptions = {}): Promise<void> => {
    const said = { ...(message === undefined ? {} : { message }), ...(mode === undefined ? {} : { mode }) }
    const resumed = TaskEngine.use((engine) => engine.resume(id, said))
    await run(resumed, { signal })
    begin(id, signal)
  }

  const of = (id: TaskId.TaskId): Task => ({
    id,
    get result() {
      return runs.get(id) ?? run(atRest(id))
    },
    events: ({ from = 1, signal } = {}) => {
      const ended = Effect.promise(() => Promise.allSettled([runs.get(id)]))
      return iterate(Stream.provideContext(Events.ofTask(id, from, Effect.asVoid(ended)), context()), { signal })
    },
    send: (text) => run(TaskEngine.use((engine) => engine.send(id, text))),
    interrupt: () => run(TaskEngine.use((engine) => engine.interrupt(id, "user"))),
    resume: (choice) => resume(id, choice),
    setMode: (mode) => run(TaskEngine.use((engine) => engine.switchMode(id, mode)))
  })

  const start = async (task: NewTask): Promise<Task> => {
    const { limits, mode = "act", prompt, signal } = task
    const created = Effect.gen(function* () {
      const settings = yield* settingsOf(options, task.approvals ?? approvals, limits)
      const workspace = yield* Effect.sync(() => nodeFs.realpathSync.native(task.workspace))
      return yield* TaskEngine.use((engine) => engine.create({ prompt, mode, workspace, settings, host: kind }))
    })
    const id = await run(created, { signal })
    begin(id, signal)
    return of(id)
  }

  const recover = async (): Promise<ReadonlyArray<Task>> => {
    const resumed: Array<Task> = []
    for (const id of await run(OpenTasks.leftBy(kind))) {
      try {
        await resume(id)
        resumed.push(of(id))
      } catch (cause) {
        // Another process was faster.
        if (!isRefused(cause)) throw cause
      }
    }
    return resumed
  }

  /** Stops what runs here, and waits for it. */
  const stop = async (): Promise<void> => {
    await run(
      TaskEngine.use((engine) =>
        Effect.forEach(engine.kept(), (id) => engine.interrupt(id, "host"), { concurrency: "unbounded", discard: true })
      )
    )
    await Promise.allSettled(runs.values())
  }

  return { of, start, recover, stop }
}
