import { Search, TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layerMemory, layerReader, layerSqlite } from "./history.ts"
import { commit, started } from "./scenario.ts"
import { contract } from "./searching.ts"
import { layerThread } from "./layerThread.ts"
import { temporary } from "./temporary.ts"

contract("a search in memory", () => layerMemory)

contract("a search in a file", () =>
  Layer.unwrap(Effect.map(temporary, (directory) => layerSqlite({ directory, kind: "test" })))
)

contract("a search in a worker thread", () =>
  Layer.unwrap(Effect.map(temporary, (directory) => layerThread(directory)))
)

describe("a history that is only read", () => {
  it.live("finds what was covered, writes nothing, and says that it is not all", () =>
    Effect.gen(function* () {
      const options = { directory: yield* temporary, kind: "test" }
      const search = TaskHistory.use((history) => history.search(Search.parse("do"), 10))
      yield* Effect.provide(Effect.andThen(commit(started("p")), search), layerSqlite(options))
      yield* Effect.provide(commit(started("q")), layerSqlite(options))
      const { covered, hits, total } = yield* Effect.provide(search, layerReader(options))
      assert.deepStrictEqual([hits.map(({ row }) => String(row.record.id)), covered, total], [["p"], 1, 2])
    })
  )
})
