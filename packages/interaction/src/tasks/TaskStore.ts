/**
 * The tasks of the history as this window shows them: one reading model for all views, whoever runs the tasks.
 *
 * It is read once before there is an engine. From then on it follows this window's events and the writes of other
 * processes (looked for every 200 ms), and reads at most four times a second, and then only the trees of tasks that
 * changed: an entry stays the same object while its tree does. Columns only, never transcripts; finished trees come a
 * page at a time.
 */
import { HistoryError, TaskHistory } from "@belay/history-store"
import { LiveEvent, TaskEvents } from "@belay/task-engine"
import { TaskNode } from "@belay/task-engine/remote"
import type * as View from "../conversation/View.ts"
import type { TaskId } from "@belay/task-state"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { answering } from "./LiveActivity.ts"
import { type Entry, TaskTrees, type Snapshot } from "./TaskTrees.ts"
import * as TreeReader from "./TreeReader.ts"

export { type Entry, idOf, type Snapshot } from "./TaskTrees.ts"

type Listener = (now: Snapshot, before: Snapshot) => void

type Fails = HistoryError.HistoryError

const pollEvery = "200 millis"
/** The processes of tasks that run elsewhere are probed every two seconds. */
const looksPerProbe = 10
const readEvery = "250 millis"

const isElsewhere = ({ here, node }: Entry): boolean => !here && TaskNode.isAlive(node)

/** The tasks of the history, followed. */
export class TaskStore extends Context.Service<
  TaskStore,
  {
    readonly now: () => Snapshot
    /** Reads what changed since the last reading, and follows what changes. */
    readonly follow: Effect.Effect<void, Fails>
    /** Called with every new reading; the first call of a listener is the next one. */
    readonly listen: (listener: Listener) => { readonly dispose: () => void }
    /** Reads soon, as after a change that this window made. */
    readonly refresh: Effect.Effect<void>
    /** A task by its id, however long ago it was finished. */
    readonly find: (id: TaskId.TaskId) => Effect.Effect<Entry | undefined, Fails>
    /** Shows one more page of finished trees. */
    readonly showMore: Effect.Effect<void>
  }
>()("@belay/interaction/TaskStore") {
  /** `report`: is told what could not be read, once, and that it is read again. */
  static readonly layer = (
    report: (cause: Cause.Cause<unknown>) => void
  ): Layer.Layer<TaskStore, Fails, TaskHistory | TaskEvents> =>
    Layer.effect(
      TaskStore,
      Effect.gen(function* () {
        const history = yield* TaskHistory
        const events = yield* TaskEvents
        const listeners = new Set<Listener>()
        const stale = yield* Latch.make(false)
        const taskTrees = new TaskTrees(history.me)
        const reader = yield* TreeReader.make(history, taskTrees)
        const { dirty, learn, upsert } = reader
        const answers = new Map<string, View.Answering>()
        let current = taskTrees.snapshot(false)
        const publish = (before: Snapshot) => {
          current = taskTrees.snapshot(reader.hasMore(), new Map(answers))
          for (const listener of listeners) listener(current, before)
        }

        let probing = false
        let wanted = 0
        const read = Effect.gen(function* () {
          yield* learn
          if (probing) for (const entry of current.entries.values()) if (isElsewhere(entry)) dirty.add(entry.rootId)
          probing = false
          for (const root of dirty) {
            yield* upsert(root)
            dirty.delete(root)
          }
          for (; wanted > 0; wanted -= 1) if (reader.hasMore()) yield* reader.readFinished
          publish(current)
        })

        yield* events.listen((event) => {
          if (LiveEvent.isDurable(event)) stale.openUnsafe()
          if (event.type !== "answer") return
          const answer = answering(event.state)
          if (answer === null) answers.delete(event.taskId)
          else answers.set(event.taskId, answer)
          stale.openUnsafe()
        })
        let seen = -1
        let looks = 0
        let lost = false
        const look = Effect.map(history.version, (now) => {
          lost = false
          // A process that was killed writes nothing: it shows at its lock.
          looks = (looks + 1) % looksPerProbe
          probing = probing || (looks === 0 && [...current.entries.values()].some(isElsewhere))
          if (now !== seen || probing) stale.openUnsafe()
          seen = now
        }).pipe(
          Effect.tapCause((cause) =>
            Effect.sync(() => {
              // Also where no task runs that would stop with it; once, until it is there again.
              const error = Cause.squash(cause)
              if (lost || !HistoryError.isFinal(error)) return
              lost = true
              report(cause)
            })
          ),
          Effect.ignore
        )
        const next = Effect.gen(function* () {
          yield* stale.await
          yield* stale.close
          yield* Effect.catchCause(read, (cause) => Effect.sync(() => report(cause)))
        })
        yield* learn
        dirty.clear()
        yield* Effect.all([reader.readOpen, reader.readFinished], { concurrency: "unbounded" })
        publish(current)
        const scope = yield* Effect.scope

        return TaskStore.of({
          now: () => current,
          follow: Effect.gen(function* () {
            yield* read
            yield* Effect.forkIn(Effect.repeat(look, Schedule.spaced(pollEvery)), scope)
            yield* Effect.forkIn(Effect.repeat(next, Schedule.spaced(readEvery)), scope)
          }),
          listen: (listener) => {
            listeners.add(listener)
            return { dispose: () => void listeners.delete(listener) }
          },
          refresh: Effect.asVoid(stale.open),
          find: (id) =>
            Effect.gen(function* () {
              const known = current.entries.get(id)
              if (known !== undefined) return known
              const row = Option.getOrUndefined(yield* history.row(id))
              if (row === undefined) return undefined
              yield* upsert(row.record.lineage.rootId)
              publish(current)
              return current.entries.get(id)
            }),
          showMore: Effect.suspend(() => {
            wanted += 1
            return Effect.asVoid(stale.open)
          })
        })
      })
    )
}
