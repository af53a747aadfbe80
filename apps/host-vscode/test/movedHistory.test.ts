import { renameSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as InProcess from "./vscode/InProcess.ts"
import { completes, task } from "./vscode/Scripts.ts"
import * as Tasks from "./vscode/Tasks.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

/** Another process makes a task. */
const other = async (home: string, n: number, title: string) => {
  const owner = await Tasks.owner(home)
  await owner.commit(Tasks.started(n, title), Tasks.stopped(n))
  await owner.close()
}

// Windows moves no file that is open.
describe.skipIf(process.platform === "win32")("a history that is moved while a window shows it", () => {
  let vs: InProcess.InProcess

  beforeAll(async () => {
    vs = await InProcess.open({
      tasks: [task("Upgrade eslint", completes("Upgraded"))],
      before: (home) => other(home, 1, "Pack")
    })
  })
  afterAll(() => vs.close())

  it("is said to be gone by a window in which nothing runs, once, and goes on when it is back", async () => {
    await vs.row("Pack", "Interrupted")
    const file = path.join(vs.home, "belay.db")
    const lines = () => vs.editor.told.filter(({ line }) => line.startsWith("The history is gone")).length
    for (const [index, title] of ["Load", "Ship"].entries()) {
      renameSync(file, `${file}.away`)
      await vs.until(() => (lines() === index + 1 ? true : undefined))
      assert.include((await vs.told("The history is gone")).line, "Put it and the files beside it back")
      renameSync(`${file}.away`, file)
      // What another process writes is seen by the look that found it gone.
      await other(vs.home, index + 2, title)
      await vs.row(title, "Interrupted")
    }
    await vs.run("belay.newTask", "Upgrade eslint")
    await vs.row("Upgrade eslint", "Done: Upgraded")
  })
})
