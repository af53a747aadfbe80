/**
 * The checklist that a task begins with. Its file is written before the task is there, since a task whose list has no file
 * has a list that its user took away; where the task is not made after all, the file goes again.
 */
import { Checklist, type FocusChain, type FocusChainError } from "@belay/focus-chain"
import type { Step } from "@belay/history-store"
import type { Command, TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** The task that is about to be made. */
export interface Next {
  readonly id: TaskId.TaskId
  readonly title: string
}

type Files = FocusChain["Service"]

type List = Step.FirstChecklist | undefined

const textOf = (items: Checklist.Checklist): string => Checklist.render(Checklist.replaceItems(Checklist.empty, items))

/** None where there are no items. */
export const of = (
  files: Files,
  { id, title }: Next,
  items: Checklist.Checklist
): Effect.Effect<List, FocusChainError> =>
  items.length === 0
    ? Effect.succeed(undefined)
    : Effect.map(files.write(id, title, items), ({ hash }) => ({ items, text: textOf(items), hash }))

/** That of another task, with what its user made of it. What cannot be read or written is none: the work goes on. */
export const copied = (files: Files, from: TaskId.TaskId, to: Next): Effect.Effect<List> =>
  Effect.gen(function* () {
    const file = yield* files.read(from)
    return yield* of(files, to, Option.match(file, { onNone: () => [], onSome: ({ items }) => items }))
  }).pipe(Effect.orElseSucceed(() => undefined))

/** A commit that makes tasks. Where it is refused they are not made, and none of their files stays. */
export const unlessRefused = <A, E, R>(
  files: Files,
  made: ReadonlyArray<TaskId.TaskId>,
  commit: Effect.Effect<A, Command.TransitionRejected | E, R>
): Effect.Effect<A, Command.TransitionRejected | E, R> =>
  Effect.tapError(commit, (error) =>
    typeof error === "object" && error !== null && "_tag" in error && error._tag === "TransitionRejected"
      ? Effect.forEach(made, (id) => Effect.ignore(files.remove(id)), { discard: true })
      : Effect.void
  )
