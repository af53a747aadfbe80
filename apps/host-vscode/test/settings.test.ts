import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as InProcess from "./vscode/InProcess.ts"
import * as Scripts from "./vscode/Scripts.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

let vs: InProcess.InProcess

beforeAll(async () => {
  vs = await InProcess.open({
    tasks: [Scripts.task("Tidy up", Scripts.completes("Tidied")), Scripts.task("Count", Scripts.completes("Counted"))]
  })
})
afterAll(() => vs.close())

describe("the settings", () => {
  const properties = (): ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>]> =>
    Object.entries(vs.editor.manifest.contributes.configuration.properties)
  /** `undefined` takes it back. */
  const set = (name: string, value?: unknown) => {
    if (value === undefined) vs.editor.settings.delete(`belay.${name}`)
    else vs.editor.settings.set(`belay.${name}`, value)
  }
  /** The id of a task, unless it is refused. */
  const begin = () => vs.run("belay.newTask", "Tidy up")

  it("are each described, with a type and a default", () => {
    const needed = ["markdownDescription", "type", "default", "scope"]
    const bare = properties().filter(([, of]) => needed.some((name) => of[name] === undefined))
    assert.deepEqual(bare, [])
  })

  it("are the machine's, and what a project may set widens nothing that may run", () => {
    const open = properties().flatMap(([name, { scope }]) => (scope === "machine" ? [] : [name]))
    const lists = ["enabled", "remindAfter", "completionNeedsAllDone"].map((name) => `belay.focusChain.${name}`)
    assert.deepEqual(open, ["belay.edits.problems", ...lists])
  })

  it.each<readonly [name: string, value: unknown, says: string]>([
    ["approvals.commands", { allow: "git *;" }, "the setting belay.approvals.commands"],
    ["budget.maxCostUsd", "much", "the setting belay.budget.maxCostUsd"],
    ["budget.maxRequests", 1.5, "the setting belay.budget.maxRequests"],
    ["tasks.concurrency", 0, "the setting belay.tasks.concurrency"],
    ["sandbox", "yolo", "the setting belay.sandbox"],
    ["model.baseUrl", "somewhere", "There is no key for somewhere."]
  ])("that cannot be used are named and stop a task before it starts: %s", async (name, value, says) => {
    const usual = vs.editor.settings.get(`belay.${name}`)
    set(name, value)
    const id = await begin()
    set(name, usual)
    assert.isUndefined(id)
    assert.include(vs.editor.told.at(-1)?.line, says)
    assert.lengthOf(vs.model.requests, 0)
  })

  it("that are right again let it start", async () => {
    assert.isString(await begin())
    await vs.row("Tidy up", "Done: Tidied")
  })

  it("name the model of tasks that begin from now on", async () => {
    vs.editor.answers.push("Model of Plan", "Another model…", "model-2")
    await vs.run("belay.chooseModel")
    assert.equal(vs.editor.settings.get("belay.model.plan"), "model-2")
    set("model.plan")
  })

  it("let a result be gone on with in place, unless they say otherwise", async () => {
    set("completion")
    const id = String(await vs.run("belay.newTask", "Tidy up again"))
    await vs.row("Tidy up again", "Done: Tidied")
    const status = await vs.tree("belay.tasks").getTreeItem(id)
    assert.notInclude(String(status.contextValue), " continue ", "it is not complete")
    set("completion", "auto")
  })

  it("have the prices of models from the file of both hosts, so that cost can be limited", async () => {
    const file = path.join(vs.home, "settings.json")
    const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }
    set("budget.maxCostUsd", 5)
    writeFileSync(file, JSON.stringify({ models: { "claude-sonnet-5-5": { price: "little" } } }))
    assert.isUndefined(await vs.run("belay.newTask", "Count"))
    await vs.told('the setting models.claude-sonnet-5-5.price cannot be "little"')
    writeFileSync(file, JSON.stringify({ models: { "claude-sonnet-5-5": { price } } }))
    await vs.run("belay.newTask", "Count")
    await vs.row("Count", "Done: Counted")
  })
})

