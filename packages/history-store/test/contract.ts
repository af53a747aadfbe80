/** Statements about a history that are not of its contract, in the words of those that are. */
import type { Inbox, Ownership, TaskHistory } from "@belay/history-store"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import type { Made } from "../src/testing/contract.ts"

export { interrupt, type Made, p, ruleOf } from "../src/testing/contract.ts"

/** Makes a test of a statement about a history that is new for each. */
export const testing =
  (make: () => Made) => (statement: string, body: Effect.Effect<void, unknown, TaskHistory | Inbox | Ownership>) =>
    it.effect(statement, () => Effect.suspend(() => body.pipe(Effect.provide(make()))))
