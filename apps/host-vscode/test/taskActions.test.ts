import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Cli from "./vscode/Cli.ts"
import * as Lists from "./vscode/Lists.ts"
import { completes, task, use, writes } from "./vscode/Scripts.ts"
import * as VSCode from "./vscode/VSCode.ts"

const part = (message: string) => ({ type: "tool_use" as const, name: "new_task", input: { message } })

describe("what a person does with a task in the tree", () => {
  let vs: VSCode.VSCode

  const begin = (prompt: string): Promise<unknown> =>
    vs.host(async (vscode, text) => vscode.commands.executeCommand("belay.newTask", text), prompt)
  const run = (command: string, id: string): Promise<void> =>
    vs.host(async (vscode, name, given) => void (await vscode.commands.executeCommand(name, given)), command, id)
  const row = (title: string, state: string) => vs.tree("Tasks").row(title).filter({ hasText: state })
  const listed = async (): Promise<ReadonlyArray<any>> => (await Cli.json(vs, ["task", "list", "--all"])).tasks
  const idOf = async (title: string): Promise<string> => (await listed()).find((found) => found.title === title)?.id
  /** A command that puts something to the person. */
  const ask = async (command: string, title: string): Promise<void> => void run(command, await idOf(title))
  const dialog = () => vs.page.locator(".monaco-dialog-box")

  beforeAll(async () => {
    vs = await VSCode.open({
      settings: { "files.autoSave": "off" },
      tasks: [
        task(
          "Release 2.0",
          { content: [part("Write the parser"), part("Wire the CLI")] },
          completes("Released"),
          completes("Went on from there")
        ),
        task("Write the parser", { ...completes("Parsed"), hold: "parts" }),
        task("Wire the CLI", { ...completes("Wired"), hold: "parts" }),
        task("Elsewhere", { content: [part("Stuck part"), part("Busy part")] }, completes("Went on")),
        task("Stuck part", use("ask_followup_question", { question: "Which?" })),
        task("Change files", writes("a.txt", "one"), completes("Changed")),
        task("Busy part", { ...completes("Busy no more"), hold: "busy" })
      ]
    })
    await vs.page.context().grantPermissions(["clipboard-read", "clipboard-write"])
    await vs.page.setViewportSize({ width: 1280, height: 2200 })
    await vs.showTrees()
  })
  afterAll(() => vs.close())

  it("a stop of a parent stops its running subtasks, and a second one changes and says nothing", async () => {
    await begin("Release 2.0")
    await row("Write the parser", "Running").waitFor()
    await row("Wire the CLI", "Running").waitFor()
    const id = await idOf("Release 2.0")
    await Promise.all([run("belay.stopTree", id), run("belay.stop", id)])
    await run("belay.stop", id)
    await row("Release 2.0", "Interrupted: you stopped it").waitFor()
    await row("Write the parser", "Interrupted: its parent was stopped").waitFor()
    await row("Wire the CLI", "Interrupted: its parent was stopped").waitFor()
    await vs.page.locator(".statusbar", { hasText: 'Stopped "Release 2.0"' }).waitFor()
    assert.equal(await interruptions(id), 1)
    assert.equal(await vs.page.locator(".notification-toast, .notification-list-item").count(), 0)
  })

  /** How often a task was interrupted. */
  const interruptions = async (id: string): Promise<number> => {
    const watch = Cli.start(vs, ["task", "watch", id, "--output", "stream-json"])
    watch.endInput()
    const { stdout } = await watch.exit
    return stdout
      .map((line) => JSON.parse(line))
      .filter(({ taskId, to, type }) => taskId === id && type === "task.status" && to === "interrupted").length
  }

  it("a rename keeps the id, the link to the parent and the order", async () => {
    const before = await Cli.json(vs, ["task", "tree", await idOf("Release 2.0")])
    await ask("belay.renameTask", "Write the parser")
    await vs.input("Write the grammar")
    await vs.tree("Tasks").row("Write the grammar").waitFor()
    const after = await Cli.json(vs, ["task", "tree", await idOf("Release 2.0")])
    const shape = ({ children }: any) => children.map((child: any) => [child.id, child.parentId])
    assert.deepEqual(shape(after), shape(before))
    assert.deepEqual(
      after.children.map((child: any) => child.title),
      ["Write the grammar", "Wire the CLI"]
    )
  })

  it("its id and its link are copied", { timeout: 60_000 }, async () => {
    const id = await idOf("Wire the CLI")
    await run("belay.copyId", id)
    assert.equal(await vs.host(async (vscode) => vscode.env.clipboard.readText()), id)
    await run("belay.copyLink", id)
    assert.match(
      await vs.host(async (vscode) => vscode.env.clipboard.readText()),
      new RegExp(`://belay\\.belay/task/${id}$`)
    )
  })

  it("all that stopped in a tree goes on from any of its rows", async () => {
    vs.model.release("parts")
    await run("belay.resumeAll", await idOf("Wire the CLI"))
    await row("Release 2.0", "Done: Released").waitFor()
  })

  it("a completed one goes on in a new task", async () => {
    await ask("belay.continueTask", "Release 2.0")
    await vs.input("And then some")
    await row("And then some", "Done: Went on from there").waitFor()
  })

  it("a deletion names the subtasks, and Escape deletes nothing", async () => {
    const id = await idOf("Release 2.0")
    const files = path.join(vs.env["BELAY_HOME"] ?? "", "tasks", id)
    mkdirSync(files, { recursive: true })
    writeFileSync(path.join(files, "notes.md"), "")
    await vs.tree("Tasks").row("Done: Released").click()
    await vs.page.keyboard.press("Delete")
    await dialog().filter({ hasText: 'Delete "Release 2.0" and its 2 subtasks?' }).waitFor()
    const text = await dialog().innerText()
    for (const name of ["Write the grammar", "Wire the CLI", "Files in your workspace stay as they are."]) {
      assert.include(text, name)
    }
    await vs.page.keyboard.press("Escape")
    await dialog().waitFor({ state: "detached" })
    assert.equal(await idOf("Release 2.0"), id)

    await ask("belay.deleteTask", "Release 2.0")
    await dialog().getByRole("button", { name: "Delete" }).click()
    await vs.tree("Tasks").row("Done: Released").waitFor({ state: "detached" })
    assert.isFalse(existsSync(files))
    assert.isUndefined(await idOf("Release 2.0"))
  })

  it("one that runs here is stopped before it is deleted", async () => {
    await begin("Busy part")
    await row("Busy part", "Running").waitFor()
    await ask("belay.deleteTask", "Busy part")
    await dialog().filter({ hasText: "Stop it first." }).waitFor()
    await dialog().getByRole("button", { name: "Stop and delete" }).click()
    await vs.tree("Tasks").row("Busy part").waitFor({ state: "detached" })
  })

  it("a subtask that another process waits for is abandoned by that process, which goes on", async () => {
    const other = Cli.start(vs, ["run", "Elsewhere", "--output", "stream-json"])
    await other.waitForLine((line) => line.includes('"to":"interrupted"'))
    await row("Busy part", "Running elsewhere").waitFor()
    await ask("belay.abandonSubtask", "Stuck part")
    await dialog().getByRole("button", { name: "Abandon subtask" }).click()
    await dialog().waitFor({ state: "detached" })
    await other.waitForLine((line) => line.includes('"outcome":"abandoned"'))
    vs.model.release("busy")
    await row("Elsewhere", "Done: Went on").waitFor()
    assert.equal((await other.exit).code, 0)
  })

  it("its files are compared with before a turn, and taken back unless somebody is writing in them", async () => {
    const file = path.join(vs.workspace, "a.txt")
    const read = (): string => readFileSync(file, "utf8")
    writeFileSync(file, "zero")
    const { status, taskId } = await Cli.json(vs, ["run", "Change files", "--approvals", "edits"])
    assert.deepEqual([status, read()], ["completed", "one"])
    void run("belay.compareCheckpoint", taskId)
    await Lists.press(vs, "1 file changed")
    const compared = vs.page.locator(".multiDiffEntry").first()
    await compared.filter({ hasText: "zero" }).filter({ hasText: "one" }).waitFor()

    const restore = async (): Promise<void> => {
      void run("belay.restoreCheckpoint", taskId)
      await Lists.press(vs, "1 file changed")
      await Lists.press(vs, "Files and conversation")
    }
    const type = (text: string) =>
      vs.host(
        async (vscode, [name, wanted]) => {
          const document = await vscode.workspace.openTextDocument(vscode.Uri.file(name))
          const edit = new vscode.WorkspaceEdit()
          edit.insert(document.uri, new vscode.Position(0, 0), wanted)
          await vscode.workspace.applyEdit(edit)
        },
        [file, text] as const
      )
    await type("mine ")
    await restore()
    await vs.notification("a.txt has changes that are not saved. Save or revert it first.")
    assert.equal(read(), "one")

    await vs.host(async (vscode) => vscode.workspace.saveAll())
    await restore()
    const asks = dialog().filter({ hasText: "Restore 1 file to" })
    await asks.filter({ hasText: "1 of them (a.txt) was changed by you since." }).waitFor()
    await asks.getByRole("button", { name: "Restore" }).click()
    await vs.notification("Restored to")
    assert.equal(read(), "zero")
    await vs.page.locator(".notifications-center").getByRole("button", { name: "Undo restore" }).click()
    const isBack = async (vscode: typeof import("vscode"), name: string) =>
      new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.file(name))) === "mine one"
    while (!(await vs.host(isBack, file))) await Cli.json(vs, ["task", "list"])
  })
})
