/**
 * A stopped subtask that its parent waits for is given up, or replaced by a fresh one: the one that is shown, or one of its
 * tree. The parent is told, and goes on.
 */
import { type History, TaskHistory } from "@belay/history-store"
import { Copy } from "@belay/interaction"
import { StateText, TaskStore, TaskText, TaskTrees } from "@belay/interaction/tasks"
import { TaskEngine } from "@belay/task-engine"
import { Releasing, TaskNode } from "@belay/task-engine/remote"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Around } from "./Around.ts"
import * as Wanted from "./Wanted.ts"

type Verb = "abandon" | "restart"

/** As they stand now, of which what is shown may be older. */
interface Pair extends Releasing.Pair {
  readonly entry: TaskStore.Entry
  readonly above: TaskStore.Entry
}

const isStopped = ({ child, parent }: Releasing.Pair): boolean => {
  const { status } = child.record
  const isQueued = status === "created" && parent.lease?.alive === true
  return status !== "completed" && child.lease?.alive !== true && !isQueued
}

const bare = (row: History.TaskRow): TaskNode.TaskNode => ({ row, openAsks: [], children: [] })

/** Where that can be done with it now. */
const pairOf = (entry: TaskStore.Entry, verb: Verb) =>
  Effect.gen(function* () {
    const { parent: above } = entry
    if (above === undefined) return []
    const { row } = yield* TaskHistory
    const [child, parent] = yield* Effect.all([row(TaskStore.idOf(entry)), row(TaskStore.idOf(above))])
    if (Option.isNone(child) || Option.isNone(parent)) return []
    const pair: Pair = { child: child.value, parent: parent.value, entry, above }
    const choices = StateText.choices(bare(pair.child), bare(pair.parent))
    return isStopped(pair) && choices.some((choice) => choice.verb === verb) ? [pair] : []
  })

/** The one that is shown comes before all others. */
const choose = ({ entry, perform, store, ui }: Around, verb: Verb, deed: (pair: Pair) => void): void => {
  const shown = entry()
  if (shown === undefined) return ui.hint("No task is shown.")
  const wish = Effect.gen(function* () {
    const snapshot = store.now()
    const root = snapshot.entries.get(shown.rootId) ?? shown
    const own = yield* pairOf(shown, verb)
    const found = yield* Effect.forEach(TaskTrees.withBelow(root, snapshot), (one) => pairOf(one, verb))
    const all = own.length > 0 ? own : found.flat()
    const [only] = all
    if (only === undefined) return ui.hint("No subtask that is waited for is stopped.")
    if (all.length === 1) return deed(only)
    ui.choose({
      label: verb === "abandon" ? "Abandon" : "Restart",
      none: "No subtask fits.",
      items: (words) =>
        all
          .map(({ entry: one }) => one)
          .filter((one) => TaskText.titleOf(one).toLowerCase().includes(words.toLowerCase()))
          .map((one) => ({ id: TaskStore.idOf(one), text: `${TaskText.titleOf(one)}  ${TaskText.stateOf(one)}` })),
      chosen: (id) => {
        const chosen = all.find((one) => TaskStore.idOf(one.entry) === id)
        if (chosen !== undefined) deed(chosen)
      }
    })
  })
  perform(wish)
}

/** The process that has the parent does it, else it is done here, where the parent goes on then. */
const release = ({ ground }: Around, pair: Pair, verb: Verb, message: string) =>
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    const [taskId, child] = [pair.parent.record.id, pair.child.record.id]
    const said = message === "" ? {} : { message }
    if (engine.kept().has(taskId)) {
      const what =
        verb === "abandon"
          ? ({ kind: verb, child } as const)
          : ({ kind: verb, child, to: yield* TaskId.make, ...said } as const)
      return yield* engine.release(taskId, what)
    }
    const released =
      verb === "abandon"
        ? yield* Releasing.abandon(pair)
        : (yield* Releasing.restart(pair, message === "" ? undefined : message)).released
    if (released === "here") yield* Wanted.resume(ground, pair.above, "")
  })

const done = (around: Around, pair: Pair, verb: Verb, message: string): void => {
  const { perform, show, store, ui } = around
  const { above, entry } = pair
  const wish = Effect.gen(function* () {
    yield* release(around, pair, verb, message)
    const title = TaskText.titleOf(entry)
    const told = `"${TaskText.titleOf(above)}" is told, and goes on.`
    ui.tell([verb === "abandon" ? `Abandoned "${title}". ${told}` : `Restarted "${title}". ${told}`])
    yield* store.refresh
    const shown = around.entry()
    if (shown !== undefined && TaskStore.idOf(shown) === TaskStore.idOf(entry)) {
      yield* show(TaskStore.idOf(above), false)
    }
  })
  perform(wish)
}

/** Asked for first. */
const abandoned = (around: Around, pair: Pair): void => {
  const { ui } = around
  ui.tell(["", Copy.subtaskAbandonDetail(pair.parent.meta.title)])
  ui.confirm(`${Copy.subtaskAbandonTitle(pair.child.meta.title)} [y/N]`, () => done(around, pair, "abandon", ""))
}

export const abandon = (around: Around): void => choose(around, "abandon", (pair) => abandoned(around, pair))

/** This one, where that can be done with it now. */
export const abandonOne = (around: Around, entry: TaskStore.Entry): void =>
  around.perform(
    Effect.map(pairOf(entry, "abandon"), ([pair]) =>
      pair === undefined ? around.ui.hint("Only a stopped subtask can be given up.") : abandoned(around, pair)
    )
  )

/** `message`: other instructions than before; may be empty. */
export const restart = (around: Around, message: string): void =>
  choose(around, "restart", (pair) => done(around, pair, "restart", message))
