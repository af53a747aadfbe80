/**
 * Ties an execution to what was judged for it.
 *
 * Guarantees: when the facts were taken for the very same arguments object, `confirm` fails if the path leads elsewhere
 * now. Without such facts (another process took them) it passes: the pipeline compares its own record then.
 */
import type { PathFact } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import { SafeFileError } from "./SafeFile.ts"

const judged = new WeakMap<object, PathFact.PathFact>()

export const remember = (args: object, fact: PathFact.PathFact): PathFact.PathFact => {
  judged.set(args, fact)
  return fact
}

export const confirm = (args: object, fact: PathFact.PathFact): Effect.Effect<PathFact.PathFact, SafeFileError> => {
  if (fact.failure !== undefined) {
    return Effect.fail(new SafeFileError({ path: fact.given, reason: "unresolved", detail: fact.failure }))
  }
  const before = judged.get(args)
  return before !== undefined && (before.resolved !== fact.resolved || before.inside !== fact.inside)
    ? Effect.fail(new SafeFileError({ path: fact.given, reason: "moved" }))
    : Effect.succeed(fact)
}
