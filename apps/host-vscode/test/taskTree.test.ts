import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Words } from "@belay/task-engine/protocol"
import { completes, task, use } from "./vscode/Scripts.ts"
import * as Tasks from "./vscode/Tasks.ts"
import * as VSCode from "./vscode/VSCode.ts"

/** The state, what a row says, its icon, and what a person may do with the task. */
type Row = readonly [state: string, description: string, icon: string, choices: string]

describe("the task tree", () => {
  let vs: VSCode.VSCode
  let live: Tasks.Owner

  /** Every row by its title, as the tree's provider gives it. */
  const rows = (): Promise<Readonly<Record<string, Row>>> =>
    vs.host(async (vscode) => {
      const { contributions } = vscode.extensions.getExtension("belay.belay")?.exports ?? {}
      const tree = (await contributions()).tree("belay.tasks")
      const found: Record<string, Row> = {}
      const visit = async (element?: string): Promise<void> => {
        for (const child of await tree.getChildren(element)) {
          const { contextValue, description = "", iconPath, label } = tree.getTreeItem(child)
          const [kind, state = "", ...choices] = contextValue.trim().split(" ")
          if (kind !== "group") {
            found[label] = [state || kind, description.split(" · ")[0], iconPath.id, choices.join(" ")]
          }
          await visit(child)
        }
      }
      await visit()
      return found
    })

  beforeAll(async () => {
    vs = await VSCode.open({
      tasks: [
        task("Build it", use("new_task", { message: "Part that runs" }), completes("Built")),
        task("Part that runs", { ...completes("Ran"), hold: "part" })
      ]
    })
    const home = vs.env["BELAY_HOME"] ?? ""
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
    await live.commit(Tasks.started(20, "Flip"))
    await live.commit(Tasks.started(12, "Fix the flaky test"))
    await live.commit(Tasks.started(13, "Plan the move"), Tasks.delegated(13, 14, "Not begun"))
    // A row that is not in sight is not in the page.
    await vs.page.setViewportSize({ width: 1280, height: 2200 })
    await vs.showTrees()
    await vs.host(async (vscode) => void (await vscode.commands.executeCommand("belay.newTask", "Build it")))
    await vs.tree("Tasks").row("Part that runs").filter({ hasText: "Running" }).waitFor()
  })
  afterAll(async () => {
    await live.close()
    await vs.close()
  })

  it("shows each state by icon and word, and offers what the state allows and nothing else", async () => {
    const elsewhere = `Running elsewhere: process ${process.pid}`
    const damaged = `Could not be read (${Tasks.id(15).slice(-6)})`
    const expected: Readonly<Record<string, Row>> = {
      [damaged]: ["unreadable", "", "warning", ""],
      Collect: ["ready", "Ready", "debug-continue", "resume delete"],
      "Finished part": ["done", "Done: All done.", "pass", "openParent continue delete"],
      "Wait for a stopped part": ["blocked", "Blocked", "circle-slash", "resume resumeAll delete"],
      "Stopped part": [
        "interrupted",
        "Interrupted: you stopped it",
        "debug-pause",
        "resume resumeAll abandon redelegate openParent delete"
      ],
      "Left by a dead process": ["interrupted", "Interrupted: the process ended", "debug-pause", "resume delete"],
      "Upgrade eslint": ["interrupted", "Interrupted: you stopped it", "debug-pause", "resume delete"],
      Good: ["done", "Done: All done.", "pass", "continue delete"],
      Bad: ["failed", "Failed: All done.", "error", "continue delete"],
      Dropped: ["cancelled", "Cancelled: All done.", "circle-slash", "continue delete"],
      "Release 2.0": ["waiting", "Waiting for 1", "type-hierarchy-sub", ""],
      Publish: ["needsYou", "Needs you: Run npm publish?", "bell-dot", "answer openParent"],
      "Fix the flaky test": ["elsewhere", elsewhere, "vm-active", ""],
      Flip: ["elsewhere", elsewhere, "vm-active", ""],
      "Plan the move": ["waiting", "Waiting for 1", "type-hierarchy-sub", ""],
      "Not begun": ["queued", "Queued, 1st in line", "circle-outline", "openParent delete"],
      "Build it": ["waiting", "Waiting for 1", "type-hierarchy-sub", "stopTree delete"],
      "Part that runs": ["running", "Running", "play-circle", "stop openParent delete"]
    }
    const found = await rows()
    assert.deepEqual(found, expected)
    await vs.picture("tasks")
    const states = new Set(Object.values(found).map(([state]) => state))
    assert.sameMembers([...states], Object.keys(Words.signs))
  })

  it("lets what needs a person bubble to the root, and keeps parents and children together", async () => {
    const tasks = vs.tree("Tasks")
    await tasks.row("Release 2.0").filter({ hasText: "subtask needs you" }).waitFor()
    const label = await tasks.row("Publish").getAttribute("aria-label")
    assert.match(label ?? "", /^Publish, needs you, subtask of Release 2\.0, 0 cents/)
  })

  it("says more about a task when a person rests on it, and nothing that can be pressed", async () => {
    const [text, trusted] = await vs.host(async (vscode, publish) => {
      const { contributions } = vscode.extensions.getExtension("belay.belay")?.exports ?? {}
      const tree = (await contributions()).tree("belay.tasks")
      const { tooltip } = await tree.resolveTreeItem(tree.getTreeItem(publish), publish)
      return [tooltip.value, tooltip.isTrusted === true]
    }, Tasks.id(10))
    assert.isFalse(trusted)
    const plain = String(text).replaceAll(/\\(.)/g, "$1").replaceAll("&nbsp;", " ")
    for (const fact of ["Mode: Act", "Model: model-1", "Folder: /projects/api", 'Waits for: "Publish"']) {
      assert.include(plain, fact)
    }
    assert.notInclude(plain, "command:")
  })

  it("shows what was found of a task that cannot be read", async () => {
    await vs.tree("Tasks").act("Could not be read", "Show what was found")
    const text = await vs.until("the copy", (vscode) => {
      const document = vscode.window.activeTextEditor?.document
      return document?.uri.scheme === "belay-found" ? document.getText() : undefined
    })
    assert.include(text, 'Run "belay history doctor".')
  })

  it("lets an icon turn only where motion is wanted", async () => {
    const motion = (value: string) =>
      vs.host(
        async (vscode, on) => vscode.workspace.getConfiguration("workbench").update("reduceMotion", on, true),
        value
      )
    await motion("off")
    assert.equal((await rows())["Part that runs"]?.[2], "sync~spin")
    await motion("on")
  })

  it("shows what another process does as it does it, and keeps the selection", async () => {
    const tasks = vs.tree("Tasks")
    await tasks.row("Fix the flaky test").click()
    await live.commit(Tasks.ended(12, "succeeded"))
    await tasks.row("Fix the flaky test").filter({ hasText: "Done: All done." }).waitFor()
    await tasks.root.locator(".monaco-list-row.selected", { hasText: "Fix the flaky test" }).waitFor()
    await tasks.root.locator(".monaco-list-row.focused", { hasText: "Fix the flaky test" }).waitFor()
  })

  it("refreshes at most four times a second, names what changed, and leaves the rest as it was", async () => {
    const tasks = vs.tree("Tasks")
    await vs.page.mouse.move(800, 700) // a hover over the trees, or of the title, would take the click
    await vs.page.locator(".context-view .monaco-hover").waitFor({ state: "hidden" })
    await tasks.row("Release 2.0").click()
    await vs.page.keyboard.press("ArrowLeft")
    await tasks.row("Publish").waitFor({ state: "detached" })
    await vs.host(async (vscode) => {
      const { contributions } = vscode.extensions.getExtension("belay.belay")?.exports ?? {}
      const tree = (await contributions()).tree("belay.tasks")
      const counted = { since: performance.now(), refreshes: [] as Array<unknown> }
      Object.assign(globalThis, { counted })
      tree.onDidChangeTreeData((elements: unknown) => counted.refreshes.push(elements ?? "everything"))
    })
    for (let attempt = 1; attempt <= 100; attempt += 1) {
      await live.commit(Tasks.halted(20))
      await live.commit(Tasks.resumed(20))
    }
    await live.commit(Tasks.halted(20))
    await tasks.row("Flip").filter({ hasText: "Interrupted" }).waitFor()
    const { refreshes, seconds } = await vs.host(() => {
      const { counted } = globalThis as any
      return { refreshes: counted.refreshes, seconds: (performance.now() - counted.since) / 1000 }
    })
    assert.isAbove(refreshes.length, 0)
    assert.isAtMost(refreshes.length, 4 * seconds + 1)
    for (const elements of refreshes) {
      assert.isArray(elements)
      assert.includeMembers(["now", "interrupted", Tasks.id(20)], elements)
    }
    assert.isFalse(await tasks.row("Publish").isVisible())
    await tasks.root.locator(".monaco-list-row.selected", { hasText: "Release 2.0" }).waitFor()
  })
})
