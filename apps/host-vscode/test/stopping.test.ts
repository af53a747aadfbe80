import type { TaskId } from "@belay/task-state"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Cli from "./vscode/Cli.ts"
import { completes, task, use } from "./vscode/Scripts.ts"
import * as Tasks from "./vscode/Tasks.ts"
import * as View from "./vscode/View.ts"
import * as VSCode from "./vscode/VSCode.ts"

const delegates = (message: string) => use("new_task", { message })

describe("a stop", () => {
  let vs: VSCode.VSCode

  const begin = (prompt: string): Promise<any> =>
    vs.host((vscode, prompt) => vscode.commands.executeCommand("belay.newTask", prompt), prompt)
  const row = (title: string, state: string) => vs.tree("Tasks").row(title).filter({ hasText: state })
  const lastRequest = () => JSON.stringify(vs.model.requests.at(-1)?.body)
  const written = async (id: string) => (await Cli.json(vs, ["task", "show", id])).lastSeq

  const idOf = async (wanted: string): Promise<string> => {
    const { tasks } = await Cli.json(vs, ["task", "list", "--all"])
    return tasks.find(({ title }: { readonly title: string }) => title === wanted)?.id
  }
  const inView = (title: string) =>
    View.find(vs.page, ({ frame }) => frame.locator("h1", { hasText: title }).isVisible())

  beforeAll(async () => {
    vs = await VSCode.open({
      tasks: [
        task("Upgrade eslint", { ...completes("Upgraded"), hold: "eslint" }),
        task("Fix the flaky test", { ...completes("Fixed"), hold: "flaky" }),
        task("Release 1.0", delegates("Tag the commit"), completes("Released 1.0")),
        task("Tag the commit", completes("Tagged as v1")),
        task("Release 2.0", delegates("Write the parser"), completes("Released 2.0")),
        task("Write the parser", { ...completes("Parsed"), hold: "parser" }),
        task("Release 3.0", delegates("Update the docs"), completes("Released 3.0")),
        task("Update the docs", { ...completes("Updated"), hold: "docs" }),
        task("Release 4.0", delegates("Write the notes"), completes("Released 4.0")),
        task("Write the notes", { ...completes("Noted the changes"), hold: "notes" }),
        task("Release 5.0", delegates("Sign the build"), completes("Released 5.0")),
        task("Sign the build", { ...completes("Signed"), hold: "signature" }),
        task("Watch the weather", { ...completes("It is sunny"), hold: "weather" })
      ]
    })
    // A row that is not in sight is not in the page.
    await vs.page.setViewportSize({ width: 1280, height: 2200 })
    await vs.showTrees()
  })
  afterAll(() => vs.close())

  it("is not needed: a subtask that completes on its first answer is collected", async () => {
    await begin("Release 1.0")
    await row("Release 1.0", "Done: Released 1.0").waitFor()
    assert.include(lastRequest(), "Tagged as v1")
  })

  it("leaves a task that can be resumed from its row; nothing else changes, and a second stop changes nothing", async () => {
    await vs.command("Belay: New task")
    await vs.input("Upgrade eslint")
    await row("Upgrade eslint", "Running").waitFor()
    const other = await begin("Fix the flaky test")
    await row("Fix the flaky test", "Running").waitFor()
    await vs.model.waitForRequests(5)
    const before = await written(other)

    await vs.tree("Tasks").act("Upgrade eslint", "Stop")
    await row("Upgrade eslint", "Interrupted: you stopped it").waitFor()
    const id = await idOf("Upgrade eslint")
    const stopped = await written(id)
    await vs.host((vscode, id) => vscode.commands.executeCommand("belay.stop", id), id)
    assert.deepEqual([await written(id), await written(other)], [stopped, before])
    await row("Fix the flaky test", "Running").waitFor()

    vs.model.release("eslint")
    await vs.tree("Tasks").act("Upgrade eslint", "Resume")
    await row("Upgrade eslint", "Done: Upgraded").waitFor()
    vs.model.release("flaky")
    await row("Fix the flaky test", "Done: Fixed").waitFor()
  })

  it("of a subtask leaves it to be abandoned, and the parent goes on and is told", async () => {
    await begin("Release 3.0")
    await row("Update the docs", "Running").waitFor()
    await vs.tree("Tasks").act("Update the docs", "Stop")
    await row("Update the docs", "Interrupted: you stopped it").waitFor()
    await vs.tree("Tasks").act("Update the docs", "Abandon")
    const dialog = vs.page.locator(".monaco-dialog-box")
    await dialog.filter({ hasText: 'Abandon "Update the docs"?' }).waitFor()
    await dialog.getByRole("button", { name: "Abandon subtask" }).click()
    await row("Release 3.0", "Done: Released 3.0").waitFor()
    assert.include(lastRequest(), "abandoned")
  })

  it("of a subtask outlives the window: resumed later, it reports to its parent, which goes on", async () => {
    await begin("Release 4.0")
    await row("Write the notes", "Running").waitFor()
    await vs.tree("Tasks").act("Write the notes", "Stop")
    await row("Write the notes", "Interrupted: you stopped it").waitFor()
    const notes = await idOf("Write the notes")
    await vs.host((vscode, id) => vscode.commands.executeCommand("belay.openConversationInEditor", id), notes)
    await inView("Write the notes")
    await begin("Release 5.0")
    await row("Sign the build", "Running").waitFor()
    await vs.tree("Tasks").act("Sign the build", "Stop")
    await row("Sign the build", "Interrupted: you stopped it").waitFor()
    await begin("Release 2.0")
    await row("Write the parser", "Running").waitFor()
    const other = Cli.start(vs, ["run", "Watch the weather"])
    await row("Watch the weather", "Running elsewhere").waitFor()
    await vs.reload()
    await row("Write the notes", "Interrupted: you stopped it").waitFor()
    await row("Release 5.0", "Blocked").waitFor()
    await row("Watch the weather", "Running elsewhere").waitFor()
    vs.model.release("weather")
    assert.equal((await other.exit).code, 0)
    const editor = await inView("Write the notes")
    await editor.frame.locator(".bar", { hasText: '"Release 4.0" is waiting for this result.' }).waitFor()
    await row("Release 4.0", "Blocked").waitFor()
    vs.model.release("notes")
    await vs.tree("Tasks").act("Write the notes", "Resume")
    await row("Release 4.0", "Done: Released 4.0").waitFor()
    assert.include(lastRequest(), "Noted the changes")
  })

  it("by a reload of the window leaves parent and child resumable, and the parent collects the child", async () => {
    await row("Write the parser", "Interrupted: VS Code was closed").waitFor()
    vs.model.release("parser")
    await vs.tree("Tasks").act("Release 2.0", "Resume")
    await row("Release 2.0", "Done: Released 2.0").waitFor()
    assert.include(lastRequest(), "Parsed")
  })

  it("by a reload is over for a parent whose subtask has reported meanwhile: it says so, and asks that one for nothing", async () => {
    const taskId = (await idOf("Sign the build")) as TaskId.TaskId
    const owner = await Tasks.owner(vs.env["BELAY_HOME"] ?? "")
    await owner.commit([
      { _tag: "Lifecycle", request: { _tag: "Resume", taskId } },
      {
        _tag: "Lifecycle",
        request: { _tag: "Complete", taskId, attempt: 2, outcome: "succeeded", result: "Signed by hand" }
      }
    ])
    await owner.close()
    await row("Release 5.0", "Ready").click()
    const view = await inView("Release 5.0")
    await view.frame.locator(".bar", { hasText: "All subtasks have reported. Resume to go on." }).waitFor()
    const sent = vs.model.requests.length
    await view.frame.locator(".bar").getByRole("button", { name: "Resume", exact: true }).click()
    await view.row("Released 5.0").waitFor()
    assert.equal(vs.model.requests.length, sent + 1)
    assert.include(lastRequest(), "Signed by hand")
  })
})
