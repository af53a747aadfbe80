import { Attention } from "@belay/history-store"
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import type { TaskId } from "@belay/task-state"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as Asks from "./vscode/Asks.ts"
import * as Cli from "./vscode/Cli.ts"
import * as Lists from "./vscode/Lists.ts"
import { completes, task, use, writes } from "./vscode/Scripts.ts"
import * as Tasks from "./vscode/Tasks.ts"
import * as View from "./vscode/View.ts"
import * as VSCode from "./vscode/VSCode.ts"

let vs: VSCode.VSCode

const delegates = (message: string) => use("new_task", { message })
const shows = (window: VSCode.OpenWindow, title: string, text: string) =>
  window.tree("Tasks").row(title).filter({ hasText: text }).waitFor()

beforeAll(async () => {
  vs = await VSCode.open({
    roots: ["web"],
    home: { "attention.json": Attention.format({ tasks: 3, asks: 4, interrupted: 0, oldest: [] }) },
    tasks: [
      task("Cut a draft", writes("draft.md", "2.0\n"), completes("Drafted")),
      task("Style the page", { ...completes("Styled"), hold: "page" }),
      task("Write the parser", writes("parse.ts", "export {}\n"), { ...completes("Wrote parse.ts"), hold: "parser" }),
      task("Upgrade eslint", { ...completes("Upgraded"), hold: "eslint" }),
      task("Release 4.0", delegates("Write the notes"), completes("Released 4.0")),
      task("Write the notes", { ...completes("Noted the changes"), hold: "notes" }),
      task("Release 5.0", delegates("Sign the build"), completes("Released 5.0")),
      task("Sign the build", { ...completes("Signed"), hold: "signature" }),
      task("Watch the weather", { ...completes("It is sunny"), hold: "weather" })
    ]
  })
})
afterAll(() => vs.close())

describe("the start of the editor", () => {
  const badge = (text: string) => vs.page.locator(".activitybar .badge-content", { hasText: text })
  const home = (): ReadonlyArray<string> => readdirSync(vs.env["BELAY_HOME"] ?? "")

  it("shows from one small file how many tasks need a person, and opens nothing", async () => {
    await badge("3").waitFor()
    assert.isTrue(await vs.host((vscode) => vscode.extensions.getExtension("belay.belay")?.isActive === true))
    assert.deepEqual(home(), ["attention.json"])
  })

  it("follows what the command line asks, while nothing is loaded", async () => {
    const run = Cli.start(vs, ["run", "Cut a draft", "--input", "stream-json", "--output", "stream-json"])
    await badge("1").waitFor()
    await run.kill()
  })

  it("leaves the rest to the first look at a view, which counts for itself", async () => {
    writeFileSync(
      path.join(vs.env["BELAY_HOME"] ?? "", "attention.json"),
      Attention.format({ tasks: 9, asks: 9, interrupted: 0, oldest: [] })
    )
    await badge("9").waitFor()
    await vs.showTrees()
    await vs.tree("Tasks").row("Cut a draft").waitFor()
    await badge("9").waitFor({ state: "detached" })
    // The next stories begin without it.
    const deletion = Cli.start(vs, ["task", "delete", "last", "--yes"])
    deletion.endInput()
    assert.equal((await deletion.exit).code, 0)
    await vs.tree("Tasks").row("Cut a draft").waitFor({ state: "detached" })
  })
})

describe("a folder of the window", () => {
  it("is chosen for a task, names it, and stops it when it is taken away", async () => {
    await vs.host((vscode) => void vscode.commands.executeCommand("belay.newTask"))
    await Lists.press(vs, "web")
    await vs.input("Style the page")
    await vs.tree("Tasks").row("Style the page").filter({ hasText: "Running" }).filter({ hasText: "· web" }).waitFor()
    await vs.host((vscode) => vscode.workspace.updateWorkspaceFolders(1, 1))
    await vs.notification("The folder web was removed from the workspace. The task was stopped.")
    await shows(vs, "Style the page", "Interrupted: VS Code was closed")
  })
})

