import { Effect, Layer } from "effect"
import { layerMemory, layerSqlite } from "./history.ts"
import { contract } from "./contract.ts"
import { layerThread } from "./layerThread.ts"
import { temporary } from "./temporary.ts"

contract("a history in memory", () => layerMemory)

contract("a history in a file", () =>
  Layer.unwrap(Effect.map(temporary, (directory) => layerSqlite({ directory, kind: "test" })))
)

contract("a history in a worker thread", () =>
  Layer.unwrap(Effect.map(temporary, (directory) => layerThread(directory)))
)
