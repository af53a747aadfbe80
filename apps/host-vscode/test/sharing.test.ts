/** Two tasks that work in one folder, as the window tells of them. */
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as InProcess from "./vscode/InProcess.ts"
import { completes, task } from "./vscode/Scripts.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

describe("two tasks in one folder", () => {
  let vs: InProcess.InProcess

  beforeAll(async () => {
    const held = { ...completes("Done"), hold: "end" }
    vs = await InProcess.open({
      tasks: [task("Write the parser", held), task("Style the page", held), task("Name the files", held)]
    })
  })
  afterAll(() => vs.close())

  it("are told once, and the one that is not seen can be opened", async () => {
    const said = () => vs.editor.told.filter(({ line }) => line.includes("work in the same folder"))
    const ids = new Map<string, string>()
    const begin = async (title: string) => ids.set(title, await vs.run("belay.newTask", title))
    await begin("Write the parser")
    await vs.row("Write the parser", "Running")
    await begin("Style the page")
    const { actions, line, press } = await vs.told("work in the same folder")
    assert.deepEqual(actions, ["Open the other task"])
    for (const title of ['"Write the parser"', '"Style the page"']) assert.include(line, title)
    // The person looks at the one that is named last.
    const [first, last] = [...line.matchAll(/"([^"]*)"/gu)].map(([, title = ""]) => ids.get(title))
    vs.openTaskView()
    await vs.run("belay.openTask", last)
    await vs.context.workspaceState.update("shownTask", undefined)
    press("Open the other task")
    assert.strictEqual(await vs.until(() => vs.context.workspaceState.get("shownTask")), first)
    // Who starts a third one there knows.
    await begin("Name the files")
    await vs.row("Name the files", "Running")
    vs.model.release("end")
    for (const title of ["Write the parser", "Style the page", "Name the files"]) await vs.row(title, "Done")
    assert.lengthOf(said(), 1)
  })
})
