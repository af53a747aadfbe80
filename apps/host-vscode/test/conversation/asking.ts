/** What a task asks, and what answers it. */
import { assert, it } from "vitest"
import { completes, task, use } from "../vscode/Scripts.ts"
import { dot } from "./dot.ts"
import type { Place } from "./Place.ts"

const plans = (response: string) => use("plan_mode_respond", { response })

const names = ["Overview", "Types", "Files", "Functions", "Classes", "Dependencies", "Testing", "Implementation order"]
const sections = Object.fromEntries(names.map((name) => [name, `About ${name}.`]))
const handsOver = use("hand_over", { steps: ["Write the lexer", "Test it"] })

export const tasks = [
  task("Publish it", use("execute_command", { command: "npm publish" }), completes("Not published")),
  task("Plan it", plans("A first plan"), plans("A second plan"), completes("Acted on it")),
  task("Add a lexer", use("save_plan", { sections }), handsOver, handsOver),
  task("Refer to @implementation_plan.md", completes("Built the lexer"))
]

export const stories = (place: Place): void => {
  it("takes what is said while a plan waits as its answer, with its image, and asks again with the next plan", async () => {
    const { armed, begin, title, view, vs } = place
    await begin("/plan Plan it")
    await title("Plan it")
    await view.dock.getByText("A first plan").first().waitFor()
    await view.give("paste", "dot.png", dot)
    await view.frame.locator(".attachments img").waitFor()
    await view.send("Keep the API")
    await view.dock.getByText("A second plan").first().waitFor()
    assert.equal(await view.frame.locator(".queue").count(), 0)
    const answer = JSON.stringify(vs.model.requests.at(-1)?.body.messages.at(-1))
    for (const part of ["tool_result", "Keep the API", dot]) assert.include(answer, part)
    await armed()
    await view.dock.getByRole("button", { name: "Switch to Act and start" }).click()
    await view.row("Acted on it").waitFor()
    await view.row("You switched to Act. That answered the plan.").waitFor()
    await view.frame.locator(".facts").getByText("Act", { exact: true }).waitFor()
  })

  it("hands a plan over when its button is pressed, and plans on with what is said instead", async () => {
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
    await armed()
    const words = view.dock.getByRole("textbox")
    await words.fill("Begin with its tests")
    await view.dock.getByRole("button", { name: "Start the implementation, with your message" }).waitFor()
    const asked = vs.model.requests.length
    await view.dock.getByRole("button", { name: "Keep planning" }).click()
    await vs.model.waitForRequests(asked + 1)
    assert.include(JSON.stringify(vs.model.requests.at(-1)?.body), "Begin with its tests")
    assert.equal(await tasks().count(), 0)
    await view.frame.locator(".dock.waits").waitFor()
    await armed()
    await start.click()
    await tasks().waitFor()
  })

  it("takes no answer from what is typed elsewhere while an ask appears", async () => {
    const { armed, begin, title, view, vs } = place
    await vs.command("Belay: Go to the composer")
    await view.composer.fill("")
    await begin("Publish it")
    await title("Publish it")
    await view.composer.focus()
    await vs.page.keyboard.type("1 yes y 2 ")
    await view.dock.waitFor()
    await vs.page.keyboard.type("1 yes y 2")
    assert.equal(await view.composer.inputValue(), "1 yes y 2 1 yes y 2")
    assert.isTrue(await view.dock.isVisible())
    assert.include(await view.dock.innerText(), "npm publish")
    const places = await view.dock.locator("[data-answer]").evaluateAll((all) => all.map((one) => one.textContent))
    assert.deepEqual(places, ["1 Allow once", "2 Allow for this task", "3 Always…", "4 Deny", "5 Deny, say why…"])
    await armed()
    await vs.page.keyboard.press("5")
    await vs.page.keyboard.type("Not today")
    await vs.page.keyboard.press("Enter")
    await view.dock.waitFor({ state: "detached" })
    await view.row("Not published").waitFor()
    assert.include(JSON.stringify(vs.model.requests.at(-1)?.body), "Not today")
    assert.equal(await view.composer.inputValue(), "1 yes y 2 1 yes y 2")
    await view.composer.fill("")
  })
}
