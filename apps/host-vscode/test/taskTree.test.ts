import { TaskStore } from "@belay/interaction/tasks"
import { TaskHistory } from "@belay/history-store"
import { TaskEvents } from "@belay/task-engine"
import { Words } from "@belay/interaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterAll, beforeAll, vi } from "vitest"
import { layerSqlite } from "./history.ts"
import * as InProcess from "./vscode/InProcess.ts"
import * as Menus from "./vscode/Menus.ts"
import { completes, task, use } from "./vscode/Scripts.ts"
import * as Tasks from "./vscode/Tasks.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

/** The state, what a row says, its icon, and the commands that not every task offers. */
type Shown = readonly [state: string, description: string, icon: string, commands: string]

const always = Menus.offered("belay.tasks", " task ")

describe("the task tree", () => {
  let vs: InProcess.InProcess
  let live: Tasks.Owner

  const shown = async (): Promise<Readonly<Record<string, Shown>>> => {
    const found: Record<string, Shown> = {}
    for (const [label, { contextValue, description = "", iconPath }] of await vs.all("belay.tasks")) {
      const [kind = "", state = ""] = contextValue.trim().split(" ")
      const commands = Menus.offered("belay.tasks", contextValue).filter((command) => !always.includes(command))
      const [says = ""] = description.split(" · ")
      if (kind !== "group") found[label] = [state || kind, says, iconPath?.id ?? "", commands.join(" ")]
    }
    return found
  }

  beforeAll(async () => {
    vs = await InProcess.open({
      before: async (home) => {
        const dead = await Tasks.owner(home)
        await dead.commit(Tasks.started(1, "Collect"), Tasks.delegated(1, 2, "Finished part"))
        await dead.commit(Tasks.begun(2), Tasks.ended(2, "succeeded"))
        await dead.commit(Tasks.started(3, "Wait for a stopped part"), Tasks.delegated(3, 4, "Stopped part"))
        await dead.commit(Tasks.begun(4), Tasks.stopped(4))
        await dead.commit(Tasks.started(5, "Left by a dead process"))
        await dead.commit(Tasks.started(6, "Upgrade eslint"), Tasks.stopped(6))
        await dead.commit(Tasks.started(7, "Good"), Tasks.ended(7, "succeeded"))
        await dead.commit(Tasks.started(8, "Bad"), Tasks.ended(8, "failed"))
        await dead.commit(Tasks.started(9, "Dropped"), Tasks.ended(9, "cancelled"))
        await dead.commit(Tasks.started(15, "Damaged"), Tasks.ended(15, "succeeded"))
        await dead.close()
        Tasks.damage(home, 15)
        live = await Tasks.owner(home)
        await live.commit(Tasks.started(10, "Release 2.0"), Tasks.delegated(10, 11, "Publish"))
        await live.commit(Tasks.begun(11), Tasks.question(11, "Run npm publish?\nIt cannot be undone."))
        await live.commit(Tasks.started(12, "Fix the flaky test"))
        await live.commit(Tasks.started(13, "Plan the move"), Tasks.delegated(13, 14, "Not begun"))
      },
      tasks: [
        task("Build it", use("new_task", { message: "Part that runs" }), completes("Built")),
        task("Part that runs", { ...completes("Ran"), hold: "part" })
      ]
    })
    await vs.run("belay.newTask", "Build it")
    await vs.row("Part that runs", "the model answers")
  })
  afterAll(async () => {
    await live.close()
    await vs.close()
  })

  it("shows each state by icon and word, and offers what the state allows and nothing else", async () => {
    const elsewhere = `Running elsewhere: process ${process.pid}`
    const expected: Readonly<Record<string, Shown>> = {
      [`Could not be read (${Tasks.id(15).slice(-6)})`]: ["unreadable", "", "warning", "showFound"],
      Collect: ["ready", "Ready: waits in /projects/api", "debug-continue", "resume deleteTask"],
      "Finished part": ["done", "Done: All done.", "pass", "openParent continueTask deleteTask"],
      "Wait for a stopped part": ["blocked", "Blocked", "circle-slash", "resume resumeAll deleteTask"],
      "Stopped part": [
        "interrupted",
        "Interrupted: you stopped it",
        "debug-pause",
        "resume abandonSubtask openParent restartSubtask resumeAll deleteTask"
      ],
      "Left by a dead process": ["interrupted", "Interrupted: the process ended", "debug-pause", "resume deleteTask"],
      "Upgrade eslint": ["interrupted", "Interrupted: you stopped it", "debug-pause", "resume deleteTask"],
      Good: ["done", "Done: All done.", "pass", "continueTask deleteTask"],
      Bad: ["failed", "Failed: All done.", "error", "continueTask deleteTask"],
      Dropped: ["cancelled", "Cancelled: All done.", "circle-slash", "continueTask deleteTask"],
      "Release 2.0": ["waiting", "Waiting for 1", "type-hierarchy-sub", ""],
      Publish: ["needsYou", "Needs you: Run npm publish?", "bell-dot", "answer openParent"],
      "Fix the flaky test": ["elsewhere", elsewhere, "vm-active", ""],
      "Plan the move": ["waiting", "Waiting for 1", "type-hierarchy-sub", ""],
      "Not begun": ["queued", "Queued, 1st in line", "circle-outline", "openParent deleteTask"],
      "Build it": ["waiting", "Waiting for 1", "type-hierarchy-sub", "showCommands stopTree deleteTask"],
      "Part that runs": ["running", "Running", "play-circle", "stop showCommands openParent deleteTask"]
    }
    const found = await shown()
    assert.deepEqual(found, expected)
    const states = new Set(Object.values(found).map(([state]) => state))
    assert.sameMembers([...states], Object.keys(Words.signs))
  })

  it("lets what needs a person bubble to the root, and says in words where a subtask belongs", async () => {
    const all = await vs.all("belay.tasks")
    assert.include(all.get("Release 2.0")?.description, "subtask needs you")
    const spoken = all.get("Publish")?.accessibilityInformation?.label
    assert.equal(spoken, "Publish, needs you, subtask of Release 2.0, 0 cents")
    assert.deepEqual(
      (await vs.rows("belay.tasks", Tasks.id(10))).map(({ label }) => label),
      ["Publish"]
    )
    assert.equal(vs.tree("belay.tasks").getParent?.(Tasks.id(11)), Tasks.id(10))
  })

  it("says more about a task when a person rests on it, and nothing that can be pressed", async () => {
    const tree = vs.tree("belay.tasks")
    const [row] = (await vs.rows("belay.tasks")).filter(({ id }) => id === "now")
    assert.isDefined(row)
    const item = await tree.getTreeItem(Tasks.id(10))
    await tree.resolveTreeItem?.(item, Tasks.id(10), {} as never)
    const { isTrusted, value } = item.tooltip as { readonly isTrusted: boolean; readonly value: string }
    assert.isFalse(isTrusted)
    for (const fact of ["Mode: Act", "Model: model-1", "Folder: /projects/api", 'Waits for: "Publish"']) {
      assert.include(value, fact)
    }
    assert.notInclude(value, "command:")
  })

  it("shows what was found of a task that cannot be read", async () => {
    await vs.run("belay.showFound", Tasks.id(15))
    assert.include(vs.editor.text, "Check the history.")
  })

  it("lets an icon turn only where motion is wanted", async () => {
    vs.editor.settings.set("workbench.reduceMotion", "off")
    assert.equal((await shown())["Part that runs"]?.[2], "sync~spin")
    vs.editor.settings.set("workbench.reduceMotion", "on")
    assert.equal((await shown())["Part that runs"]?.[2], "play-circle")
  })

  it("names what changed and nothing else, and everything when a group comes or goes", async () => {
    const named: Array<{ readonly elements: unknown }> = []
    const listening = vs.tree("belay.tasks").onDidChangeTreeData?.((elements) => named.push({ elements }))
    const next = async () => (await vs.until(() => named.shift())).elements
    await live.commit(Tasks.question(12, "Which port?"))
    assert.deepEqual(await next(), ["now", Tasks.id(12)])
    await live.commit(Tasks.stoppedAsking(12))
    assert.deepEqual(await next(), ["now", "interrupted", Tasks.id(12)])
    vs.editor.answers.push("Upgrade")
    await vs.run("belay.filterTasks")
    assert.isUndefined(await next())
    await vs.run("belay.clearFilter")
    assert.isUndefined(await next())
    listening?.dispose()
  })
})

describe("the reading of the history", () => {
  it.effect("comes at most four times a second, however much is written", () => {
    const home = mkdtempSync(path.join(tmpdir(), "belay-board-"))
    const layer = TaskStore.TaskStore.layer(() => undefined).pipe(
      Layer.provideMerge(TaskEvents.layer),
      Layer.provideMerge(layerSqlite({ directory: home, kind: "test" }))
    )
    return Effect.gen(function* () {
      const board = yield* TaskStore.TaskStore
      const history = yield* TaskHistory
      let readings = 0
      board.listen(() => (readings += 1))
      yield* history.commit(Tasks.started(1, "Flip"))
      yield* board.follow
      assert.equal(readings, 1)
      for (let change = 0; change < 100; change += 1) {
        yield* history.commit([change % 2 === 0 ? Tasks.halted(1) : Tasks.resumed(1)])
        yield* board.refresh
        yield* TestClock.adjust("20 millis")
      }
      assert.isAtLeast(readings, 8)
      assert.isAtMost(readings, 1 + 8 + 1)
    }).pipe(Effect.provide(layer), Effect.ensuring(Effect.sync(() => rmSync(home, { recursive: true }))))
  })
})
