import { Effect, Layer } from "effect"
import { layerMemory, layerSqlite } from "./history.ts"
import { contract } from "./requests.ts"
import { layerThread } from "./layerThread.ts"
import { temporary } from "./temporary.ts"

contract("requests to a history in memory", () => layerMemory)

contract("requests to a history in a file", () =>
  Layer.unwrap(Effect.map(temporary, (directory) => layerSqlite({ directory, kind: "test" })))
)

contract("requests to a history in its own thread", () =>
  Layer.unwrap(Effect.map(temporary, (directory) => layerThread(directory)))
)
