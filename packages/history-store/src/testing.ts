/**
 * The contract of a history: what every history has to do, whatever it is stored in. For whoever stores tasks elsewhere.
 *
 * ```ts
 * import { contract } from "@belay/history-store/testing"
 * import { describe, it } from "node:test"
 *
 * contract({ describe, it }, "a history in Postgres", () => layerPostgres)
 * ```
 */
import { committing } from "./testing/committing.ts"
import type { Made, Runner } from "./testing/contract.ts"
import { conversation } from "./testing/conversation.ts"
import { inbox } from "./testing/inbox.ts"
import { lists } from "./testing/lists.ts"
import { reserving } from "./testing/reserving.ts"

export type { Made, Runner } from "./testing/contract.ts"

/** Tests each statement of the contract with a history of its own, which `make` gives. */
export const contract = (runner: Runner, name: string, make: () => Made): void => {
  for (const part of [committing, conversation, inbox, lists, reserving]) part(runner, name, make)
}
