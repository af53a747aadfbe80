import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Scripts from "./vscode/Scripts.ts"
import * as VSCode from "./vscode/VSCode.ts"

describe("a folder that is not trusted", () => {
  let vs: VSCode.VSCode

  beforeAll(async () => {
    vs = await VSCode.open({
      trust: "ask",
      settings: {
        "security.workspace.trust.startupPrompt": "never",
        "belay.approvals.commands": { allow: ["ls"], deny: [], other: "allow" }
      },
      tasks: [
        Scripts.task("Look around", Scripts.use("execute_command", { command: "ls" }), Scripts.completes("Looked"))
      ]
    })
    await vs.until("the extension", (vscode) => vscode.extensions.getExtension("belay.belay")?.isActive || undefined)
    await vs.showTrees()
  })
  afterAll(() => vs.close())

  it("is said to be restricted, and lets no command run without asking, whatever the settings allow elsewhere", async () => {
    assert.isFalse(await vs.host((vscode) => vscode.workspace.isTrusted))
    await vs.page.locator(".statusbar-item", { hasText: "Restricted" }).first().waitFor()
    await vs.page.locator('.statusbar-item[id$="belay.tasks"]', { hasText: "Restricted" }).waitFor()
    await vs.host(async (vscode) => void (await vscode.commands.executeCommand("belay.newTask", "Look around")))
    await vs.tree("Tasks").row("Look around").filter({ hasText: "Needs you" }).waitFor()
    assert.equal(vs.model.requests.length, 1)
  })
})
