import { existsSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as InProcess from "./vscode/InProcess.ts"
import * as StandIn from "./vscode/StandIn.ts"
import { completes, task, writes } from "./vscode/Scripts.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

const says = (text: string) => ({ content: [{ type: "text" as const, text }] })

describe("a turn that is over", () => {
  let vs: InProcess.InProcess
  const begin = async (prompt: string): Promise<string> => String(await vs.run("belay.newTask", prompt))
  const waiting = () => vs.rows("belay.needsYou")
  const view = () => {
    const shown = vs.openTaskView()
    shown.say({ type: "ready", task: null })
    return shown
  }

  beforeAll(async () => {
    vs = await InProcess.open({
      settings: { "belay.completion": "ask" },
      tasks: [
        task("Explain it", says("## It is **done**."), { ...completes("Documented"), on: "And the docs?" }),
        task("Count to three", completes("Was counted"), { ...completes("Four"), on: "Once more" }),
        task("Change it", says("Ready."), says("Not said."), says("Changed."), {
          ...writes("changed.txt", "1\n"),
          on: "Go"
        })
      ]
    })
  })
  afterAll(() => vs.close())

  it("asks nobody, is done, offers nothing to stop or resume, and is settled by no other task", async () => {
    const id = await begin("Explain it")
    const { contextValue } = await vs.row("Explain it", "Done: It is done.")
    for (const offer of [" stop ", " resume ", " answer "]) assert.notInclude(contextValue, offer)
    assert.deepEqual(await waiting(), [])
    assert.isUndefined(vs.views["belay.needsYou"].badge)
    await begin("Count to three")
    await vs.row("Count to three", "Done: Was counted")
    const { heard } = view()
    await vs.run("belay.openTask", id)
    const found = await vi.waitFor(() => {
      const last = heard.findLast((one) => one.type === "snapshot" && one.task === id)
      if (last?.type !== "snapshot") throw new Error("it is not shown yet")
      return last
    })
    assert.deepEqual(found.asks, [])
    // Neither of them writes.
    assert.deepEqual(vs.editor.told, [])
    assert.deepEqual(
      found.header?.bars.map(({ buttons, tone }) => [tone, buttons]),
      [["done", []]]
    )
    assert.isFalse(found.header?.done, "what is said next goes on with it")
  })

  it("is done as well when the window was closed and opened, and what is said then goes on in place", async () => {
    await vs.restart()
    for (const [title, text, result] of [
      ["Explain it", "And the docs?", "Documented"],
      ["Count to three", "Once more", "Four"]
    ] as const) {
      const row = await vs.row(title, "Done")
      assert.notInclude(String(row.description), "Interrupted")
      const shown = view()
      await vs.run("belay.openTask", row.id)
      shown.say({ type: "send", task: row.id, text })
      const after = await vs.row(title, `Done: ${result}`)
      assert.equal(after.id, row.id)
      assert.include(JSON.stringify(vs.model.requests.at(-1)?.body), text)
    }
    assert.deepEqual(await waiting(), [])
  })

  it("goes on with another model and with fewer questions, where that was chosen for it and for no other", async () => {
    const id = await begin("Change it")
    await vs.row("Change it", "Done: Ready.")
    vs.editor.answers.push("claude-opus-4-8")
    await vs.run("belay.chooseTaskModel", id)
    vs.editor.answers.push("Reads and edits")
    await vs.run("belay.chooseApprovals", id)
    const shown = view()
    await vs.run("belay.openTask", id)
    shown.say({ type: "send", task: id, text: "Go" })
    await vs.row("Change it", "Done: Changed.")
    assert.equal(vs.model.requests.at(-1)?.body.model, "claude-opus-4-8")
    assert.isTrue(existsSync(path.join(vs.workspace, "changed.txt")))
    assert.deepEqual(await waiting(), [])
    const { heard } = view()
    const header = await vi.waitFor(() => {
      const last = heard.findLast((one) => one.type === "snapshot" && one.task === id)
      if (last?.type !== "snapshot") throw new Error("it is not shown yet")
      return last.header
    })
    assert.equal(header?.approvals, "edits")
    assert.include(header?.price, " in, ")
    assert.isAbove(header?.context.limit ?? 0, 100_000)
  })

  it("says in its tooltip what somebody said last, and nothing that only the model is told", async () => {
    const row = await vs.row("Explain it", "Done")
    const item = await vs.tree("belay.tasks").resolveTreeItem?.(row as never, row.id, undefined as never)
    const text = JSON.stringify(item?.tooltip)
    assert.include(text, "Last: ")
    assert.notInclude(text, "environment")
  })

  it("has its settings where they can be changed, which in a remote window is the other machine", async () => {
    await vs.run("belay.openSettings")
    Object.assign(StandIn.env, { remoteName: "ssh-remote" })
    await vs.run("belay.openSettings")
    Object.assign(StandIn.env, { remoteName: undefined })
    assert.deepEqual(vs.editor.performed.slice(-2), [
      ["workbench.action.openSettings", "@ext:belay.belay"],
      ["workbench.action.openRemoteSettings", { query: "@ext:belay.belay" }]
    ])
  })
})
