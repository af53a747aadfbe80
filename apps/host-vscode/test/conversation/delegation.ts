/** Subtasks in the views of their parent and their own. */
import { assert, it, vi } from "vitest"
import * as Lists from "../vscode/Lists.ts"
import { completes, task, use } from "../vscode/Scripts.ts"
import type { Place } from "./Place.ts"
import { patience } from "../vscode/VSCode.ts"

const part = (message: string) => ({ type: "tool_use" as const, name: "new_task", input: { message } })
const parts = ["Write the grammar", "Write the printer", "Write the guide"]

export const tasks = [
  task("Cut 3.0", { content: parts.map(part) }, completes("Was cut")),
  ...parts.map((title) => task(title, { ...completes(`${title}: it is done`), hold: title })),
  task("Count to three", completes("Was counted")),
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

  it("stops a task with its subtasks from its own view, restarts one, and keeps their order while they report", async () => {
    const { begin, title, view, vs, wellFormed } = place
    const card = view.frame.locator(".subtasks")
    const bar = view.frame.locator(".bar", { hasText: 'Stopped "Cut 3.0" and 3 subtasks. Nothing was lost.' })
    const states = (): Promise<ReadonlyArray<string>> =>
      card
        .locator("li")
        .evaluateAll((all) =>
          all.map((one) => [".name", ".word"].map((part) => one.querySelector(part)?.textContent).join(": "))
        )
    const shows = (...expected: ReadonlyArray<string>) =>
      vi.waitFor(async () => assert.deepEqual(await states(), expected), patience)
    const asked = (prompt: string): number =>
      vs.model.requests.filter(({ body }) => JSON.stringify(body.messages[0]).includes(prompt)).length
    const [grammar, printer, guide] = ["Write the grammar", "Write the printer", "Write the guide"] as const

    const id = await begin("Cut 3.0")
    await title("Cut 3.0")
    await shows(`${grammar}: Running`, `${printer}: Running`, `${guide}: Running`)
    await vs.model.waitForRequests(() => parts.every((part) => asked(part) === 1))
    await card.getByRole("button", { name: `Stop ${printer}` }).click()
    await card.getByRole("button", { name: `Restart… ${printer}` }).click()
    await Lists.press(vs, "Start a new subtask with the same instructions")
    const all = [`${grammar}: Running`, `${printer}: Interrupted`, `${guide}: Running`, `${printer}: Running`]
    await shows(...all)
    await card.locator("li", { hasText: "It was restarted: the new one reports." }).waitFor()
    await vs.model.waitForRequests(() => asked(printer) === 2)

    await view.frame.locator(".composer").getByRole("button", { name: "Stop", exact: true }).click()
    await bar.waitFor()
    await wellFormed()
    const before = parts.map(asked)
    // Time enough for another task to run to its end.
    await begin("Count to three")
    await view.row("Was counted").waitFor()
    assert.deepEqual(parts.map(asked), before)
    await vs.host(async (vscode, task) => void (await vscode.commands.executeCommand("belay.openTask", task)), id)
    await title("Cut 3.0")
    await bar.getByRole("button", { name: "Resume all" }).click()
    await shows(...all)
    for (const [at, part] of [guide, printer, grammar].entries()) {
      vs.model.release(part)
      await card.getByText(`${at + 1} of 3 reported`).waitFor()
    }
    await shows(`${grammar}: Done`, `${printer}: Interrupted`, `${guide}: Done`, `${printer}: Done`)
    await view.row("Was cut").waitFor()
    const told = JSON.stringify(
      vs.model.requests.findLast(({ body }) => JSON.stringify(body).includes("Cut 3.0"))?.body
    )
    for (const part of parts) assert.include(told, `${part}: it is done`)
    assert.isBelow(told.indexOf(`${grammar}: it is done`), told.indexOf(`${guide}: it is done`))
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
