import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as Cli from "./vscode/Cli.ts"
import * as InProcess from "./vscode/InProcess.ts"
import { completes, task, use } from "./vscode/Scripts.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

const part = (message: string) => ({ type: "tool_use" as const, name: "new_task", input: { message } })

describe("what a person does with a task in the tree", () => {
  let vs: InProcess.InProcess

  const idOf = async (title: string): Promise<string> => (await vs.all("belay.tasks")).get(title)?.id ?? ""
  const isGone = (title: string) => vs.until(async () => ((await vs.all("belay.tasks")).has(title) ? undefined : true))

  beforeAll(async () => {
    vs = await InProcess.open({
      tasks: [
        task(
          "Release 2.0",
          { content: [part("Write the parser"), part("Wire the CLI")] },
          completes("Released"),
          completes("Went on from there")
        ),
        task("Write the parser", { ...completes("Parsed"), hold: "parts" }),
        task("Wire the CLI", { ...completes("Wired"), hold: "parts" }),
        task("Elsewhere", { content: [part("Stuck part"), part("Busy part")] }, completes("Went on")),
        task("Stuck part", use("ask_followup_question", { question: "Which?" })),
        task("Busy part", { ...completes("Busy no more"), hold: "busy" })
      ]
    })
  })
  afterAll(() => vs.close())

  /** How often a task was interrupted. */
  const interruptions = async (id: string): Promise<number> => {
    const watch = Cli.start(vs, ["task", "watch", id, "--output", "stream-json"])
    watch.endInput()
    const { stdout } = await watch.exit
    return stdout
      .map((line) => JSON.parse(line))
      .filter(({ taskId, to, type }) => taskId === id && type === "task.status" && to === "interrupted").length
  }

  it("a stop of a parent stops its running subtasks, and a second one changes and says nothing", async () => {
    const id = await vs.run("belay.newTask", "Release 2.0")
    await vs.row("Write the parser", "Running")
    await vs.row("Wire the CLI", "Running")
    await Promise.all([vs.run("belay.stopTree", id), vs.run("belay.stop", id)])
    await vs.run("belay.stop", id)
    await vs.row("Release 2.0", "Interrupted: you stopped it")
    await vs.row("Write the parser", "Interrupted: its parent was stopped")
    await vs.row("Wire the CLI", "Interrupted: its parent was stopped")
    assert.include(vs.editor.sentences[0], 'Stopped "Release 2.0"')
    assert.equal(await interruptions(id), 1)
    assert.deepEqual([vs.editor.told, vs.editor.asked], [[], []])
  })

  it("a rename keeps the id, the link to the parent and the order", async () => {
    const root = await idOf("Release 2.0")
    const shape = async () => (await vs.rows("belay.tasks", root)).map(({ id }) => id)
    const before = await shape()
    vs.editor.answers.push("Write the grammar")
    await vs.run("belay.renameTask", await idOf("Write the parser"))
    await vs.row("Write the grammar", "Interrupted")
    assert.deepEqual(await shape(), before)
    assert.deepEqual(
      (await vs.rows("belay.tasks", root)).map(({ label }) => label),
      ["Write the grammar", "Wire the CLI"]
    )
  })

  it("its id and its link are copied", async () => {
    const id = await idOf("Wire the CLI")
    await vs.run("belay.copyId", id)
    assert.equal(vs.editor.clipboard, id)
    await vs.run("belay.copyLink", id)
    assert.equal(vs.editor.clipboard, `vscode://belay.belay/task/${id}`)
  })

  it("all that stopped in a tree goes on from any of its rows", async () => {
    vs.model.release("parts")
    await vs.run("belay.resumeAll", await idOf("Wire the CLI"))
    await vs.row("Release 2.0", "Done: Released")
  })

  it("a completed one goes on in a new task", async () => {
    vs.editor.answers.push("And then some")
    await vs.run("belay.continueTask", await idOf("Release 2.0"))
    await vs.row("And then some", "Done: Went on from there")
  })

  it("a deletion names the subtasks, and Escape deletes nothing", async () => {
    const id = await idOf("Release 2.0")
    const files = path.join(vs.home, "tasks", id)
    mkdirSync(files, { recursive: true })
    writeFileSync(path.join(files, "notes.md"), "")
    vs.editor.answers.push(undefined, "Delete")
    await vs.run("belay.deleteTask", id)
    const asked = vs.editor.asked.at(-1)
    assert.equal(asked?.title, 'Delete "Release 2.0" and its 2 subtasks?')
    for (const name of ["Write the grammar", "Wire the CLI", "Files in your workspace stay as they are."]) {
      assert.include(asked?.detail, name)
    }
    assert.equal(await idOf("Release 2.0"), id)
    assert.isTrue(existsSync(files))

    await vs.run("belay.deleteTask", id)
    await isGone("Release 2.0")
    const notice = vs.editor.told.at(-1)
    assert.equal(notice?.line, 'Deleted "Release 2.0" and its 2 subtasks. It can be taken back for 30 days.')
    notice?.press("Undo")
    await vs.row("Release 2.0", "Done: Released")

    vs.editor.answers.push("Delete")
    await vs.run("belay.deleteTask", id)
    await isGone("Release 2.0")
    assert.isTrue(existsSync(files))
    vs.editor.answers.push("Release 2.0")
    await vs.run("belay.undeleteTask")
    await vs.row("Release 2.0", "Done: Released")
    assert.equal(await idOf("Release 2.0"), id)
    vs.editor.answers.push("Delete")
    await vs.run("belay.deleteTask", id)
    await isGone("Release 2.0")
  })

  it("one that runs here is stopped before it is deleted", async () => {
    const id = await vs.run("belay.newTask", "Busy part")
    await vs.row("Busy part", "Running")
    vs.editor.answers.push("Stop and delete")
    await vs.run("belay.deleteTask", id)
    assert.include(vs.editor.asked.at(-1)?.detail, "Stop it first.")
    await isGone("Busy part")
  })

  it("a subtask that another process waits for is abandoned by that process, which goes on", async () => {
    const other = Cli.start(vs, ["run", "Elsewhere", "--output", "stream-json"])
    await other.waitForLine((line) => line.includes('"to":"interrupted"'))
    await vs.row("Busy part", "Running elsewhere")
    const stuck = await vs.row("Stuck part", "")
    vs.editor.answers.push("Abandon subtask")
    await vs.run("belay.abandonSubtask", stuck.id)
    await other.waitForLine((line) => line.includes('"outcome":"abandoned"'))
    vs.model.release("busy")
    await vs.row("Elsewhere", "Done: Went on")
    assert.equal((await other.exit).code, 0)
  })
})
