import { contract } from "@belay/history-store/testing"
import { describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layerMemory, layerSqlite } from "./history.ts"
import { layerThread } from "./layerThread.ts"
import { temporary } from "./temporary.ts"

const layers = {
  "a history in memory": () => layerMemory,
  "a history in a file": () =>
    Layer.unwrap(Effect.map(temporary, (directory) => layerSqlite({ directory, kind: "test" }))),
  "a history in a worker thread": () => Layer.unwrap(Effect.map(temporary, (directory) => layerThread(directory)))
}

for (const [name, layer] of Object.entries(layers)) contract({ describe, it }, name, layer)
