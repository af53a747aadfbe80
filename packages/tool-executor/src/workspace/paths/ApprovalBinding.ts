/**
 * Ties an execution to what was judged for it.
 *
 * Guarantees: when the facts were taken for the very same arguments object, `confirm` fails if the path leads elsewhere
 * now, and `confirmContent` if an approval was bound to another content. Without such facts (another process took them)
 * both pass: the pipeline compares its own record then.
 */
import type { PathFact } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import { SafeFileError } from "./SafeFileError.ts"

/** By the path as it was given. */
const judged = new WeakMap<object, Map<string, PathFact.PathFact>>()

export const remember = (args: object, fact: PathFact.PathFact): PathFact.PathFact => {
  const known = judged.get(args) ?? new Map<string, PathFact.PathFact>()
  judged.set(args, known.set(fact.given, fact))
  return fact
}

export const confirm = (args: object, fact: PathFact.PathFact): Effect.Effect<PathFact.PathFact, SafeFileError> => {
  if (fact.failure !== undefined) {
    return Effect.fail(new SafeFileError({ path: fact.given, reason: "unresolved", detail: fact.failure }))
  }
  const before = judged.get(args)?.get(fact.given)
  return before !== undefined && (before.resolved !== fact.resolved || before.inside !== fact.inside)
    ? Effect.fail(new SafeFileError({ path: fact.given, reason: "moved" }))
    : Effect.succeed(fact)
}

/** What the call writes now names no schema that was not judged. */
export const confirmSchemas = (
  args: object,
  given: string,
  schemas: ReadonlyArray<string>
): Effect.Effect<void, SafeFileError> => {
  const before = judged.get(args)?.get(given)
  return before === undefined || schemas.every((address) => before.schemas?.includes(address) === true)
    ? Effect.void
    : Effect.fail(new SafeFileError({ path: given, reason: "schema" }))
}

const bound = new WeakMap<object, Map<string, string>>()

/** An approval of the call holds for this content of a target. */
export const bind = (args: object, given: string, content: string): string => {
  const known = bound.get(args) ?? new Map<string, string>()
  bound.set(args, known.set(given, content))
  return content
}

/** What an approval of the call holds for; undefined when nobody was asked. */
export const boundTo = (args: object, given: string): string | undefined => bound.get(args)?.get(given)

export const confirmContent = (args: object, given: string, content: string): Effect.Effect<void, SafeFileError> => {
  const approved = boundTo(args, given)
  return approved === undefined || approved === content
    ? Effect.void
    : Effect.fail(new SafeFileError({ path: given, reason: "changed" }))
}
