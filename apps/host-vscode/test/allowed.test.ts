import * as FolderGrants from "@belay/task-engine/unstable/folder-grants"
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as InProcess from "./vscode/InProcess.ts"
import { completes, task, use } from "./vscode/Scripts.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

const runs = use("execute_command", { command: "bash run.sh" })

describe("what is allowed always", () => {
  let vs: InProcess.InProcess
  const ran = (): number => {
    const file = path.join(vs.workspace, "ran")
    return existsSync(file) ? readFileSync(file, "utf8").length : 0
  }
  const grants = () => FolderGrants.make(vs.home)
  const stored = async (folder: string) => (await Effect.runPromise(grants().of(folder))).entries
  /** Chooses a row until it counts: what is chosen right after the list opened does not. */
  const accept = async (label: string) => {
    await vs.until(() => (vs.editor.picker?.items.some((item) => item.label === label) === true ? true : undefined))
    const again = setInterval(() => vs.editor.picker?.accept(label), 50)
    await vs.until(() => (vs.editor.picker === undefined ? true : undefined))
    clearInterval(again)
  }
  const asked = () => vs.until(async () => (await vs.rows("belay.needsYou")).at(0))
  const listed = async (label: string) => {
    const found = () => vs.editor.picker?.items.find((item) => item.label.includes(label))
    return await vs.until(() => found())
  }

  beforeAll(async () => {
    vs = await InProcess.open({
      settings: { "belay.approvals.commands": { allow: ["=uname -s"] } },
      tasks: [
        task("First", runs, completes("Ran first")),
        task("Second", runs, completes("Ran second")),
        task("Third", runs, completes("Ran third"))
      ]
    })
    writeFileSync(path.join(vs.workspace, "run.sh"), "echo >> ran\n")
  })
  afterAll(() => vs.close())

  it("is asked with the folder where it holds, kept for that folder and in no setting, and not asked again there", async () => {
    await vs.run("belay.newTask", "First")
    const { id } = await asked()
    const answered = vs.run("belay.allowAlways", id)
    await accept("Always in this project (folder workspace): the command 'bash run.sh'")
    await answered
    await vs.row("First", "Done: Ran first")
    await vs.told("You allowed the command 'bash run.sh' always in this project (folder workspace).")
    assert.deepEqual(vs.editor.settings.get("belay.approvals.commands"), { allow: ["=uname -s"] })
    assert.deepEqual(
      (await stored(vs.workspace)).map(({ folder, rule }) => [folder, rule]),
      [[vs.workspace, { type: "command", command: "bash run.sh", cwd: vs.workspace }]]
    )
    await vs.run("belay.newTask", "Second")
    await vs.row("Second", "Done: Ran second")
    assert.equal(ran(), 2)
  })

  it("is listed for its folder beside the settings, and is asked again once it is taken back there", async () => {
    const other = path.join(vs.home, "..", "other")
    mkdirSync(other)
    const rule = { type: "command", command: "make", cwd: other } as const
    await Effect.runPromise(grants().add(other, [rule]))
    const { id: first } = await vs.row("First", "Done: Ran first")
    const showing = vs.run("belay.showAllowed", first)
    const row = await listed("the command 'bash run.sh'")
    assert.equal(row.description, "always, in this project (folder workspace)")
    const earlier = await listed("uname -s")
    assert.equal(earlier.description, "in your user settings from an earlier version: asks in each folder")
    assert.isUndefined(vs.editor.picker?.items.find(({ label }) => label.includes("make")))
    vs.editor.picker?.press(earlier.label, "Allow in every folder")
    await vs.until(async () =>
      (await listed("uname -s")).description?.startsWith("in every folder") ? true : undefined
    )
    assert.deepEqual([...(await Effect.runPromise(grants().everywhere))], ["uname -s"])
    vs.editor.picker?.press(row.label, "Do not allow any more")
    await vs.until(() => {
      const items = vs.editor.picker?.items ?? []
      return items.length > 0 && !items.some(({ label }) => label === row.label) ? true : undefined
    })
    vs.editor.picker?.hide()
    await showing
    assert.deepEqual([(await stored(vs.workspace)).length, (await stored(other)).length], [0, 1])
    await vs.run("belay.newTask", "Third")
    const { id } = await asked()
    await vs.run("belay.deny", id)
    await vs.row("Third", "Done: Ran third")
    assert.equal(ran(), 2)
  })

  it("is never the tool of a server that the project brings by a setting, which would hold in every folder", async () => {
    mkdirSync(path.join(vs.workspace, ".belay"))
    const servers = { theirs: { command: process.execPath } }
    writeFileSync(path.join(vs.workspace, ".belay", "mcp.json"), JSON.stringify({ mcpServers: servers }))
    await vs.run("belay.allowMcpTool", "theirs/jot")
    await vs.told("The project brings theirs, and a setting would hold in every folder.")
    assert.isFalse(vs.editor.settings.has("belay.approvals.mcp"))
  })
})
