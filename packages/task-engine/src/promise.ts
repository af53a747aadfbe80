/**
 * The engine for programs without Effect: tasks that survive the process, asks that any request may answer.
 *
 * Guarantees: a task is stored before `start` resolves; an abort interrupts a task and loses nothing; what a process leaves
 * behind, whatever ended it, `recover` goes on with in the next one. Nothing of Effect is in the types.
 */
import { TaskHistory } from "@belay/history-store"
import { historyOf } from "@belay/history-store/unstable/history-of"
import { iterate, runIn } from "@belay/machine/promise"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import * as nodeFs from "node:fs"
import * as nodePath from "node:path"
import { RequestRefused as Refused } from "./active/RequestRefused.ts"
import * as Asks from "./promise/Asks.ts"
import type { Belay, BelayOptions, TaskEvent } from "./promise/Belay.ts"
import { layerOf } from "./promise/Layers.ts"
import * as Events from "./promise/EventStream.ts"
import * as Tasks from "./promise/Tasks.ts"

export type * from "./promise/Belay.ts"
export { UnknownAsk } from "./promise/UnknownAsk.ts"

/** A request that came too late, or to the wrong process: nothing has changed. `reason` says why. */
export const RequestRefused: abstract new (...given: never) => Error & {
  readonly _tag: "RequestRefused"
  readonly taskId: string
  readonly reason: string
} = Refused

/** Makes the data folder where it is absent, for its owner alone. */
const folderOf = (directory: string): string => {
  nodeFs.mkdirSync(nodePath.resolve(directory), { recursive: true, mode: 0o700 })
  return nodeFs.realpathSync.native(directory)
}

/** Opens the engine of a program. Rejects with `HistoryError` where the data folder cannot be used. */
export const createBelay = async (options: BelayOptions): Promise<Belay> => {
  const runtime = ManagedRuntime.make(layerOf(options, folderOf(options.directory)))
  const run = runIn(runtime)
  try {
    const context = await runtime.context()
    const history = await run(TaskHistory.use(Effect.succeed))
    const tasks = Tasks.make(options, { run: runIn(runtime), context: () => context })
    const past = historyOf(history, run, () => Promise.resolve())
    const close = () => tasks.stop().finally(() => runtime.dispose())
    return {
      start: tasks.start,
      open: (id) => past.task(id).then((row) => (row === undefined ? undefined : tasks.of(TaskId.TaskId.make(row.id)))),
      tasks: past.tasks,
      recover: tasks.recover,
      asks: () => run(Asks.open),
      onAsk: (listener) => {
        const fiber = runtime.runFork(Effect.ignore(Asks.tell(listener)))
        return () => fiber.interruptUnsafe()
      },
      answer: (askId, given) => run(Asks.answer(askId, given)),
      events: ({ signal, taskId } = {}): AsyncIterable<TaskEvent> =>
        iterate(Stream.provideContext(Events.live(taskId), context), { signal }),
      history: past,
      close,
      [Symbol.asyncDispose]: close
    }
  } catch (cause) {
    await runtime.dispose()
    throw cause
  }
}
