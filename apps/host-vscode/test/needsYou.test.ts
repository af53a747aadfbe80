import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tasks from "./vscode/Tasks.ts"
import * as View from "./vscode/View.ts"
import * as VSCode from "./vscode/VSCode.ts"

const titles = ["Release 2.0", "Prepare", "Document", "Translate", "Proofread"]

describe("what needs a person", () => {
  let vs: VSCode.VSCode
  let live: Tasks.Owner

  const badge = (text: string) => vs.page.locator(".activitybar .badge-content", { hasText: text })
  const state = (title: string, text: string) => vs.tree("Tasks").row(title).filter({ hasText: text }).waitFor()

  beforeAll(async () => {
    vs = await VSCode.open()
    const home = vs.env["BELAY_HOME"] ?? ""
    const dead = await Tasks.owner(home)
    await dead.commit(Tasks.started(20, "Left alone"), Tasks.question(20, "Which port?"))
    const parts = [
      [41, "Pack"],
      [42, "Load"]
    ] as const
    await dead.commit(Tasks.started(40, "Ship it"), Tasks.fannedOut(40, parts))
    await dead.commit(Tasks.begun(41), Tasks.ended(41, "succeeded"), Tasks.begun(42))
    await dead.close()
    live = await Tasks.owner(home)
    await live.commitAgo(70_000, Tasks.started(30, "Upgrade eslint"))
    await live.commit(Tasks.started(1, titles[0] ?? ""))
    for (let n = 1; n < titles.length; n += 1) {
      await live.commit(Tasks.delegated(n, n + 1, titles[n] ?? ""), [Tasks.begun(n + 1)])
    }
    await live.commit(Tasks.question(5, "Which language first?"))
    await live.commit(Tasks.started(10, "Publish"), Tasks.question(10, "Now?"))
    await vs.page.setViewportSize({ width: 1280, height: 2200 })
    await vs.showTrees()
    await badge("3").waitFor()
  })
  afterAll(async () => {
    await live.close()
    await vs.close()
  })

  it("is listed oldest first with its path, and counted by tasks", async () => {
    const rows = await vs.host(async (vscode) => {
      const { contributions } = vscode.extensions.getExtension("belay.belay")?.exports ?? {}
      const tree = (await contributions()).tree("belay.needsYou")
      return (await tree.getChildren()).map((element: string) => [element, tree.getTreeItem(element).description])
    })
    assert.deepEqual(rows, [
      ["ask-10", "Publish"],
      ["ask-20", "Left alone"],
      ["ask-5", `Proofread (subtask of ${titles.slice(0, 4).join(" › ")})`]
    ])
    for (const title of titles.slice(0, 4)) await state(title, "Waiting for 1 · subtask needs you")
    await vs.picture("needs-you")
  })

  it("is gone round one after the other, from the oldest to the last and again", async () => {
    const { frame } = await View.find(vs.page)
    for (const title of ["Publish", "Left alone", "Proofread", "Publish"]) {
      await vs.host((vscode) => void vscode.commands.executeCommand("belay.nextNeedsYou"))
      await frame.locator("h1", { hasText: title }).waitFor()
      await frame.locator(".dock:focus-within").waitFor()
    }
  })

  it("is gone to by Enter on its task, which a press of the row only shows", async () => {
    const { composer, frame } = await View.find(vs.page)
    await vs.tree("Tasks").row("Left alone").click()
    await frame.locator("h1", { hasText: "Left alone" }).waitFor()
    assert.equal(await frame.locator("textarea:focus").count(), 0)
    await vs.page.keyboard.press("Enter")
    await composer.and(frame.locator("textarea:focus")).waitFor()
  })

  it("has its place and its cost below all tasks above it, each a way to that task", async () => {
    const { frame } = await View.find(vs.page)
    await vs.tree("Tasks").row("Proofread").click()
    await frame.locator("h1", { hasText: "Proofread" }).waitFor()
    const above = frame.getByRole("navigation", { name: "Parent tasks" }).getByRole("button")
    assert.deepEqual(await above.allInnerTexts(), titles.slice(0, 4))
    await above.first().click()
    await frame.locator("h1", { hasText: "Release 2.0" }).waitFor()
    // Each of four has asked once.
    assert.equal(await frame.getByTestId("cost").innerText(), "$0.84")
    await frame.locator(".subtasks li", { hasText: "Prepare" }).getByText("$0.63").waitFor()
    await state("Release 2.0", "$0.84")
  })

  it("is a history to look into where a subtask cannot be read, which then is there again, and its parent goes on with it", async () => {
    const { button, frame } = await View.find(vs.page)
    const part = (title: string, text: string) =>
      frame.locator(".subtasks li .line", { hasText: title }).getByText(text).waitFor()
    Tasks.damage(vs.env["BELAY_HOME"] ?? "", 42)
    await live.commit({ _tag: "Rename", taskId: Tasks.id(40), title: "Ship it now" })
    await vs.tree("Tasks").row("Ship it now").click()
    await frame.locator("h1", { hasText: "Ship it now" }).waitFor()
    await part("Pack", "Done")
    await part("Load", "Unreadable")
    await frame.getByText("1 of 2 reported").waitFor()
    await frame.locator(".bar", { hasText: "Waiting for a subtask that could not be read." }).waitFor()
    await button("Check history").click()
    await vs.until("what was repaired", (vscode) =>
      vscode.window.activeTextEditor?.document.getText().includes("told anew from its journal") === true
        ? true
        : undefined
    )
    await part("Load", "Interrupted")
    await button("Resume subtask").waitFor()
  })

  it("leaves the list when another process has answered it", async () => {
    await live.commit(Tasks.stoppedAsking(20))
    await badge("2").waitFor()
    await state("Left alone", "Interrupted")
  })

  it("says of a late answer that this was already answered", async () => {
    await vs.host((vscode) => void vscode.commands.executeCommand("belay.answer", "ask-20"))
    await vs.notification("This was already answered.")
  })

  it("is told of when a task that is not shown ends after more than a minute, with a way to it", async () => {
    await live.commit(Tasks.ended(30, "succeeded"))
    await vs.notification('"Upgrade eslint" is done · $0.00')
    await vs.page.locator(".notifications-center").getByRole("button", { name: "Open" }).click()
    await vs.page.locator(".pane-header", { hasText: "Upgrade eslint" }).waitFor()
  })

  it("is hidden when nothing is left, and a stop below shows on every task above until it goes on", async () => {
    await live.commit([Tasks.stoppedAsking(5), Tasks.stoppedAsking(10)].flat())
    await vs.page.locator(".pane-header", { hasText: "Needs you" }).waitFor({ state: "detached" })
    for (const title of titles.slice(0, 4)) await state(title, "Blocked")
    await live.commit(Tasks.resumed(5))
    for (const title of titles.slice(0, 4)) await state(title, "Waiting for 1")
  })
})
