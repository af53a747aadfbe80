/** Subtasks in the views of their parent and their own. */
import { assert, it } from "vitest"
import * as Lists from "../vscode/Lists.ts"
import { completes, task, use } from "../vscode/Scripts.ts"
import type { Place } from "./Place.ts"

export const tasks = [
  task("Spend", use("new_task", { message: "Look around" }), completes("Spent")),
  task("Look around", use("list_files", { path: "." }), completes("Looked")),
  task("Release 2.0", use("new_task", { message: "Write the docs" }), completes("Released")),
  task("Write the docs", { ...completes("Documented"), hold: "docs" })
]

export const stories = (place: Place): void => {
  it("shows a subtask that stopped on both sides, each with the ways on, and goes on from the parent", async () => {
    const { begin, title, view, vs, wellFormed } = place
    await begin("Release 2.0")
    await title("Release 2.0")
    const card = view.frame.locator(".subtasks li", { hasText: "Write the docs" })
    await card.getByText("Running").waitFor()
    await card.getByRole("button", { name: "Stop Write the docs" }).click()
    await card.getByText("This task waits for its result.").waitFor()
    await view.frame
      .locator(".bar", { hasText: 'Waiting for "Write the docs", which was interrupted (you stopped it).' })
      .waitFor()
    await wellFormed()
    await card.getByRole("button", { name: "Open Write the docs" }).click()
    await title("Write the docs")
    await view.frame.locator(".bar", { hasText: '"Release 2.0" is waiting for this result.' }).waitFor()
    await wellFormed()
    await view.frame.getByRole("navigation").getByRole("button", { name: "Release 2.0" }).click()
    await title("Release 2.0")
    vs.model.release("docs")
    await view.button("Resume subtask").click()
    await view.row("Released").waitFor()
    await card.getByText("Documented").waitFor()
  })

  it("asks at a limit in the view of the tree and in that of the subtask that came to it, and one answer is for both", async () => {
    const { begin, inEditor, title, view, vs } = place
    const most = (requests: number | undefined) =>
      vs.host(async (vscode, given) => {
        const config = vscode.workspace.getConfiguration("belay")
        // On its way here nothing becomes null.
        await config.update("budget.maxRequests", given ?? undefined, vscode.ConfigurationTarget.Global)
      }, requests)
    await most(2)
    await begin("Spend")
    await title("Spend")
    await view.dock.getByText("2 of 2 requests used").first().waitFor()
    const sent = vs.model.requests.length
    const id = await view.frame.locator(".subtasks li").getAttribute("data-task")
    const leaf = await inEditor(id ?? "")
    await leaf.dock.getByText("2 of 2 requests used").first().waitFor()
    // Whose limit it is.
    await leaf.dock.getByText("Spend", { exact: true }).waitFor()
    const [root, below] = await Promise.all([view, leaf].map(({ dock }) => dock.getAttribute("data-ask")))
    assert.equal(root, below)
    assert.equal(vs.model.requests.length, sent)
    await leaf.frame.locator(".dock:not(.waits)").waitFor()
    await leaf.button("Answer…").click()
    await Lists.press(vs, "Raise the limit to 4 requests and resume")
    await Promise.all([view, leaf].map(({ dock }) => dock.waitFor({ state: "detached" })))
    await leaf.row("Looked").waitFor()
    await view.row("Spent").waitFor()
    await most(undefined)
    await vs.host(async (vscode) => void (await vscode.commands.executeCommand("workbench.action.closeAllEditors")))
  })
}
