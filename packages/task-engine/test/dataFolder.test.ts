import { Checkpoints } from "@belay/checkpoints"
import { FocusChain } from "@belay/focus-chain"
import { layerSqlite, Ownership } from "@belay/history-store"
import { DataFolder } from "@belay/machine"
import { Reconciler, TaskId, TaskStateMachine } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

describe("the data folder of a host", () => {
  it.live("is that of its history, for checklists and for the engine", () => {
    const directory = mkdtempSync(path.join(tmpdir(), "belay-data-folder-"))
    const parts = Layer.merge(FocusChain.layer, Checkpoints.layer()).pipe(
      Layer.provideMerge(layerSqlite({ directory })),
      Layer.provide(Layer.merge(TaskStateMachine.layer, Reconciler.layer)),
      Layer.provideMerge(Ownership.layerFile({ directory, kind: "test" }))
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* DataFolder, { directory })
      const file = (yield* FocusChain).path(TaskId.TaskId.make("t1"))
      assert.isTrue(file.startsWith(path.join(directory, "tasks") + path.sep), file)
    }).pipe(Effect.provide(parts), Effect.ensuring(Effect.sync(() => rmSync(directory, { recursive: true }))))
  })
})
