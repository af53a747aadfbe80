/** What a task asks, and what answers it. */
import { assert, it } from "vitest"
import { completes, task, use } from "../vscode/Scripts.ts"
import { dot } from "./dot.ts"
import type { Place } from "./Place.ts"

const names = ["Overview", "Types", "Files", "Functions", "Classes", "Dependencies", "Testing", "Implementation order"]
const sections = Object.fromEntries(names.map((name) => [name, `About ${name}.`]))
const handsOver = use("hand_over", { steps: ["Write the lexer", "Test it"] })

export const tasks = [
  task("Add a lexer", use("save_plan", { sections }), handsOver, handsOver),
  task("Refer to @implementation_plan.md", completes("Built the lexer"))
]

export const stories = (place: Place): void => {
  it("takes what is said while a plan waits as its answer, with its image, and hands over when the button is pressed", async () => {
    const { armed, begin, title, view, vs } = place
    const tasks = () => vs.tree("Tasks").row("Done: Built the lexer")
    await begin("/deep-planning Add a lexer")
    await title("Add a lexer")
    const start = view.dock.getByRole("button", { name: "Start the implementation" })
    await view.dock.getByText("implementation_plan.md").first().waitFor()
    await armed()
    await vs.page.keyboard.press("1")
    await start.waitFor()
    await view.dock.getByText("Write the lexer").waitFor()
    await view.frame.getByRole("region", { name: "Planning 4 of 4: hand-over" }).waitFor()
    const first = await view.dock.getAttribute("data-ask")
    const asked = vs.model.requests.length
    await view.give("paste", "dot.png", dot)
    await view.frame.locator(".attachments img").waitFor()
    await view.send("Begin with its tests")
    await vs.model.waitForRequests(asked + 1)
    const answer = JSON.stringify(vs.model.requests.at(-1)?.body.messages.at(-1))
    for (const part of ["tool_result", "Begin with its tests", dot]) assert.include(answer, part)
    await view.frame.locator(`.dock:not([data-ask="${first}"])`).waitFor()
    assert.equal(await view.frame.locator(".queue").count(), 0)
    assert.equal(await tasks().count(), 0)
    await armed()
    await start.click()
    await tasks().waitFor()
  })
}
