import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as InProcess from "./vscode/InProcess.ts"
import * as Tasks from "./vscode/Tasks.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

describe("a window on a history that a dead process left", () => {
  let vs: InProcess.InProcess

  beforeAll(async () => {
    vs = await InProcess.open({
      before: async (home) => {
        const dead = await Tasks.owner(home)
        await dead.commit(Tasks.started(1, "Left behind"))
        await dead.close()
      }
    })
    await vs.row("Left behind", "")
  })
  afterAll(() => vs.close())

  it("says in one line which task was repaired and what became of it", async () => {
    const repaired = await vs.until(() => vs.editor.sentences.find((line) => line.includes("was repaired")))
    assert.match(repaired, /^Belay: task \S+ was repaired: its process has ended, and it is interrupted\.$/)
  })

  it("does not say it again when it is asked to check the history, which shows a document or that it is sound", async () => {
    const before = vs.editor.sentences.length
    await vs.run("belay.checkHistory")
    await vs.told("The history is sound")
    assert.lengthOf(vs.editor.sentences, before)
  })
})
