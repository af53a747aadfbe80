import type { ExtensionContext, TreeView } from "vscode"
import { assert, beforeEach, describe, it, vi } from "vitest"
import * as LazyContributions from "../src/activation/LazyContributions.ts"
import * as StandIn from "./vscode/StandIn.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

const context = {
  subscriptions: [],
  extension: { packageJSON: { contributes: { commands: [{ command: "belay.resume" }] } } }
} as unknown as ExtensionContext

const treeOf = (...rows: ReadonlyArray<string>): LazyContributions.Tree => ({
  getChildren: () => [...rows],
  getTreeItem: () => ({})
})

/** What a person sees, and has done. */
const rows = async () => StandIn.editor.trees.get("belay.tasks")?.getChildren()
const resume = async (id: string) => StandIn.editor.commands.get("belay.resume")?.(id)

describe("the places of what is loaded later", { timeout: 60_000 }, () => {
  /** One for each time that the rest was loaded. */
  let starts: Array<PromiseWithResolvers<LazyContributions.Contributions>>
  let fill: Parameters<LazyContributions.Start>[1]
  let seats: LazyContributions.LazyContributions
  let ran: Array<unknown>

  const rest = (tree: LazyContributions.Tree): LazyContributions.Contributions => ({
    command: async (id, args) => void ran.push([id, ...args]),
    tree: () => tree,
    view: () => undefined,
    panel: () => undefined,
    close: async () => void ran.push("closed")
  })

  beforeEach(() => {
    starts = []
    ran = []
    StandIn.renew()
    seats = LazyContributions.make(context, (_, filled) => {
      fill = filled
      const start = Promise.withResolvers<LazyContributions.Contributions>()
      starts.push(start)
      return start.promise
    })
  })

  it("load nothing until they are looked at or used, and then once", async () => {
    assert.isEmpty(starts)
    const all = Promise.all([rows(), resume("one"), resume("two")])
    assert.lengthOf(starts, 1)
    starts[0]?.resolve(rest(treeOf("a task")))
    assert.deepEqual((await all)[0], ["a task"])
    assert.deepEqual(ran, [
      ["belay.resume", "one"],
      ["belay.resume", "two"]
    ])
  })

  it("show a tree as soon as it is filled, while commands wait for all of the rest", async () => {
    const resumed = resume("one")
    const tree = treeOf("a task")
    fill("belay.tasks", tree)
    assert.deepEqual(await rows(), ["a task"])
    assert.isEmpty(ran)
    starts[0]?.resolve(rest(tree))
    await resumed
    assert.deepEqual(ran, [["belay.resume", "one"]])
    await seats.close()
    assert.deepEqual(ran.at(-1), "closed")
  })

  it("say in one line that the rest cannot be loaded, leave what it filled, and load it again when it is wanted", async () => {
    const resumed = resume("one").catch(String)
    fill("belay.tasks", treeOf("of before"))
    assert.deepEqual(await rows(), ["of before"])
    starts[0]?.reject(new Error("The disk is full. Free some space."))
    assert.include(await resumed, "The disk is full.")
    assert.deepEqual(
      StandIn.editor.told.map(({ line }) => line),
      ["The disk is full. Free some space."]
    )
    assert.include(seats.views["belay.tasks"] as Partial<TreeView<string>>, {
      message: "The disk is full. Free some space."
    })
    assert.isEmpty(ran)

    const seen = rows()
    assert.lengthOf(starts, 2)
    starts[1]?.resolve(rest(treeOf("of now")))
    assert.deepEqual(await seen, ["of now"])
    assert.isUndefined(seats.views["belay.tasks"].message)
  })
})
