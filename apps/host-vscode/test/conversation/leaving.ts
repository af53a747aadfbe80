/** A view that is hidden, and a window that begins anew. */
import { writeFileSync } from "node:fs"
import * as path from "node:path"
import { assert, it, vi } from "vitest"
import * as Lists from "../vscode/Lists.ts"
import { completes, task } from "../vscode/Scripts.ts"
import * as View from "../vscode/View.ts"
import { dot } from "./dot.ts"
import type { Place } from "./Place.ts"
import * as Webviews from "./webviews.ts"
import { patience } from "../vscode/VSCode.ts"

const words = Array.from({ length: 40 }, (_, at) => `Word ${at}.`)

export const files = { "my notes/a b.md": "one\n" }

export const tasks = [
  task("Talk on", {
    content: [{ type: "text", text: words.join("\n\n") }, ...(completes("Was said").content ?? [])],
    hold: "talk",
    holdAt: 6
  }),
  task("Write on", { ...completes("Written"), hold: "write" }),
  task("Write beside it", { ...completes("Written"), hold: "write" })
]

export const stories = (place: Place): void => {
  it("tells a view that is hidden nothing, and then shows the whole, with the draft", async () => {
    const { begin, listed, title, vs } = place
    await begin("Talk on")
    await title("Talk on")
    const { composer, frame } = place.view
    await frame.getByTestId("live").getByText("Word 0.").waitFor()
    await composer.fill("Half a word")
    const { counted, undo } = await Webviews.countMessages(vs)
    await vs.host(async (vscode) => void (await vscode.commands.executeCommand("workbench.view.explorer")))
    await vi.waitFor(() => assert.isTrue(frame.isDetached()), patience)
    const before = await counted()
    vs.model.release("talk")
    await listed("Done: Was said")
    assert.equal(await counted(), before)
    await vs.showTrees()
    place.view = await View.find(vs.page, async ({ composer }) => (await composer.inputValue()) === "Half a word")
    await place.view.row("Was said").waitFor()
    assert.isAbove(await counted(), before)
    await undo()
    const said = place.view.row("Word 0.").locator("p")
    assert.deepEqual((await said.allInnerTexts()).slice(0, words.length), words)
    await place.view.composer.fill("")
  })

  it("has what was begun to be written in the next window too, with its image and a file that was dropped", async () => {
    const { vs } = place
    const image = path.join(vs.workspace, "dot.png")
    writeFileSync(image, Buffer.from(dot, "base64"))
    await place.begin("Write on")
    await place.title("Write on")
    await vs.host(async (vscode, name) => {
      void vscode.commands.executeCommand("belay.addToTask", vscode.Uri.file(name))
    }, image)
    await Lists.press(vs, "Write on")
    await place.view.frame.locator(".attachments img").waitFor()
    await place.view.frame.evaluate(`(() => {
      const dataTransfer = new DataTransfer()
      const list = ${JSON.stringify(`file://${vs.workspace}/my%20notes/a%20b.md`)}
      dataTransfer.setData("application/vnd.code.uri-list", list)
      const drop = new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer })
      document.querySelector("textarea").dispatchEvent(drop)
    })()`)
    await vi.waitFor(async () => assert.equal(await place.view.composer.inputValue(), '@"/my notes/a b.md" '), patience)
    // A draft is kept at once when another task is shown.
    await place.begin("Write beside it")
    await place.title("Write beside it")
    assert.equal(await place.view.frame.locator(".attachments").count(), 0)
    await vs.reload()
    await vs.showTrees()
    // It has its place once it is known that its process ended.
    await vs.tree("Tasks").row("Write on").filter({ hasText: "Interrupted" }).click()
    place.view = await View.find(vs.page, async ({ composer }) => (await composer.inputValue()).includes("notes"))
    await place.view.frame.locator(".attachments img").waitFor()
    await place.view.button("Remove dot.png").click()
    await place.view.frame.locator(".attachments").waitFor({ state: "detached" })
    await place.view.composer.fill("")
  })
}
