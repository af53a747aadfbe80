/** What a task asks, and what answers it. */
import { assert, it } from "vitest"
import { completes, task, use } from "../vscode/Scripts.ts"
import { dot } from "./dot.ts"
import type { Place } from "./Place.ts"

const plans = (response: string) => use("plan_mode_respond", { response })

export const tasks = [
  task("Publish it", use("execute_command", { command: "npm publish" }), completes("Not published")),
  task("Plan it", plans("A first plan"), plans("A second plan"))
]

export const stories = (place: Place): void => {
  it("takes what is said while a plan waits as its answer, with its image, and asks again with the next plan", async () => {
    const { begin, title, view, vs } = place
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
    await view.button("Stop").click()
    await view.frame.locator(".bar", { hasText: "You stopped this task." }).waitFor()
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
