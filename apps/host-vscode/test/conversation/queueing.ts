/** What is said while a task works. */
import { assert, it } from "vitest"
import { completes, task } from "../vscode/Scripts.ts"
import { dot } from "./dot.ts"
import type { Place } from "./Place.ts"

const long = Array.from({ length: 400 }, (_, at) => `word ${at}`).join(" ")

export const tasks = [
  task(
    "Say much",
    { content: [{ type: "text", text: long }, ...(completes("Said").content ?? [])], hold: "much", holdAt: 6 },
    completes("Heard it")
  )
]

export const stories = (place: Place): void => {
  it("shows an answer while it arrives, keeps a draft for each task, and gives the model what was said meanwhile", async () => {
    const { begin, title, view, vs, wellFormed } = place
    const before = await view.frame.locator("[data-region=header]").getAttribute("data-task")
    await view.composer.fill("A thought for later")
    await begin("Say much")
    await title("Say much")
    await view.frame.getByTestId("live").getByText("word 0").waitFor()
    assert.equal(await view.composer.inputValue(), "")
    await view.button("Queue").waitFor()
    const queue = view.frame.locator(".queue")
    await view.composer.pressSequentially("And look at @pars")
    await view.frame.getByRole("option", { name: "parse.ts" }).waitFor()
    await view.composer.press("Enter")
    assert.equal(await view.composer.inputValue(), "And look at @/parse.ts ")
    await view.give("paste", "dot.png", dot)
    await view.frame.locator(".attachments img").waitFor()
    await view.composer.press("Enter")
    await queue.getByText("And look at @/parse.ts").waitFor()
    await queue.getByText("1 image").waitFor()
    await view.frame.locator(".attachments").waitFor({ state: "detached" })
    await wellFormed()
    await queue.getByRole("button", { name: "Edit" }).click()
    await queue.waitFor({ state: "detached" })
    await view.frame.locator(".attachments img").waitFor()
    await view.composer.press("End")
    await view.composer.pressSequentially("now")
    await view.composer.press("Enter")
    await queue.getByText("@/parse.ts now").waitFor()
    await view.send("/help")
    await view.frame.getByRole("region", { name: "Help" }).getByText("/deep-planning").waitFor()
    await view.composer.press("Escape")
    vs.model.release("much")
    await view.row(/word 399$/).waitFor()
    await view.frame.getByTestId("live").waitFor({ state: "detached" })
    await queue.waitFor({ state: "detached" })
    await view.row("Heard it").or(view.row("Said")).first().waitFor()
    assert.include(await view.row("word 0 word 1").innerText(), long)
    await view.row("And look at @/parse.ts now").locator("img").waitFor()
    const heard = JSON.stringify(vs.model.requests.at(-1)?.body)
    for (const part of [dot, "And look at @/parse.ts now", "export {}"]) assert.include(heard, part)
    assert.notInclude(heard, "/help")
    await vs.host((vscode, id) => vscode.commands.executeCommand("belay.openTask", id), before)
    await view.frame.locator(`[data-task="${before}"]`).waitFor()
    assert.equal(await view.composer.inputValue(), "A thought for later")
    await view.composer.fill("")
  })
}
