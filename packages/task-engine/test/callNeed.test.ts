import { TaskId } from "@belay/task-state"
import type { Reservation } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import { covers } from "../src/limits/CallNeed.ts"

const taskId = TaskId.fromParts(1, 1, 1, 1)

const made: Reservation.Asked = {
  id: "r",
  taskId,
  attempt: 2,
  model: "m-1",
  inputTokens: 100,
  outputTokens: 50,
  costUsd: 1,
  scopes: [{ taskId, limits: { maxRequests: 9, maxTokens: null, maxCostUsd: null } }]
}

const isCovered = (wanted: Partial<Reservation.Asked>): boolean => covers(made, { ...made, ...wanted })

describe("what was reserved for a call", () => {
  it("covers one that takes as much or less, whatever its id is", () => {
    const less = [{}, { id: "other" }, { inputTokens: 99 }, { outputTokens: 49 }, { costUsd: 0.9 }]
    for (const wanted of less) assert.isTrue(isCovered(wanted), JSON.stringify(wanted))
  })

  it("covers none that takes more, or is of another model, attempt or limit", () => {
    const limits = { maxRequests: 8, maxTokens: null, maxCostUsd: null }
    const others = [
      { inputTokens: 101 },
      { outputTokens: 51 },
      { costUsd: 1.1 },
      { model: "m-2" },
      { attempt: 3 },
      { scopes: [{ taskId, limits }] },
      { scopes: [] }
    ]
    for (const wanted of others) assert.isFalse(isCovered(wanted), JSON.stringify(wanted))
  })
})
