import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Looks from "./vscode/Looks.ts"
import * as PlainView from "./vscode/PlainView.ts"
import { replaces, task, use } from "./vscode/Scripts.ts"
import * as States from "./vscode/States.ts"
import * as Tasks from "./vscode/Tasks.ts"
import * as View from "./vscode/View.ts"
import * as VSCode from "./vscode/VSCode.ts"

const folder = path.resolve(import.meta.dirname, "../.cache/pictures/themes")

/** Pixels of the window beside an editor. */
const beside = 48

/** For people to look at: every state in every kind of theme. Nothing compares them. */
describe("the pictures", () => {
  let vs: VSCode.VSCode
  let live: Tasks.Owner

  const row = (title: string, state: string) => vs.tree("Tasks").row(title).filter({ hasText: state })

  const take = async (state: string): Promise<void> => {
    for (const name of Looks.names) {
      await Looks.wear(vs, name)
      await vs.page.screenshot({ path: path.join(folder, `${state}-${name}.png`), animations: "disabled" })
    }
  }

  beforeAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    vs = await VSCode.open({
      files: { "src/cli.ts": "export const main = () => undefined\n" },
      tasks: [
        task("Wire the CLI", replaces("src/cli.ts", "undefined", "0")),
        task("Upgrade eslint", { ...use("attempt_completion", { result: "Upgraded" }), hold: "eslint" })
      ]
    })
    await vs.page.setViewportSize({ width: 1000, height: 760 })
    await vs.showTrees()
  })
  afterAll(async () => {
    await live?.close()
    await vs.close()
  })

  it("show an empty history", async () => {
    await vs.tree("Tasks").root.getByText("No tasks yet.").waitFor()
    await take("empty")
  })

  it("show tasks that run, wait for a person, are blocked, stopped and done", async () => {
    live = await Tasks.owner(vs.env["BELAY_HOME"] ?? "")
    await live.commit(Tasks.started(3, "Release 2.0"), Tasks.delegated(3, 4, "Update the docs"))
    await live.commit(Tasks.begun(4), Tasks.stopped(4))
    await live.commit(Tasks.started(6, "Move to pnpm"), Tasks.stopped(6))
    await live.commit(Tasks.started(7, "Fix the flaky test"), Tasks.ended(7, "succeeded"))
    await live.close()
    live = await Tasks.owner(vs.env["BELAY_HOME"] ?? "")
    await live.commit(Tasks.started(10, "Release 3.0"), Tasks.delegated(10, 11, "Publish"))
    await live.commit(Tasks.begun(11), Tasks.question(11, "Run npm publish?"))
    await vs.host((vscode) => vscode.commands.executeCommand("belay.newTask", "Upgrade eslint"))
    await row("Upgrade eslint", "Running").waitFor()
    await row("Release 2.0", "Blocked").waitFor()
    await row("Release 3.0", "subtask needs you").waitFor()
    await take("tasks")
  })

  it("show an approval and the conversation that it belongs to", async () => {
    await vs.host((vscode) => vscode.commands.executeCommand("belay.newTask", "Wire the CLI"))
    await row("Wire the CLI", "Needs you").click()
    const view = await View.find(vs.page)
    await view.frame.locator("h1", { hasText: "Wire the CLI" }).waitFor()
    await vs.tree("Needs you").row("cli.ts").click()
    await vs.page.keyboard.press("ArrowRight")
    await vs.tree("Needs you").row("Why asked").waitFor()
    await vs.tree("Needs you").row("cli.ts").hover()
    await take("approval")
  })

  it("show the review of an edit", async () => {
    await vs.tree("Needs you").act("cli.ts", "Review changes")
    await vs.page.locator('.editor-actions a[aria-label^="Reject"]').first().waitFor()
    await take("review")
  })

  it("show a search", async () => {
    await vs.host((vscode) => void vscode.commands.executeCommand("belay.searchTasks"))
    const box = vs.page.locator(".quick-input-widget:visible")
    await box.locator("input").fill("rel")
    await box.locator(".monaco-list-row", { hasText: "Release 3.0" }).first().waitFor()
    await take("search")
    await vs.page.keyboard.press("Escape")
  })

  it("show every state of a conversation, narrow and wide", async () => {
    await vs.host(async (vscode) => {
      await vscode.commands.executeCommand("workbench.action.closeAllEditors")
      await vscode.commands.executeCommand("belay.openConversationInEditor")
      await vscode.commands.executeCommand("workbench.action.closeSidebar")
    })
    const view = await View.inEditor(vs.page)
    const read = `Object.fromEntries(${JSON.stringify(PlainView.variables)}.flatMap((name) => {
      const value = getComputedStyle(document.documentElement).getPropertyValue(name).trim()
      return value === "" ? [] : [[name, value]]
    }))`
    const values: Record<string, unknown> = {}
    for (const width of [220, 1200]) {
      await vs.page.setViewportSize({ width: width + beside, height: 900 })
      for (const theme of Looks.names) {
        await Looks.wear(vs, theme, view)
        values[theme] = await view.frame.evaluate(read)
        for (const [name, state] of States.all) {
          await Looks.enter(view, state)
          const clip = await view.place.boundingBox()
          const file = path.join(folder, `view-${name}-${theme}-${width}.png`)
          await vs.page.screenshot({ path: file, animations: "disabled", ...(clip === null ? {} : { clip }) })
        }
      }
    }
    writeFileSync(PlainView.file, `${JSON.stringify(values, null, 2)}\n`)
  })

  it("have no faults in the editor itself", async () => {
    const view = await View.find(vs.page)
    assert.deepEqual(await Looks.faults(vs.page, view, (theme) => Looks.wear(vs, theme, view)), [])
  })
})
