import { Effect, Layer } from "effect"
import { layerMemory, layerSqlite } from "./history.ts"
import { committing } from "./committing.ts"
import { conversation } from "./conversation.ts"
import { inbox } from "./inbox.ts"
import { layerThread } from "./layerThread.ts"
import { lists } from "./lists.ts"
import { reserving } from "./reserving.ts"
import { temporary } from "./temporary.ts"

const layers = {
  "a history in memory": () => layerMemory,
  "a history in a file": () =>
    Layer.unwrap(Effect.map(temporary, (directory) => layerSqlite({ directory, kind: "test" }))),
  "a history in a worker thread": () => Layer.unwrap(Effect.map(temporary, (directory) => layerThread(directory)))
}

for (const [name, layer] of Object.entries(layers)) {
  committing(name, layer)
  conversation(name, layer)
  inbox(name, layer)
  lists(name, layer)
  reserving(name, layer)
}
