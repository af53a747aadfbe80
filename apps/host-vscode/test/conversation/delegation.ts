/** Subtasks in the views of their parent and their own. */
import { it } from "vitest"
import { completes, task, use } from "../vscode/Scripts.ts"
import type { Place } from "./Place.ts"

export const tasks = [
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
}
