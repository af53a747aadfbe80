/**
 * The checklist of a running task: the file first, then the row and its event, in the commit of the turn.
 *
 * A list that cannot be written never stops a task: the model's work goes on and the reason is an event.
 */
import { Checklist, FocusChain } from "@belay/focus-chain"
import type { Step } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import { Tool } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as EngineTools from "./EngineTools.ts"
import { fence, type Running } from "./Running.ts"

/** Whose list is written, by which attempt. */
interface Written {
  readonly taskId: TaskId.TaskId
  readonly attempt: number
  readonly title: string
}

type Steps = ReadonlyArray<Step.Step>

const sameItems = (left: Checklist.Checklist, right: Checklist.Checklist): boolean =>
  JSON.stringify(left) === JSON.stringify(right)

type Patches = (typeof EngineTools.ChecklistPatch.Type)["items"]

export interface Checklists {
  /** The steps that make the model's whole list the checklist; none when it says nothing new. */
  readonly progress: (running: Running, text: string) => Effect.Effect<Steps>
  /** Applies patches by id; what the model reads, and the steps that store it. */
  readonly patch: (
    running: Running,
    patches: Patches
  ) => Effect.Effect<{ readonly output: Tool.ToolOutput; readonly steps: Steps }>
  /** The steps that make the list of one task that of a new one, which has its first attempt. */
  readonly copy: (
    from: TaskId.TaskId,
    to: { readonly id: TaskId.TaskId; readonly title: string }
  ) => Effect.Effect<Steps>
}

export const make: Effect.Effect<Checklists, never, FocusChain> = Effect.map(FocusChain, (files) => {
  const stored = (id: TaskId.TaskId) =>
    Effect.map(files.read(id), Option.match({ onNone: () => [], onSome: (found) => found.items }))

  const current = (running: Running) => stored(running.id)

  const written = (to: Written, items: Checklist.Checklist): Effect.Effect<Steps> =>
    files.write(to.taskId, to.title, items).pipe(
      Effect.map(({ hash }): Steps => {
        const text = Checklist.render(Checklist.replaceItems(Checklist.empty, items))
        return [{ _tag: "ChecklistChanged", taskId: to.taskId, attempt: to.attempt, items, text, hash, by: "model" }]
      }),
      Effect.catch((error) =>
        Effect.succeed<Steps>([
          { _tag: "Failed", taskId: to.taskId, attempt: to.attempt, tag: error._tag, message: error.message }
        ])
      )
    )

  const changed = (running: Running, items: Checklist.Checklist) =>
    written({ ...fence(running), title: running.title }, items)

  const copy: Checklists["copy"] = (from, { id: taskId, title }) =>
    Effect.flatMap(
      Effect.orElseSucceed(stored(from), () => []),
      (items) => (items.length === 0 ? Effect.succeed<Steps>([]) : written({ taskId, attempt: 1, title }, items))
    )

  const progress: Checklists["progress"] = (running, text) =>
    current(running).pipe(
      Effect.flatMap((previous) => {
        const items = Checklist.fromTaskProgress(text, previous)
        return items.length === 0 || sameItems(items, previous) ? Effect.succeed<Steps>([]) : changed(running, items)
      }),
      Effect.catch((error) =>
        Effect.succeed<Steps>([{ _tag: "Failed", ...fence(running), tag: error._tag, message: error.message }])
      )
    )

  const patch: Checklists["patch"] = (running, patches) =>
    Effect.gen(function* () {
      const before = Checklist.replaceItems(Checklist.empty, yield* current(running))
      const after = Checklist.patch(before, patches)
      if (Result.isFailure(after)) return { output: Tool.failure(after.failure.message), steps: [] as Steps }
      const items = Checklist.items(after.success)
      const lines = items.map((item) => `${item.id}: [${item.state}] ${item.text}`).join("\n")
      return {
        output: Tool.output(lines === "" ? "The checklist is empty." : lines),
        steps: yield* changed(running, items)
      }
    }).pipe(Effect.catch((error) => Effect.succeed({ output: Tool.failure(error.message), steps: [] as Steps })))

  return { progress, patch, copy }
})
