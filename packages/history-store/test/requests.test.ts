import { Effect, Layer } from "effect"
import { layerMemory, layerSqlite } from "./history.ts"
import { requests } from "./requests.ts"
import { layerThread } from "./layerThread.ts"
import { temporary } from "./temporary.ts"

requests("requests to a history in memory", () => layerMemory)

requests("requests to a history in a file", () =>
  Layer.unwrap(Effect.map(temporary, (directory) => layerSqlite({ directory, kind: "test" })))
)

requests("requests to a history in its own thread", () =>
  Layer.unwrap(Effect.map(temporary, (directory) => layerThread(directory)))
)
