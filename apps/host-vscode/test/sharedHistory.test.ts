import { Attention } from "@belay/history-store"
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Asks from "./vscode/Asks.ts"
import * as Cli from "./vscode/Cli.ts"
import { completes, task, writes } from "./vscode/Scripts.ts"
import * as VSCode from "./vscode/VSCode.ts"

let vs: VSCode.VSCode

beforeAll(async () => {
  vs = await VSCode.open({
    home: { "attention.json": Attention.format({ tasks: 3, asks: 4, interrupted: 0, oldest: [] }) },
    tasks: [
      task("Cut a draft", writes("draft.md", "2.0\n"), completes("Drafted")),
      task("Cut the release", writes("release.md", "2.0\n"), completes("Released")),
      task("Tidy up", completes("Tidied")),
      task("Fix the flaky test", { ...completes("Fixed"), hold: "flaky" }),
      task("Write the parser", writes("parse.ts", "export {}\n"), { ...completes("Wrote parse.ts"), hold: "parser" }),
      task("Upgrade eslint", { ...completes("Upgraded"), hold: "eslint" })
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
    const deletion = Cli.start(vs, ["task", "delete", "last"])
    deletion.endInput()
    assert.equal((await deletion.exit).code, 0)
    await vs.tree("Tasks").row("Cut a draft").waitFor({ state: "detached" })
  })
})

describe("a history that several share", () => {
  it("shows a task that the command line started, and answers it there", async () => {
    const run = Cli.start(vs, ["run", "Cut the release", "--input", "stream-json", "--output", "stream-json"])
    const row = vs.tree("Tasks").row("Cut the release")
    await row.filter({ hasText: "Needs you" }).waitFor()
    await vs.tree("Needs you").act("release.md", "Allow once")
    await row.filter({ hasText: "Done: Released" }).waitFor()
    const { code, stdout } = await run.exit
    assert.equal(code, 0)
    const settled = stdout.map((line) => JSON.parse(line)).filter(({ type }) => type === "ask.settled")
    assert.deepInclude(settled[0], { decision: "allow", by: "vscode" })
  })

  it("shows its own tasks to the command line", async () => {
    await vs.command("Belay: New task")
    await vs.input("Tidy up")
    await vs.tree("Tasks").row("Tidy up").filter({ hasText: "Done: Tidied" }).waitFor()
    const { tasks } = await Cli.json(vs, ["task", "list", "--all"])
    const titles = tasks.map(({ title }: { readonly title: string }) => title)
    assert.sameMembers(titles, ["Cut the release", "Tidy up"])
  })

  it("lets the command line follow a task that runs in the editor, event by event", async () => {
    const id = await Asks.begin(vs, "Fix the flaky test")
    const watch = Cli.start(vs, ["task", "watch", id, "--output", "stream-json"])
    await watch.waitForLine(() => true)
    assert.isUndefined(watch.stdout.find((line) => line.includes("task.completed")))
    vs.model.release("flaky")
    await watch.waitForLine((line) => line.includes("task.completed"))
    assert.equal((await watch.exit).code, 0)
    const seqs = watch.stdout.map((line) => JSON.parse(line).seq)
    assert.deepEqual(
      seqs,
      seqs.map((_, index) => index + 1)
    )
  })

  describe("with a second window", () => {
    let second: VSCode.OpenWindow
    let id: string

    const state = (window: VSCode.OpenWindow, title: string, text: string) =>
      window.tree("Tasks").row(title).filter({ hasText: text }).waitFor()
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
      await state(vs, "Write the parser", "Running")
      await state(second, "Write the parser", "Running elsewhere")
      assert.include(await offers(vs, id), " stop ")
      for (const action of ["stop", "resume", "delete"]) assert.notInclude(await offers(second, id), ` ${action} `)
      await Asks.run(second, "openTaskInEditor", id)
      vs.model.release("parser")
      await second.until("the text", (vscode) =>
        vscode.window.activeTextEditor?.document.getText().includes("Wrote parse.ts") === true ? true : undefined
      )
      await Promise.all([vs, second].map((window) => state(window, "Write the parser", "Done: Wrote parse.ts")))
    })

    it("switches the mode of the one task that is meant, in whichever window", async () => {
      const other = await Asks.begin(vs, "Upgrade eslint")
      await state(second, "Upgrade eslint", "Running elsewhere")
      await Asks.run(second, "toggleMode", other)
      assert.deepEqual(await Promise.all([modeOf(other), modeOf(id)]), ["plan", "act"])
      await Asks.run(vs, "toggleMode", other)
    })

    it("leaves a task of a window that goes away to the other, which goes on with it", async () => {
      const { id: other } = (await Cli.json(vs, ["task", "list", "--all"])).tasks.find(
        ({ title }: { readonly title: string }) => title === "Upgrade eslint"
      )
      await vs.killHost()
      await state(second, "Upgrade eslint", "Interrupted: the process ended")
      vs.model.release("eslint")
      await Asks.run(second, "resume", other)
      await state(second, "Upgrade eslint", "Done: Upgraded")
    })
  })

  it("of a newer version is only read: its tasks are shown, and what would write says why it does not", async () => {
    const file = path.join(vs.env["BELAY_HOME"] ?? "", "belay.db")
    const database = new DatabaseSync(file)
    database.exec("PRAGMA user_version = 99")
    const events = () => database.prepare("SELECT count(*) AS n FROM task_event").get()
    const before = events()
    await vs.reload()
    const line = "This history was written by a newer Belay"
    await vs.page.locator(".tree-explorer-viewlet-tree-view .message", { hasText: line }).waitFor()
    await vs.tree("Tasks").row("Tidy up").filter({ hasText: "Done: Tidied" }).waitFor()
    const id = await vs.host((vscode) => vscode.commands.executeCommand("belay.newTask", "Tidy up"))
    assert.isNull(id ?? null)
    await vs.notification("It is open read-only: update Belay to go on.")
    assert.deepEqual(events(), before)
    database.close()
  })
})