describe("a history with a second window", () => {
  let second: VSCode.OpenWindow
  let id: string

  const modeOf = async (task: string) => (await Cli.json(vs, ["task", "show", task])).mode
  /** What a row of a task offers, in the words of the manifest's conditions. */
  const offers = (window: VSCode.OpenWindow, task: string): Promise<string> =>
    window.host(async (vscode, id) => {
      const { contributions } = vscode.extensions.getExtension("belay.belay")?.exports ?? {}
      return (await contributions()).tree("belay.tasks").getTreeItem(id).contextValue
    }, task)

  beforeAll(async () => {
    second = await vs.secondWindow()
  })

  it("asks in both, and the first answer counts; the other one is told", async () => {
    id = await Asks.begin(vs, "Write the parser")
    const [ask] = await Promise.all([Asks.waiting(vs, "Write parse.ts"), Asks.waiting(second, "Write parse.ts")])
    await Promise.all([vs, second].map((window) => Asks.run(window, "allowOnce", ask.id)))
    const told = () => Promise.all([vs, second].map(({ isTold }) => isTold("This was already answered.")))
    while (!(await told()).includes(true));
    await vs.until("the file", async (vscode) => (await vscode.workspace.findFiles("parse.ts")).length || undefined)
    for (const window of [vs, second]) {
      await window.page.locator(".pane-header", { hasText: "Needs you" }).waitFor({ state: "detached" })
    }
    assert.isTrue(existsSync(path.join(vs.workspace, "parse.ts")))
  })

  it("runs it in one and follows it in the other, which offers nothing that is the first one's", async () => {
    await shows(vs, "Write the parser", "Running")
    await shows(second, "Write the parser", "Running elsewhere")
    assert.include(await offers(vs, id), " stop ")
    for (const action of ["stop", "resume", "delete"]) assert.notInclude(await offers(second, id), ` ${action} `)
    await Asks.run(second, "openTaskInEditor", id)
    vs.model.release("parser")
    await second.until("the text", (vscode) =>
      vscode.window.activeTextEditor?.document.getText().includes("Wrote parse.ts") === true ? true : undefined
    )
    await Promise.all([vs, second].map((window) => shows(window, "Write the parser", "Done: Wrote parse.ts")))
  })

  it("switches the mode of the one task that is meant, in whichever window", async () => {
    const other = await Asks.begin(vs, "Upgrade eslint")
    await shows(second, "Upgrade eslint", "Running elsewhere")
    await Asks.run(second, "toggleMode", other)
    assert.deepEqual(await Promise.all([modeOf(other), modeOf(id)]), ["plan", "act"])
    await Asks.run(vs, "toggleMode", other)
  })

  it("leaves a task of a window that goes away to the other, which goes on with it", async () => {
    const { id: other } = (await Cli.json(vs, ["task", "list", "--all"])).tasks.find(
      ({ title }: { readonly title: string }) => title === "Upgrade eslint"
    )
    await vs.killHost()
    await shows(second, "Upgrade eslint", "Interrupted: the process ended")
    vs.model.release("eslint")
    await Asks.run(second, "resume", other)
    await shows(second, "Upgrade eslint", "Done: Upgraded")
  })
})

describe("a reload of the window", () => {
  const row = (title: string) => vs.tree("Tasks").row(title)
  const lastRequest = () => JSON.stringify(vs.model.requests.at(-1)?.body)
  const inView = (title: string) =>
    View.find(vs.page, ({ frame }) => frame.locator("h1", { hasText: title }).isVisible())
  const idOf = async (wanted: string): Promise<TaskId.TaskId> => {
    const { tasks } = await Cli.json(vs, ["task", "list", "--all"])
    return tasks.find(({ title }: { readonly title: string }) => title === wanted)?.id
  }

  it("leaves a subtask that was stopped as it was: resumed later, it reports to its parent, which goes on", async () => {
    // A row that is not in sight is not in the page.
    await vs.page.setViewportSize({ width: 1280, height: 2200 })
    await vs.showTrees()
    await Asks.begin(vs, "Release 4.0")
    await shows(vs, "Write the notes", "Running")
    await vs.tree("Tasks").act("Write the notes", "Stop")
    await shows(vs, "Write the notes", "Interrupted: you stopped it")
    const notes = await idOf("Write the notes")
    await Asks.run(vs, "openConversationInEditor", notes)
    await inView("Write the notes")
    await Asks.begin(vs, "Release 5.0")
    await shows(vs, "Sign the build", "Running")
    await vs.tree("Tasks").act("Sign the build", "Stop")
    await shows(vs, "Sign the build", "Interrupted: you stopped it")
    const other = Cli.start(vs, ["run", "Watch the weather"])
    await shows(vs, "Watch the weather", "Running elsewhere")

    const before = await vs.host(() => process.pid)
    await vs.reload()
    // A parent is the one's that has it until that has ended, and would be stopped with it.
    await vi.waitFor(() => assert.throws(() => process.kill(before, 0)), { timeout: VSCode.patience })
    await shows(vs, "Write the notes", "Interrupted: you stopped it")
    await shows(vs, "Watch the weather", "Running elsewhere")
    vs.model.release("weather")
    assert.equal((await other.exit).code, 0)
    // What the editor shows again by itself is what it has saved by then.
    await Asks.run(vs, "openConversationInEditor", notes)
    const editor = await inView("Write the notes")
    await editor.frame.locator(".bar", { hasText: '"Release 4.0" is waiting for this result.' }).waitFor()
    await shows(vs, "Release 4.0", "Blocked")
    vs.model.release("notes")
    await vs.tree("Tasks").act("Write the notes", "Resume")
    await shows(vs, "Release 4.0", "Done: Released 4.0")
    assert.include(lastRequest(), "Noted the changes")
  })

  it("is over for a parent whose subtask has reported meanwhile: it says so, and asks that one for nothing", async () => {
    const taskId = await idOf("Sign the build")
    const owner = await Tasks.owner(vs.env["BELAY_HOME"] ?? "")
    await owner.commit([
      { _tag: "Lifecycle", request: { _tag: "Resume", taskId } },
      {
        _tag: "Lifecycle",
        request: { _tag: "Complete", taskId, attempt: 2, outcome: "succeeded", result: "Signed by hand" }
      }
    ])
    await owner.close()
    await row("Release 5.0").filter({ hasText: "Ready" }).click()
    const view = await inView("Release 5.0")
    await view.frame.locator(".bar", { hasText: "All subtasks have reported. Resume to go on." }).waitFor()
    const sent = vs.model.requests.length
    await view.frame.locator(".bar").getByRole("button", { name: "Resume", exact: true }).click()
    await view.row("Released 5.0").waitFor()
    assert.equal(vs.model.requests.length, sent + 1)
    assert.include(lastRequest(), "Signed by hand")
  })
})
