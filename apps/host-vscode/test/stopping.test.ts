import type { TaskId } from "@belay/task-state"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as Cli from "./vscode/Cli.ts"
import * as InProcess from "./vscode/InProcess.ts"
import { completes, task, use } from "./vscode/Scripts.ts"
import * as Tasks from "./vscode/Tasks.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

const delegates = (message: string) => use("new_task", { message })

describe("a stop", () => {
  let vs: InProcess.InProcess

  const lastRequest = () => JSON.stringify(vs.model.requests.at(-1)?.body)
  const written = async (id: string) => (await Cli.json(vs, ["task", "show", id])).lastSeq

  beforeAll(async () => {
    vs = await InProcess.open({
      tasks: [
        task("Upgrade eslint", { ...completes("Upgraded"), hold: "eslint" }),
        task("Fix the flaky test", { ...completes("Fixed"), hold: "flaky" }),
        task("Release 1.0", delegates("Tag the commit"), completes("Released 1.0")),
        task("Tag the commit", completes("Tagged as v1")),
        task("Release 2.0", delegates("Write the parser"), completes("Released 2.0")),
        task("Write the parser", { ...completes("Parsed"), hold: "parser" }),
        task("Release 3.0", delegates("Update the docs"), completes("Released 3.0")),
        task("Update the docs", { ...completes("Updated"), hold: "docs" }),
        task("Release 4.0", delegates("Write the notes"), completes("Released 4.0")),
        task("Write the notes", { ...completes("Noted the changes"), hold: "notes" }),
        task("Release 5.0", delegates("Sign the build"), completes("Released 5.0")),
        task("Sign the build", { ...completes("Signed"), hold: "signature" }),
        task("Watch the weather", { ...completes("It is sunny"), hold: "weather" })
      ]
    })
  })
  afterAll(() => vs.close())

  it("is not needed: a subtask that completes on its first answer is collected", async () => {
    await vs.run("belay.newTask", "Release 1.0")
    await vs.row("Release 1.0", "Done: Released 1.0")
    assert.include(lastRequest(), "Tagged as v1")
  })

  it("leaves a task that can be resumed; nothing else changes, and a second stop changes nothing", async () => {
    const id = await vs.run("belay.newTask", "Upgrade eslint")
    const other = await vs.run("belay.newTask", "Fix the flaky test")
    await vs.model.waitForRequests(5)
    await vs.row("Fix the flaky test", "Running")
    const before = await written(other)

    await vs.run("belay.stop", id)
    await vs.row("Upgrade eslint", "Interrupted: you stopped it")
    const stopped = await written(id)
    await vs.run("belay.stop", id)
    assert.deepEqual([await written(id), await written(other)], [stopped, before])
    await vs.row("Fix the flaky test", "Running")

    vs.model.release("eslint")
    await vs.run("belay.resume", id)
    await vs.row("Upgrade eslint", "Done: Upgraded")
    vs.model.release("flaky")
    await vs.row("Fix the flaky test", "Done: Fixed")
  })

  it("of a subtask leaves it to be abandoned, and the parent goes on and is told", async () => {
    await vs.run("belay.newTask", "Release 3.0")
    const { id } = await vs.row("Update the docs", "Running")
    await vs.run("belay.stop", id)
    await vs.row("Update the docs", "Interrupted: you stopped it")
    vs.editor.answers.push("Abandon subtask")
    await vs.run("belay.abandonSubtask", id)
    assert.equal(vs.editor.asked.at(-1)?.title, 'Abandon "Update the docs"?')
    await vs.row("Release 3.0", "Done: Released 3.0")
    assert.include(lastRequest(), "abandoned")
  })

  it("of a subtask outlives the extension: resumed later, it reports to its parent, which goes on", async () => {
    await vs.run("belay.newTask", "Release 4.0")
    const notes = await vs.row("Write the notes", "Running")
    await vs.run("belay.stop", notes.id)
    await vs.run("belay.newTask", "Release 5.0")
    const { id: signature } = await vs.row("Sign the build", "Running")
    await vs.run("belay.stop", signature)
    await vs.row("Sign the build", "Interrupted: you stopped it")
    await vs.run("belay.newTask", "Release 2.0")
    await vs.row("Write the parser", "Running")
    const other = Cli.start(vs, ["run", "Watch the weather"])
    await vs.row("Watch the weather", "Running elsewhere")
    await vs.restart()
    await vs.row("Write the notes", "Interrupted: you stopped it")
    await vs.row("Release 5.0", "Blocked")
    await vs.row("Watch the weather", "Running elsewhere")
    vs.model.release("weather")
    assert.equal((await other.exit).code, 0)
    await vs.row("Release 4.0", "Blocked")
    vs.model.release("notes")
    await vs.run("belay.resume", notes.id)
    await vs.row("Release 4.0", "Done: Released 4.0")
    assert.include(lastRequest(), "Noted the changes")
  })

  it("by the end of the extension leaves parent and child resumable, and the parent collects the child", async () => {
    await vs.row("Write the parser", "Interrupted: VS Code was closed")
    const { id } = await vs.row("Release 2.0", "Interrupted: VS Code was closed")
    vs.model.release("parser")
    await vs.run("belay.resume", id)
    await vs.row("Release 2.0", "Done: Released 2.0")
    assert.include(lastRequest(), "Parsed")
  })

  it("by it is over for a parent whose subtask has reported meanwhile, and which asks that one for nothing", async () => {
    const taskId = (await vs.row("Sign the build", "Interrupted")).id as TaskId.TaskId
    await vs.restart(async () => {
      const owner = await Tasks.owner(vs.home)
      await owner.commit([
        { _tag: "Lifecycle", request: { _tag: "Resume", taskId } },
        {
          _tag: "Lifecycle",
          request: { _tag: "Complete", taskId, attempt: 2, outcome: "succeeded", result: "Signed by hand" }
        }
      ])
      await owner.close()
    })
    const { id } = await vs.row("Release 5.0", "Ready")
    const sent = vs.model.requests.length
    await vs.run("belay.resume", id)
    await vs.row("Release 5.0", "Done: Released 5.0")
    assert.equal(vs.model.requests.length, sent + 1)
    assert.include(lastRequest(), "Signed by hand")
  })
})
