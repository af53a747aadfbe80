/**
 * The checklist of a running task: the file first, then the row and its event, in the commit of the turn.
 *
 * What the user changed in the file is kept, merged with the model's list against the one that the model knew, and told
 * to the model before its next step. A list that cannot be read or written never stops a task: the model's work goes on
 * and the reason is an event.
 */
import { Checklist, FocusChain, Reminder, type SeenChecklist } from "@belay/focus-chain"
import { type History, type Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import type { Command, TaskId } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as FirstChecklist from "./FirstChecklist.ts"
import { Journal } from "../active/Journal.ts"
import * as Prompt from "../prompt/Prompt.ts"
import { fence, type ActiveTask } from "../active/ActiveTask.ts"
import * as Transitions from "../active/Transitions.ts"

/** Whose list is written, by which attempt. */
interface Written {
  readonly taskId: TaskId.TaskId
  readonly attempt: number
  readonly title: string
}

type Steps = ReadonlyArray<Step.Step>

/** A list as it was written; with what of the model's was given up for the user's. */
type Merged = Pick<Extract<Step.Step, { readonly _tag: "ChecklistChanged" }>, "items" | "hash" | "conflict">

const sameItems = (left: Checklist.Checklist, right: Checklist.Checklist): boolean =>
  JSON.stringify(left) === JSON.stringify(right)

/** An editor that saves by deleting and creating has made its file by then. */
const absentFor = "300 millis"

const textOf = (items: Checklist.Checklist): string => Checklist.render(Checklist.replaceItems(Checklist.empty, items))

export class Checklists extends Context.Service<
  Checklists,
  {
    /** The steps that make the model's whole list the checklist; none when it says nothing new. */
    readonly progress: (running: ActiveTask, text: string) => Effect.Effect<Steps>
    /**
     * What goes with the next request: what the user made of the list since, else a reminder when it is time for one; none
     * when that is nothing.
     */
    readonly review: (running: ActiveTask) => Effect.Effect<Steps>
    /** The items that are open. */
    readonly open: (running: ActiveTask) => Effect.Effect<Checklist.Checklist>
    /** The items that are open while the settings let nothing be completed before they are done. */
    readonly unfinished: (running: ActiveTask) => Effect.Effect<Checklist.Checklist>
    /** Tells everybody what somebody makes of the file while the task runs; never ends by itself. */
    readonly follow: (running: ActiveTask) => Effect.Effect<void>
    /**
     * The first list of a task that is about to be made, from its text; none when it has no items. What stood in the way
     * is told by the task that makes it.
     */
    readonly first: (
      to: FirstChecklist.Next,
      list: string,
      maker: Pick<Written, "taskId" | "attempt">
    ) => Effect.Effect<{ readonly checklist?: Step.FirstChecklist; readonly steps: Steps }>
    /** A commit that makes tasks with such lists. */
    readonly unlessRefused: <A, E>(
      made: ReadonlyArray<TaskId.TaskId>,
      commit: Effect.Effect<A, Command.TransitionRejected | E>
    ) => Effect.Effect<A, Command.TransitionRejected | E>
    /** The steps that make the list of one task that of a new one, which has its first attempt. */
    readonly copy: (from: TaskId.TaskId, to: FirstChecklist.Next) => Effect.Effect<Steps>
  }
>()("@belay/task-engine/Checklists") {
  static readonly layer = Layer.effect(
    Checklists,
    Effect.gen(function* () {
      const parts: Parts = { files: yield* FocusChain, journal: yield* Journal, history: yield* TaskHistory }

      return Checklists.of({
        progress: progress(parts),
        review: review(parts),
        open: open(parts),
        unfinished: unfinished(parts),
        follow: follow(parts),
        first: first(parts),
        unlessRefused: unlessRefused(parts),
        copy: copy(parts)
      })
    })
  )
}

interface Parts {
  readonly files: FocusChain["Service"]
  readonly journal: Journal["Service"]
  readonly history: TaskHistory["Service"]
}

const inFile = ({ files }: Parts, id: TaskId.TaskId) =>
  Effect.map(files.read(id), Option.match({ onNone: () => [], onSome: (found) => found.items }))

/** The list as the model knows it. */
const known = ({ history }: Parts, id: TaskId.TaskId) =>
  Effect.map(
    history.checklist(id),
    Option.match({
      onNone: (): Checklist.Checklist => [],
      onSome: ({ text }: History.Checklist) => Checklist.items(Checklist.parse(text))
    })
  )

const failed =
  (to: Pick<Written, "taskId" | "attempt">) => (error: { readonly _tag: string; readonly message: string }) =>
    Effect.succeed<Steps>([
      { _tag: "Failed", taskId: to.taskId, attempt: to.attempt, tag: error._tag, message: error.message }
    ])

/** The model's list in the file, with what the user changed since the model knew it. */
const merged = ({ files }: Parts, to: Written, before: Checklist.Checklist, model: Checklist.Checklist) =>
  Effect.suspend(() => {
    let conflicts: ReadonlyArray<string> = []
    const edited = files.edit(to.taskId, to.title, (text) => {
      const file = Checklist.parse(text)
      const merge = Checklist.merge(before, model, Checklist.items(file))
      conflicts = merge.conflicts
      return Result.succeed(Checklist.render(Checklist.replaceItems(file, merge.items)))
    })
    return Effect.map(edited, ({ hash, items }) => ({
      hash,
      items,
      ...(conflicts.length === 0 ? {} : { conflict: { ids: conflicts, theirs: model } })
    }))
  })

const changed = (to: Written, text: string, list: Merged): Steps => [
  { _tag: "ChecklistChanged", taskId: to.taskId, attempt: to.attempt, text, by: "model", ...list }
]

const copy =
  (parts: Parts): Checklists["Service"]["copy"] =>
  (from, { id: taskId, title }) =>
    Effect.flatMap(
      Effect.orElseSucceed(inFile(parts, from), () => []),
      (items): Effect.Effect<Steps> => {
        const to = { taskId, attempt: 1, title }
        return items.length === 0
          ? Effect.succeed([])
          : Effect.map(parts.files.write(taskId, title, items), ({ hash }) =>
              changed(to, textOf(items), { items, hash })
            ).pipe(Effect.catch(failed(to)))
      }
    )

const first =
  (parts: Parts): Checklists["Service"]["first"] =>
  (to, list, maker) => {
    const made = FirstChecklist.of(parts.files, to, Checklist.fromTaskProgress(list, []))
    return made.pipe(
      Effect.map((checklist) => ({ ...(checklist === undefined ? {} : { checklist }), steps: [] })),
      Effect.catch((error) => Effect.map(failed(maker)(error), (steps) => ({ steps })))
    )
  }

const unlessRefused =
  (parts: Parts): Checklists["Service"]["unlessRefused"] =>
  (made, commit) =>
    FirstChecklist.unlessRefused(parts.files, made, commit)

const progress =
  (parts: Parts): Checklists["Service"]["progress"] =>
  (running, text) =>
    Effect.gen(function* () {
      if (!running.settings.focusChain.enabled) return []
      Transitions.reminded(running, Reminder.updated(running.reminder))
      const before = yield* known(parts, running.id)
      const items = Checklist.fromTaskProgress(text, before)
      if (items.length === 0 || sameItems(items, before)) return []
      const to = { ...fence(running), title: running.title }
      const stored = yield* merged(parts, to, before, items)
      return changed(to, textOf(items), stored)
    }).pipe(Effect.catch(failed(fence(running))))

/** What the user made of the list that the model knows. */
const edits = Effect.fnUntraced(
  function* ({ files }: Parts, running: ActiveTask, before: Checklist.Checklist) {
    const first = yield* files.read(running.id)
    const gone = Option.isNone(first) && before.length > 0
    const file = gone ? yield* Effect.delay(files.read(running.id), absentFor) : first
    const { hash, items } = Option.getOrElse(file, () => ({ hash: "", items: [] }))
    if (sameItems(items, before)) return []
    const steps: Steps = [
      { _tag: "ChecklistChanged", ...fence(running), items, text: textOf(items), hash, by: "user" },
      {
        _tag: "Append",
        ...fence(running),
        message: Message.from("engine.checklistEdited", Prompt.checklistEdited(items))
      }
    ]
    return steps
    // The last good list stays; whoever watches the file says what is wrong with it.
  },
  Effect.orElseSucceed((): Steps => [])
)

const review = (parts: Parts): Checklists["Service"]["review"] =>
  Effect.fn("Checklists.review")(function* (running) {
    const { enabled, remindAfter } = running.settings.focusChain
    if (!enabled) return []
    const items = yield* Effect.orElseSucceed(known(parts, running.id), () => [])
    const edited = yield* edits(parts, running, items)
    if (edited.length > 0) {
      Transitions.reminded(running, Reminder.updated(running.reminder))
      return edited
    }
    const { kind, state } = Reminder.request(running.reminder, { items, staleAfter: remindAfter })
    Transitions.reminded(running, state)
    if (kind === undefined) return []
    return [
      {
        _tag: "Append",
        ...fence(running),
        message: Message.from("engine.checklist", Prompt.checklistReminder(kind, items))
      }
    ]
  })

const open =
  (parts: Parts): Checklists["Service"]["open"] =>
  (running) =>
    running.settings.focusChain.enabled
      ? inFile(parts, running.id).pipe(
          Effect.catch(() => known(parts, running.id)),
          Effect.map((items) => items.filter(({ state }) => state !== "done")),
          Effect.orElseSucceed(() => [])
        )
      : Effect.succeed([])

const unfinished =
  (parts: Parts): Checklists["Service"]["unfinished"] =>
  (running) =>
    running.settings.focusChain.completionNeedsAllDone ? open(parts)(running) : Effect.succeed([])

/** What is stored says nothing else: an edit that the model was told of by now is none. */
const seen = Effect.fnUntraced(function* ({ history }: Parts, running: ActiveTask, change: SeenChecklist) {
  if (change._tag === "Unreadable") return yield* failed(fence(running))(change.error)
  const items = change._tag === "Deleted" ? [] : change.stored.items
  const stored = yield* history.checklist(running.id)
  if (sameItems(items, Option.match(stored, { onNone: () => [], onSome: (list) => list.items }))) return []
  return [{ _tag: "ChecklistEdited", taskId: running.id, items }] satisfies Steps
})

const follow =
  (parts: Parts): Checklists["Service"]["follow"] =>
  (running) =>
    running.settings.focusChain.enabled
      ? Stream.runForEach(parts.files.watch(running.id), (change) =>
          Effect.gen(function* () {
            const steps = yield* seen(parts, running, change)
            if (steps.length > 0) yield* parts.journal.commit(steps)
            // Its next request looks at the file again.
          }).pipe(Effect.ignore)
        )
      : Effect.never
