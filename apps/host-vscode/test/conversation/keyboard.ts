/** From the message to the conversation, to what asks and back, by keys alone; and what answers beside the view. */
import { Words } from "@belay/task-engine/protocol"
import { existsSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { assert, it } from "vitest"
import * as Asks from "../vscode/Asks.ts"
import * as Cli from "../vscode/Cli.ts"
import { completes, task, writes } from "../vscode/Scripts.ts"
import type { Place } from "./Place.ts"

export const tasks = [
  task("Walk by keys", writes("walk1.txt", "1\n"), writes("walk2.txt", "2\n"), completes("Walked")),
  task("Answer beside", writes("beside.txt", "1\n"), { ...completes("Was beside"), hold: "beside" })
]

export const stories = (place: Place): void => {
  it("is gone through by keys alone: message, conversation, what asks, an answer and a denial with words, and back", async () => {
    const { begin, title, view, vs, wellFormed } = place
    const { keyboard } = vs.page
    const focused = (what: string) => view.frame.locator(`${what}:focus`).waitFor()
    await begin("Walk by keys")
    await title("Walk by keys")
    await view.dock.waitFor()
    await keyboard.press("Control+k")
    await keyboard.press("b")
    await focused("textarea")
    await keyboard.type("Mind the tests")
    await keyboard.press("F6")
    await focused("h1")
    await keyboard.press("F6")
    await focused("[role=feed]")
    await keyboard.press("PageUp")
    await focused("[role=article]")
    await wellFormed()
    await keyboard.press("End")
    await focused("[role=feed]")
    await keyboard.press("F6")
    await focused(".dock:not(.waits) h2")
    await keyboard.press("1")
    await view.dock.getByText("Write walk2.txt").first().waitFor()
    assert.equal(readFileSync(path.join(vs.workspace, "walk1.txt"), "utf8"), "1\n")
    // The next ask took no focus: the way to it is a gesture again.
    assert.equal(await view.frame.evaluate("document.activeElement.closest('.dock')"), null)
    await keyboard.press("Escape")
    await focused("textarea")
    await keyboard.press("Shift+F6")
    await focused(".dock:not(.waits) h2")
    await keyboard.press("5")
    await focused(".dock input")
    await keyboard.type("One is enough")
    await keyboard.press("Enter")
    await view.dock.waitFor({ state: "detached" })
    await view.row("Walked").waitFor()
    await keyboard.press("Escape")
    await focused("textarea")
    assert.equal(await view.composer.inputValue(), "Mind the tests")
    assert.isFalse(existsSync(path.join(vs.workspace, "walk2.txt")))
    assert.include(JSON.stringify(vs.model.requests.at(-1)?.body), "One is enough")
    await view.composer.fill("")
  })

  it("closes what asks and its comparison when the tree answers, says so, and has the header of the command line throughout", async () => {
    const { begin, title, view, vs } = place
    const header = view.frame.locator("[data-region=header]")
    const id = await begin("Answer beside")
    /** The header says what the record says, once it says this. */
    const same = async (label: "Needs you" | "Running" | "Done"): Promise<void> => {
      await header.locator(".sign", { hasText: label }).waitFor()
      const { asks, metrics, mode, status, title } = await Cli.json(vs, ["task", "show", id])
      const isAsking = asks.some(({ open }: { readonly open: boolean }) => open)
      assert.equal(status === "completed" ? "Done" : isAsking ? "Needs you" : "Running", label)
      assert.equal(await header.locator("h1").innerText(), title)
      assert.equal(await header.getByTestId("cost").innerText(), Words.money(metrics.usage.costUsd))
      await header.getByText(Words.modes[mode as "plan" | "act"], { exact: true }).waitFor()
    }
    await title("Answer beside")
    await view.dock.getByText("Write beside.txt").first().waitFor()
    await same("Needs you")
    await Asks.run(vs, "reviewChanges", (await Asks.waiting(vs, "Write beside.txt")).id)
    const apply = vs.page.locator('.editor-actions a[aria-label^="Apply"]:visible')
    await apply.first().waitFor()
    await vs.tree("Needs you").act("Write beside.txt", "Allow once")
    await view.dock.waitFor({ state: "detached" })
    await view.frame.getByRole("alert").getByText("Answered: you allowed it once (Write beside.txt).").waitFor()
    await apply.first().waitFor({ state: "detached" })
    await same("Running")
    vs.model.release("beside")
    await view.row("Was beside").waitFor()
    await same("Done")
  })
}
