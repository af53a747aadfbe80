import { TaskTrees } from "@belay/interaction/tasks"
import { TaskLines } from "@belay/interaction/unstable/feed"
import { TaskHistory } from "@belay/history-store"
import { TaskNode } from "@belay/task-engine/remote"
import type { View } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import * as calls from "../src/webview/rows/calls.ts"
import * as Tasks from "./vscode/Tasks.ts"

describe("the subtasks of a task", () => {
  let home: string
  let owner: Tasks.Owner

  beforeEach(async () => {
    home = mkdtempSync(path.join(tmpdir(), "belay-subtasks-"))
    owner = await Tasks.owner(home)
  })
  afterEach(async () => {
    await owner.close()
    rmSync(home, { recursive: true })
  })

  /** The tree of a root as the views of a window know it. */
  const tree = (root: number): Promise<TaskTrees.Snapshot> =>
    owner.read(
      Effect.gen(function* () {
        const history = yield* TaskHistory
        const forest = new TaskTrees.TaskTrees(history.me)
        forest.upsert(yield* TaskNode.whole(Option.getOrThrow(yield* history.row(Tasks.id(root)))))
        return forest.snapshot(false)
      })
    )
  const lines = async (root: number): Promise<View.Header["children"]> => {
    const now = await tree(root)
    const entry = now.entries.get(Tasks.id(root))
    assert(entry !== undefined)
    return TaskLines.ofSubtasks(entry, now)
  }
  const begun = (...all: ReadonlyArray<number>): calls.Begun =>
    all.map((n) => ({ id: Tasks.id(n), title: `Part ${n}` }))
  /** What the card of these subtasks says. */
  const card = async (root: number, list: calls.Begun) => {
    const now = await lines(root)
    const rows = list.map(({ id, title }) => [now[id]?.title || title, now[id]?.label, now[id]?.released])
    return [calls.reported(list, now), ...rows]
  }
  const restarted = "It was restarted: the new one reports."

  it("keep the order of their calls while they finish in another, and count when they have reported", async () => {
    await owner.commit(
      Tasks.started(1, "Release"),
      Tasks.fannedOut(1, [
        [2, "Parse"],
        [3, "Print"],
        [4, "Tell"]
      ])
    )
    const list = begun(2, 3, 4)
    const states = async () => (await card(1, list)).map((row) => (Array.isArray(row) ? row[1] : row))
    assert.deepEqual(await states(), [0, "Queued, 1st in line", "Queued, 2nd in line", "Queued, 3rd in line"])
    await owner.commit(Tasks.begun(4))
    assert.deepEqual(await states(), [0, "Queued, 1st in line", "Queued, 2nd in line", "Running"])
    await owner.commit(Tasks.ended(4, "succeeded"), Tasks.begun(2))
    assert.deepEqual(await states(), [1, "Running", "Queued, 1st in line", "Done"])
    await owner.commit(Tasks.begun(3), Tasks.ended(3, "failed"))
    assert.deepEqual(await states(), [2, "Running", "Failed", "Done"])
  })

  it("that were started over change nothing but their own state when they end late: their calls have the reports of the new ones", async () => {
    await owner.commit(
      Tasks.started(1, "Release"),
      Tasks.fannedOut(1, [
        [2, "Parse"],
        [3, "Print"]
      ])
    )
    await owner.commit(Tasks.begun(2), Tasks.begun(3))
    await owner.commit(Tasks.stopped(2), Tasks.startedOver(1, 2, 5, "Parse again"))
    const list = begun(2, 3)
    const other = ["Print", "Running", undefined]
    const again = () => card(1, begun(5))
    assert.deepEqual(await card(1, list), [0, ["Parse", "Interrupted", restarted], other])
    assert.deepEqual(await again(), [0, ["Parse again", "Queued, 1st in line", undefined]])
    await owner.commit(Tasks.resumed(2), Tasks.ended(2, "succeeded", 2))
    assert.deepEqual(await card(1, list), [0, ["Parse", "Done", restarted], other])
    assert.deepEqual(await again(), [0, ["Parse again", "Queued, 1st in line", undefined]])
    await owner.commit(Tasks.begun(5), Tasks.ended(5, "succeeded"))
    assert.deepEqual([(await card(1, list))[0], (await again())[0]], [1, 1])
  })

  it("that cannot be read are named as such, and those that are gone are told from them", async () => {
    await owner.commit(
      Tasks.started(1, "Release"),
      Tasks.fannedOut(1, [
        [2, "Parse"],
        [3, "Print"],
        [4, "Tell"]
      ])
    )
    await owner.commit(Tasks.begun(2), Tasks.begun(3), Tasks.stopped(3))
    await owner.commit(Tasks.deleted(3))
    Tasks.damage(home, 4)
    assert.deepEqual(await card(1, begun(2, 3, 4)), [
      0,
      ["Parse", "Running", undefined],
      ["Part 3", "Gone", "It was deleted. Files it has changed stay changed."],
      ["Part 4", "Unreadable", undefined]
    ])
  })

  it("count for what the tasks above them cost, at every level", async () => {
    await owner.commit(Tasks.started(1, "Level 1"))
    for (let n = 1; n < 5; n += 1) {
      await owner.commit(Tasks.delegated(n, n + 1, `Level ${n + 1}`), Tasks.begun(n + 1))
    }
    const now = await tree(1)
    const costs = [1, 2, 3, 4, 5].flatMap((n) => {
      const entry = now.entries.get(Tasks.id(n))
      return entry === undefined ? [] : [TaskLines.of(entry, now).cost]
    })
    assert.deepEqual(costs, ["$0.84", "$0.63", "$0.42", "$0.21", "$0.00"])
  })
})
