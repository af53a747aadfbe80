import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as Asks from "./vscode/Asks.ts"
import * as Lists from "./vscode/Lists.ts"
import { completes, task, use, writes } from "./vscode/Scripts.ts"
import * as View from "./vscode/View.ts"
import * as VSCode from "./vscode/VSCode.ts"

describe("a new task", () => {
  let vs: VSCode.VSCode

  beforeAll(async () => {
    vs = await VSCode.open({
      ownOrigins: true,
      roots: ["web"],
      tasks: [
        task("Write the parser", writes("parse.ts", "export {}\n"), completes("Wrote parse.ts")),
        task("Style the page", { ...completes("Styled"), hold: "page" }),
        task("Keep on", { ...writes("kept.txt", "kept\n"), hold: "keep" }, completes("Kept on")),
        task(
          "Name the port",
          use("ask_followup_question", { question: "Which port?", options: ["80", "443"] }),
          completes("Named it")
        ),
        task("Mind the rules", { ...use("list_files", { path: "." }), hold: "rules" }, completes("Minded"))
      ]
    })
    await vs.showTrees()
  })
  afterAll(() => vs.close())

  it("runs, waits for an approval that the tree can give, and is done", async () => {
    await vs.command("Belay: New task")
    await Lists.press(vs, "workspace")
    await vs.input("Write the parser")

    const tasks = vs.tree("Tasks")
    await tasks.row("Write the parser").filter({ hasText: "Needs you" }).waitFor()
    const needsYou = vs.tree("Needs you")
    await needsYou.row("Write parse.ts").waitFor()
    await vs.page.locator(".activitybar .badge-content", { hasText: "1" }).waitFor()
    assert.isFalse(existsSync(path.join(vs.workspace, "parse.ts")))

    await needsYou.act("Write parse.ts", "Allow once")
    await tasks.row("Write the parser").filter({ hasText: "Done: Wrote parse.ts" }).waitFor()
    await vs.page.locator(".pane-header", { hasText: "Needs you" }).waitFor({ state: "detached" })
    assert.equal(readFileSync(path.join(vs.workspace, "parse.ts"), "utf8"), "export {}\n")
  })

  it("is named with its folder, and stopped when that folder is taken away", async () => {
    await vs.command("Belay: New task")
    await Lists.press(vs, "web")
    await vs.input("Style the page")
    const row = vs.tree("Tasks").row("Style the page")
    await row.filter({ hasText: "Running" }).filter({ hasText: "· web" }).waitFor()
    await vs.host((vscode) => void vscode.commands.executeCommand("belay.searchTasks"))
    await Lists.open(vs).locator("input").fill("page")
    await Lists.row(vs, "Style the page").filter({ hasText: "web · Running" }).waitFor()
    await vs.page.keyboard.press("Escape")
    await vs.host((vscode) => vscode.workspace.updateWorkspaceFolders(1, 1))
    await vs.notification("The folder web was removed from the workspace. The task was stopped.")
    await row.filter({ hasText: "Interrupted: VS Code was closed" }).waitFor()
  })

  it("opens its conversation as a read-only document", async () => {
    await vs.tree("Tasks").row("Write the parser").click()
    await vs.page.locator(".pane-header", { hasText: "Write the parser" }).waitFor()
    await vs.command("Belay: Open conversation as text")
    const text = await vs.until("the document", (vscode) => {
      const document = vscode.window.activeTextEditor?.document
      return document?.uri.scheme === "belay-transcript" ? document.getText() : undefined
    })
    assert.isTrue(text.startsWith("# Write the parser\n"))
    assert.match(text, /^\d\d:\d\d:\d\d {2}Done.*\n {4}Wrote parse\.ts$/m)
    assert.match(text, /^\d\d:\d\d:\d\d {2}write_to_file parse\.ts {2}· {2}you allowed it once$/m)
  })

  it("goes on when the processes of its views end, whose places are taken with the draft and all that was said", async () => {
    const shows = (title: string, region: string, draft = "") =>
      View.find(
        vs.page,
        async ({ composer, frame }) =>
          (await frame.locator("h1", { hasText: title }).isVisible()) &&
          (await frame.locator(region).isVisible()) &&
          (await composer.inputValue()) === draft
      )
    const id = await Asks.begin(vs, "Keep on")
    await (await shows("Keep on", ".app")).composer.fill("Half a sentence")
    const asking = await Asks.begin(vs, "Name the port")
    await Asks.run(vs, "openConversationInEditor", asking)
    await Asks.run(vs, "openTask", id)
    const views = [await shows("Keep on", ".app", "Half a sentence"), await shows("Name the port", ".dock")]

    const began = performance.now()
    for (const view of views) await View.crash(vs.page, view)
    const said = ".bar:has-text('The view stopped answering and was reloaded. The task was not affected.')"
    const revived = Promise.all([shows("Keep on", said, "Half a sentence"), shows("Name the port", said)])
    vs.model.release("keep")
    await Asks.run(vs, "allowOnce", (await Asks.waiting(vs, "Write kept.txt")).id)
    await Asks.ended(vs, "Keep on")
    assert.deepEqual(
      views.map(({ frame }) => frame.isDetached()),
      [false, false]
    )
    const [beside, editor] = await revived
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    process.stdout.write(`Views whose processes ended were there again after ${seconds} s.\n`)
    await beside.row("Kept on").waitFor()
    assert.equal(await beside.dock.count(), 0)
    await Asks.run(vs, "openTask", asking)
    await beside.frame.locator("h1", { hasText: "Name the port" }).waitFor()
    await beside.frame.locator(said).waitFor({ state: "detached" })
    await beside.composer.focus()
    await editor.frame.locator(".dock:not(.waits)").waitFor()
    // One press is enough, though it brings the focus to its view.
    await editor.dock.getByRole("button", { name: "443" }).click()
    await editor.row("Named it").waitFor()
  })

  it("follows the rules of its folder once a person has trusted their content", async () => {
    writeFileSync(path.join(vs.workspace, "AGENTS.md"), "Answer in verse.")
    await vs.host(async (vscode) => void (await vscode.commands.executeCommand("belay.newTask", "Mind the rules")))
    await vs.notification("has instructions for the model (AGENTS.md)")
    await vs.page.locator(".notifications-center").getByRole("button", { name: "Trust this content" }).click()
    const said = path.join(vs.env["BELAY_HOME"] ?? "", "trust.json")
    await vi.waitFor(() => assert.include(readFileSync(said, "utf8"), "true"))
    vs.model.release("rules")
    await vs.tree("Tasks").row("Mind the rules").filter({ hasText: "Done: Minded" }).waitFor()
    const texts = vs.model.requests.map(({ body }) => JSON.stringify(body))
    const requests = texts.filter((text) => text.includes("Mind the rules"))
    assert.deepEqual(
      requests.map((text) => text.includes("Answer in verse.")),
      [false, true]
    )
  })
})
