/**
 * The checklist that a task begins with. Its file is written before the task is there, since a task whose list has no file
 * has a list that its user took away; where the task is not made after all, the file goes again.
 */
import { Checklist, FocusChain, type FocusChainError } from "@belay/focus-chain"
import type { Step } from "@belay/history-store"
import type { Command, TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** The task that is about to be made. */
export interface Next {
  readonly id: TaskId.TaskId
  readonly title: string
}

type List = Step.FirstChecklist | undefined

const textOf = (items: Checklist.Checklist): string => Checklist.render(Checklist.replaceItems(Checklist.empty, items))

/** None where there are no items. */
export const of = ({ id, title }: Next, items: Checklist.Checklist): Effect.Effect<List, FocusChainError, FocusChain> =>
  items.length === 0
    ? Effect.succeed(undefined)
    : Effect.gen(function* () {
        const { hash } = yield* (yield* FocusChain).write(id, title, items)
        return { items, text: textOf(items), hash }
      })

/** That of another task, with what its user made of it. What cannot be read or written is none: the work goes on. */
export const copied = (from: TaskId.TaskId, to: Next): Effect.Effect<List, never, FocusChain> =>
  Effect.gen(function* () {
    const file = yield* (yield* FocusChain).read(from)
    return yield* of(to, Option.match(file, { onNone: () => [], onSome: ({ items }) => items }))
  }).pipe(Effect.orElseSucceed(() => undefined))

/** A commit that makes tasks. Where it is refused they are not made, and none of their files stays. */
export const unlessRefused = <A, E, R>(
  made: ReadonlyArray<TaskId.TaskId>,
  commit: Effect.Effect<A, Command.TransitionRejected | E, R>
): Effect.Effect<A, Command.TransitionRejected | E, R | FocusChain> =>
  Effect.tapError(commit, (error) =>
    typeof error === "object" && error !== null && "_tag" in error && error._tag === "TransitionRejected"
      ? Effect.flatMap(FocusChain, (files) =>
          Effect.forEach(made, (id) => Effect.ignore(files.remove(id)), { discard: true })
        )
      : Effect.void
  )
