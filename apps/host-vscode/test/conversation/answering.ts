/** What answers beside the view. */
import { Words } from "@belay/interaction"
import { assert, it } from "vitest"
import * as Asks from "../vscode/Asks.ts"
import * as Cli from "../vscode/Cli.ts"
import { completes, task, writes } from "../vscode/Scripts.ts"
import type { Place } from "./Place.ts"

export const tasks = [
  task("Answer beside", writes("beside.txt", "1\n"), { ...completes("Was beside"), hold: "beside" })
]

export const stories = (place: Place): void => {
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
      // A task that is complete has none.
      if (status === "completed") return
      const said = `${Words.modes[mode as "plan" | "act"]}, mode of ${title}`
      await view.frame.getByRole("radio", { name: said, checked: true }).waitFor()
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
