import { Protocol, type Transition } from "@belay/task-state"
import * as Result from "effect/Result"

/** Decides, or throws the rejection. */
export const decide = (view: Protocol.View, request: Protocol.Request): Protocol.Decision =>
  Result.getOrThrowWith(Protocol.decide(view, request), (error) => error)

/** The rule that forbids a request; null when it is accepted. */
export const ruleOf = (view: Protocol.View, request: Protocol.Request): Transition.Rule | null => {
  const decided = Protocol.decide(view, request)
  return Result.isFailure(decided) ? decided.failure.rule : null
}
