import { readFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { completes, task, writes } from "./vscode/Scripts.ts"
import * as View from "./vscode/View.ts"
import * as VSCode from "./vscode/VSCode.ts"

describe("the conversation", () => {
  let vs: VSCode.VSCode
  let view: View.View

  beforeAll(async () => {
    vs = await VSCode.open({
      tasks: [task("Write the parser", writes("parse.ts", "export {}\n"), completes("Wrote **parse.ts**"))]
    })
    await vs.showTrees()
    view = await View.find(vs.page)
  })
  afterAll(() => vs.close())

  it("begins with a message, asks outside of it, and goes on with the answer", async () => {
    await view.frame.getByText("What is to be done?").first().waitFor()
    await view.send("Write the parser")
    await view.frame.locator("h2", { hasText: "Write the parser" }).waitFor()
    await view.dock.getByText("Write parse.ts").waitFor()
    await view.dock.locator("h3").focus()
    await view.frame.locator(".dock:not(.waits)").waitFor()
    await vs.page.keyboard.press("1")
    await view.dock.waitFor({ state: "detached" })
    await view.row("Wrote parse.ts").waitFor()
    assert.equal(readFileSync(path.join(vs.workspace, "parse.ts"), "utf8"), "export {}\n")
  })
})