describe("an import", () => {
  it("says what it would do, does it when a person says so, and is over the second time", async () => {
    const old = path.join(vs.workspace, "..", "rooveterinaryinc.roo-cline")
    const store = (name: string, content: string) => {
      mkdirSync(path.join(old, "tasks", path.dirname(name)), { recursive: true })
      writeFileSync(path.join(old, "tasks", name), content)
    }
    store("kept/history_item.json", JSON.stringify({ id: "kept", ts: 1_784_332_598_169, task: "Bring the old tasks" }))
    const turns = [{ role: "user", content: "Bring the old tasks" }]
    store("kept/api_conversation_history.json", JSON.stringify(turns))
    store("torn/history_item.json", "\0")
    vs.editor.told.length = 0
    const importing = vs.run("belay.importHistory", old)
    const found = "Found 2 tasks. 1 can be imported, 1 is damaged (copies are kept)."
    const first = await vs.told(found)
    assert.isFalse(existsSync(path.join(vs.home, "quarantine")))
    first.press("Details")
    await vs.until(() => (vs.editor.text.includes("it holds nothing but zeros") ? true : undefined))
    const again = await vs.until(() => (vs.editor.told.length === 2 ? vs.editor.told[1] : undefined))
    assert.include(again.line, found)
    again.press("Import")
    assert.deepNestedInclude(await importing, { "imported[0].taskId": "kept", "imported[0].status": "interrupted" })
    await vs.row("Bring the old tasks", "Interrupted")
    assert.isUndefined(await vs.run("belay.importHistory", old))
    await vs.told("Found 2 tasks. 1 was imported before, 1 is damaged")
  })
})

describe("lost tasks of an extension beside this one", () => {
  const at = 1_784_332_598_169
  const call = (id: string, name: string, input: object) => ({
    role: "assistant",
    content: [{ type: "tool_use", id, name, input }]
  })

  /** A parent that waits, and its subtask, which has ended. */
  const lose = (beside: string): void => {
    const store = (task: string, item: object, answer: object) => {
      const folder = path.join(beside, "tasks", task)
      mkdirSync(folder, { recursive: true })
      const files = {
        "history_item.json": { id: task, number: 1, ts: at, task: `Do ${task}`, ...item },
        "api_conversation_history.json": [{ role: "user", content: `Do ${task}` }, answer]
      }
      for (const [name, content] of Object.entries(files)) {
        writeFileSync(path.join(folder, name), JSON.stringify(content))
        utimesSync(path.join(folder, name), at / 1000, at / 1000)
      }
    }
    const waits = { status: "delegated", awaitingChildId: "lost-child", childIds: ["lost-child"] }
    store("lost-parent", waits, call("c", "new_task", { message: "Do lost-child" }))
    const ended = call("d", "attempt_completion", { result: "It is 9" })
    store("lost-child", { status: "completed", parentTaskId: "lost-parent" }, ended)
  }

  it("are told of once, listed, and imported with what belongs to them", async () => {
    const beside = path.join(vs.workspace, "..", "zoocodeorganization.zoo-code")
    lose(beside)
    const line = "Zoo Code has lost subtasks in 1 task."
    const told = () => vs.editor.told.filter((one) => one.line.includes(line)).length
    await vs.restart()
    assert.deepEqual((await vs.told(line)).actions, ["Find lost tasks"])
    await vs.restart()
    vs.editor.answers.push("Do lost-parent")
    const finding = vs.run("belay.findLostTasks", beside)
    const found = await vs.told('"Do lost-parent": subtask "Do lost-child" has ended; its result was never delivered.')
    found.press("Import")
    const { imported } = (await finding) as { imported: ReadonlyArray<{ taskId: string; status: string }> }
    assert.deepEqual(
      imported.map(({ status, taskId }) => `${taskId} ${status}`),
      ["lost-child completed", "lost-parent interrupted"]
    )
    await vs.told("Imported 2 tasks of Zoo Code.")
    // Its subtask has ended, and its folder is not known.
    assert.strictEqual((await vs.row("Do lost-parent", "Ready")).description, "Ready · $0.00")
    await vs.row("Do lost-child", "Done: It is 9")
    assert.equal(told(), 1)
  })
})
