/** What a person decides about the subtasks of a killed task, when the process that carries it out is killed as well. */
import { Checkpoints } from "@belay/checkpoints"
import { Invariant, TaskId } from "@belay/task-state"
import { TaskHistory } from "@belay/history-store"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { assert } from "vitest"
import type * as Belay from "./belay.ts"

export interface Ids {
  readonly root: TaskId.TaskId
  readonly b: TaskId.TaskId
}

const idOf = (text: unknown): TaskId.TaskId => {
  assert.isTrue(TaskId.isTaskId(text), String(text))
  return text as TaskId.TaskId
}

/** The ids of the root and its second subtask. */
export const idsOf = async (world: Belay.World): Promise<Ids> => {
  const { stdout } = await world.tell(["task", "tree", "last", "--output", "json"])
  const tree = JSON.parse(stdout)
  return { root: idOf(tree.id), b: idOf(tree.children[1].id) }
}

/** The root has completed and was released from its second subtask once, which reports no more and does not run. */
export const checkReleased = (world: Belay.World, { b, root }: Ids, outcome: "abandoned" | "restarted") =>
  world.read(
    Effect.gen(function* () {
      const history = yield* TaskHistory
      const parent = Option.getOrThrow(yield* history.row(root))
      const child = Option.getOrThrow(yield* history.row(b))
      const { record } = parent
      assert.deepInclude(record, { status: "completed", outcome: "succeeded", result: "the result" })
      assert.strictEqual(record.status === "completed" && record.collected[b]?.outcome, outcome)
      assert.deepStrictEqual([child.record.status, child.lease], ["interrupted", null])
      const log = JSON.stringify(yield* history.messages(root))
      assert.strictEqual(log.split(`[task ${b}: ${outcome}]`).length, 2, "told once")
      const rows = [parent, ...(yield* history.children(root))]
      assert.strictEqual(rows.length, outcome === "abandoned" ? 3 : 4)
      if (outcome === "restarted") assert.strictEqual(log.split(/: succeeded[^\]]*\] result of b/).length, 2)
      const tasks = new Map(rows.map((row) => [row.record.id, row.record]))
      assert.deepStrictEqual(Invariant.violations({ tasks, leases: new Map(), alive: () => false }), [])
    })
  )

const folderOf = (world: Belay.World, id: string): string => path.join(world.home, "tasks", id)

/** Files of the tasks, as a checklist leaves them. */
export const writeFiles = (world: Belay.World, { b, root }: Ids): void => {
  for (const id of [root, b]) {
    mkdirSync(folderOf(world, id), { recursive: true })
    writeFileSync(path.join(folderOf(world, id), "notes.md"), "- [ ] one\n")
  }
}

/** Nothing is left of the tasks but what keeps them from coming back. */
export const checkDeleted = (world: Belay.World, { b, root }: Ids) =>
  world.read(
    Effect.gen(function* () {
      const history = yield* TaskHistory
      assert.deepStrictEqual((yield* history.list({ limit: 9 })).rows, [])
      const checkpoints = Effect.provide(Effect.service(Checkpoints), Checkpoints.layerNode({ directory: world.home }))
      assert.deepStrictEqual(yield* Effect.flatMap(checkpoints, ({ tasks }) => tasks()), [])
      for (const id of [root, b]) {
        assert.isFalse(existsSync(folderOf(world, id)), "its files")
        assert.isDefined(Option.getOrThrow(yield* history.row(id)).record.deletedAt)
        assert.deepStrictEqual(yield* history.messages(id), [])
      }
    })
  )
