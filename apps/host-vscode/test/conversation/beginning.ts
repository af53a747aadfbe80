/** A task from its first message to its end, and back to moments of it. */
import { existsSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { assert, it } from "vitest"
import { completes, task, writes } from "../vscode/Scripts.ts"
import type { Place } from "./Place.ts"

export const tasks = [
  task(
    "Write the parser",
    writes("parse.ts", "export {}\n"),
    writes("print.ts", "export {}\n"),
    completes("Wrote **parse.ts**, [run](javascript:alert(1))\n\n```ts\nexport const a = 1\n```"),
    {
      ...completes("Wrote lex.ts"),
      on: "lexer instead"
    }
  )
]

export const stories = (place: Place): void => {
  it("begins with a message, asks outside of it, and goes on with an answer and a denial in words, by keys alone", async () => {
    const { title, view, vs, wellFormed } = place
    const { keyboard } = vs.page
    const focused = (what: string) => view.frame.locator(`${what}:focus`).waitFor()
    const takesNoFocus = async () =>
      assert.equal(await view.frame.evaluate("document.activeElement.closest('.dock')"), null)
    await view.frame.getByText("What would you like to do?").first().waitFor()
    await view.send("Write the parser")
    await title("Write the parser")
    await view.dock.getByText("Write parse.ts").waitFor()
    await wellFormed()
    await takesNoFocus()
    await keyboard.press("Control+k")
    await keyboard.press("b")
    await focused("textarea")
    await keyboard.type("Mind the tests")
    // To what asks and back, by keys that the window has a use of its own for.
    await keyboard.press("Shift+F6")
    await focused(".dock h2")
    await keyboard.press("Escape")
    await focused("textarea")
    await keyboard.press("Shift+F6")
    await focused(".dock:not(.waits) h2")
    await keyboard.press("1")
    await view.dock.getByText("Write print.ts").first().waitFor()
    assert.equal(readFileSync(path.join(vs.workspace, "parse.ts"), "utf8"), "export {}\n")
    // The next ask took no focus: the way to it is a gesture again.
    await takesNoFocus()
    await keyboard.press("Escape")
    await focused("textarea")
    await keyboard.press("Shift+F6")
    await focused(".dock:not(.waits) h2")
    await keyboard.press("5")
    await focused(".dock input")
    await keyboard.type("One is enough")
    await keyboard.press("Enter")
    await view.dock.waitFor({ state: "detached" })
    await view.row("Wrote parse.ts").waitFor()
    await view.row("you allowed it once").waitFor()
    assert.isFalse(existsSync(path.join(vs.workspace, "print.ts")))
    assert.include(JSON.stringify(vs.model.requests.at(-1)?.body), "One is enough")
    assert.equal(await view.composer.inputValue(), "Mind the tests")
    await view.composer.fill("")
  })

  it("gives code its colours and follows a link as far as it may, and its policy is broken by nothing of its own", async () => {
    const { view, vs, wellFormed } = place
    await view.frame.locator("figure.code .code-keyword", { hasText: "export" }).waitFor()
    await view.frame.getByRole("button", { name: "run", exact: true }).click()
    await vs.notification("This link leads to no page and to no file of the task's folder.")
    await vs.host(async (vscode) => void (await vscode.commands.executeCommand("notifications.clearAll")))
    assert.deepEqual(await view.frame.evaluate("violations"), [])
    await wellFormed()
  })

  it("compares what a turn changed, takes it back when that was looked at, undoes that, and branches from a message", async () => {
    const { view, vs, wellFormed } = place
    const file = path.join(vs.workspace, "parse.ts")
    const dialog = vs.page.locator(".monaco-dialog-box")
    const clear = () => vs.host(async (vscode) => void (await vscode.commands.executeCommand("notifications.clearAll")))
    const fromStart = async (what: string): Promise<void> => {
      await view.frame.locator(".scroller").evaluate((element) => element.scrollTo(0, 0))
      await view.button(what).first().click()
    }
    await view.button("Compare or restore").click()
    await view.button("Compare with before this turn").click()
    await vs.page.locator(".multiDiffEntry", { hasText: "export {}" }).first().waitFor()
    await fromStart("Go back to this message")
    await fromStart("Restore files…")
    await dialog.filter({ hasText: "Restore 1 file to" }).filter({ hasText: "parse.ts is deleted." }).waitFor()
    assert.isTrue(existsSync(file))
    await dialog.getByRole("button", { name: "Restore" }).click()
    await view.row("Restored 1 file").waitFor()
    assert.isFalse(existsSync(file))
    // It covers the view.
    await vs.notification("Restored to")
    await clear()
    await wellFormed()
    await view.button("Undo restore").click()
    await view.row("Undid a restore").waitFor()
    assert.equal(readFileSync(file, "utf8"), "export {}\n")
    assert.equal(await view.button("Undo restore").count(), 0)
    await fromStart("Branch a new task from here…")
    await vs.input("Write the lexer instead")
    await view.row("Wrote lex.ts").waitFor()
    await view.row("Goes on from another task").waitFor()
    assert.include(JSON.stringify(vs.model.requests.at(-1)?.body), "Write the parser")
  })
}
