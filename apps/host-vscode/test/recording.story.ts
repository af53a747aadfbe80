import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, beforeAll, describe, it } from "vitest"
import * as Looks from "./vscode/Looks.ts"
import { completes, replaces, task, use } from "./vscode/Scripts.ts"
import * as View from "./vscode/View.ts"
import * as VSCode from "./vscode/VSCode.ts"

const folder = path.resolve(import.meta.dirname, "../.cache/pictures/recording")

const says = (text: string) => ({ type: "text" as const, text })

const plan = `I split this into two parts:

1. **Parser**: tokens and tests, in \`src/parse.ts\`
2. **Docs**: a subtask, so that both can go on by themselves

The parser comes first.`

/** A minute of a person's work, picture by picture; `pictures.ts` makes one moving picture of them. */
describe("the recording", () => {
  let vs: VSCode.VSCode
  let view: View.View
  let taken = 0

  /** What the window shows now, for so many ms. */
  const shows = async (ms: number): Promise<void> => {
    const name = `${String(taken).padStart(3, "0")}-${ms}.png`
    taken += 1
    writeFileSync(path.join(folder, name), await vs.page.screenshot({ animations: "disabled", caret: "initial" }))
  }
  const types = async (text: string): Promise<void> => {
    await view.composer.focus()
    for (const part of text.match(/.{1,9}/gu) ?? []) {
      await vs.page.keyboard.type(part)
      await shows(300)
    }
  }
  const answered = async (place: number): Promise<void> => {
    await view.dock.locator("h2").focus()
    await view.frame.locator(".dock:not(.waits)").waitFor()
    await vs.page.keyboard.press(String(place))
    await view.dock.waitFor({ state: "detached" })
  }

  beforeAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    vs = await VSCode.open({
      files: { "src/parse.ts": "export const parse = (text: string) => text.split(' ')\n" },
      tasks: [
        task(
          "Release 2.0",
          {
            content: [
              says(plan),
              ...(replaces("src/parse.ts", "text.split(' ')", "text.trim().split(/\\s+/u)").content ?? [])
            ],
            hold: "plan",
            holdAt: 9
          },
          use("execute_command", { command: "npm test" }),
          use("new_task", { message: "Write the docs" }),
          completes("Released: the parser is done, and the docs are written.")
        ),
        task("Write the docs", { ...completes("Docs in docs/parser.md"), hold: "docs" })
      ]
    })
    await vs.page.setViewportSize({ width: 1100, height: 900 })
    await vs.showTrees()
    view = await View.find(vs.page)
    await Looks.wear(vs, "dark", view)
    await Looks.widen(vs, 480)
    await Looks.lengthen(vs, "Tasks", 180)
  })
  afterAll(() => vs.close())

  it("shows a task, its answers, its subtask, the end of the window in the midst of it, and how it goes on", async () => {
    await view.frame.getByText("What would you like to do?").first().waitFor()
    await shows(3000)
    await types("Release 2.0: parser and docs")
    await shows(1000)
    await vs.page.keyboard.press("Enter")
    await view.frame.getByTestId("live").waitFor()
    await shows(3500)
    vs.model.release("plan")
    await view.dock.getByText("src/parse.ts").first().waitFor()
    await view.frame.locator(".dock:not(.waits)").waitFor()
    await shows(6000)
    await view.dock.getByText("Review", { exact: true }).click()
    await vs.page.locator('.editor-actions a[aria-label^="Reject"]').first().waitFor()
    await shows(6000)
    await answered(1)
    await view.dock.getByText("npm test").first().waitFor()
    await view.frame.locator(".dock:not(.waits)").waitFor()
    await shows(6000)
    await answered(1)
    const card = view.frame.locator(".subtasks li", { hasText: "Write the docs" })
    await card.getByText("Running").waitFor()
    await shows(5000)
  })

  it("goes on after the window has ended", async () => {
    await vs.killHost()
    await vs.showTrees()
    view = await View.find(vs.page)
    await view.frame.locator(".bar", { hasText: "Waiting for" }).waitFor()
    await shows(7000)
    await view.button("Resume subtask").click()
    await view.frame.locator(".subtasks li", { hasText: "Running" }).waitFor()
    await shows(4500)
    vs.model.release("docs")
    await view.row("Released").waitFor()
    await vs.tree("Tasks").row("Release 2.0").filter({ hasText: "Done" }).waitFor()
    await shows(7000)
  })

  it("finds what was done", async () => {
    await vs.host((vscode) => void vscode.commands.executeCommand("belay.searchTasks"))
    const box = vs.page.locator(".quick-input-widget:visible")
    await box.locator("input").fill("parser")
    await box.locator(".monaco-list-row", { hasText: "Release 2.0" }).first().waitFor()
    await shows(6000)
    await vs.page.keyboard.press("Escape")
    await box.waitFor({ state: "detached" })
    await shows(3500)
  })
})
