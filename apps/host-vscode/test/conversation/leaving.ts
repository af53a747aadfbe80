/** A view that is hidden, and a window that begins anew. */
import { writeFileSync } from "node:fs"
import * as path from "node:path"
import { assert, it, vi } from "vitest"
import * as Lists from "../vscode/Lists.ts"
import { completes, task } from "../vscode/Scripts.ts"
import { dot } from "./dot.ts"
import type { Place } from "./Place.ts"
import * as Webviews from "./webviews.ts"
import * as VSCode from "../vscode/VSCode.ts"

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

/** What the editor has stored of its windows, which it does a moment after it was told. */
const stored = ({ page }: VSCode.VSCode): Promise<string> =>
  page.evaluate(`(async () => {
    const result = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)))
    const values = async ({ name }) => {
      const database = await result(indexedDB.open(name))
      const [store] = database.objectStoreNames
      const found = store === undefined ? [] : await result(database.transaction(store).objectStore(store).getAll())
      database.close()
      return found.filter((value) => typeof value === "string")
    }
    return (await Promise.all((await indexedDB.databases()).map(values))).flat().join()
  })()`)

export const stories = (place: Place): void => {
  it("tells a view that is hidden nothing, and then shows the whole, with the draft", async () => {
    const { begin, listed, title, view, vs } = place
    const id = await begin("Talk on")
    await title("Talk on")
    await view.frame.getByTestId("live").getByText("Word 0.").waitFor()
    await view.composer.fill("Half a word")
    const { counted, undo } = await Webviews.countMessages(vs, id)
    await vs.host(async (vscode) => void (await vscode.commands.executeCommand("workbench.action.closeAuxiliaryBar")))
    await view.place.waitFor({ state: "detached" })
    const before = await counted()
    vs.model.release("talk")
    await listed("Done: Was said")
    assert.equal(await counted(), before)
    await vs.showTrees()
    await view.row("Was said").waitFor()
    assert.equal(await view.composer.inputValue(), "Half a word")
    assert.isAbove(await counted(), before)
    await undo()
    const said = view.row("Word 0.").locator("p")
    assert.deepEqual((await said.allInnerTexts()).slice(0, words.length), words)
    await view.composer.fill("")
  })

  it("has what was begun to be written in the next window too, with its image and a file that was dropped", async () => {
    const { begin, title, view, vs } = place
    const image = path.join(vs.workspace, "dot.png")
    writeFileSync(image, Buffer.from(dot, "base64"))
    const id = await begin("Write on")
    await title("Write on")
    await vs.host(async (vscode, name) => {
      void vscode.commands.executeCommand("belay.addToTask", vscode.Uri.file(name))
    }, image)
    await Lists.press(vs, "Write on")
    await view.frame.locator(".attachments img").waitFor()
    await view.frame.evaluate(`(() => {
      const dataTransfer = new DataTransfer()
      const list = ${JSON.stringify(`file://${vs.workspace}/my%20notes/a%20b.md`)}
      dataTransfer.setData("application/vnd.code.uri-list", list)
      const drop = new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer })
      document.querySelector("textarea").dispatchEvent(drop)
    })()`)
    await vi.waitFor(
      async () => assert.equal(await view.composer.inputValue(), '@"/my notes/a b.md" '),
      VSCode.patience
    )
    // A draft is kept at once when another task is shown.
    await begin("Write beside it")
    await title("Write beside it")
    assert.equal(await view.frame.locator(".attachments").count(), 0)
    await vi.waitFor(async () => assert.include(await stored(vs), "my notes/a b.md"), VSCode.patience)
    await vs.reload()
    await vs.showTrees()
    await vs.host((vscode, task) => vscode.commands.executeCommand("belay.openTask", task), id)
    await title("Write on")
    assert.equal(await view.composer.inputValue(), '@"/my notes/a b.md" ')
    await view.frame.locator(".attachments img").waitFor()
    await view.button("Remove dot.png").click()
    await view.frame.locator(".attachments").waitFor({ state: "detached" })
    await view.composer.fill("")
  })
}
