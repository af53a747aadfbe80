import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as InProcess from "./vscode/InProcess.ts"
import * as Scripts from "./vscode/Scripts.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

/** Ends the turn with its text: in the window, the person says what comes next. */
const said = { content: [{ type: "text" as const, text: "I look at it first, and then I say what it is." }] }

describe("the row of a task that this window runs", () => {
  let vs: InProcess.InProcess

  beforeAll(async () => {
    vs = await InProcess.open({
      tasks: [
        Scripts.task("Silent", { ...Scripts.completes("Said"), hold: "silent", holdAt: 0 }),
        Scripts.task("Talks", { ...said, hold: "talks", holdAt: 4 })
      ]
    })
  })
  afterAll(() => vs.close())

  it("says that the model is waited for, and nothing of it when the answer is there", async () => {
    await vs.run("belay.newTask", "Silent")
    await vs.row("Silent", "waiting for the model")
    vs.model.release("silent")
    const { description } = await vs.row("Silent", "Done: Said")
    assert.notInclude(description, "model")
  })

  it("says that the model answers while its words arrive", async () => {
    await vs.run("belay.newTask", "Talks")
    await vs.row("Talks", "the model answers")
    vs.model.release("talks")
    const { description } = await vs.row("Talks", "Done")
    assert.notInclude(description, "model")
  })
})
