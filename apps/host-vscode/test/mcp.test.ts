import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as InProcess from "./vscode/InProcess.ts"
import { completes, task, use } from "./vscode/Scripts.ts"
import * as ToolServer from "./vscode/ToolServer.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

/** Where a person could overlook something: behind much else, deep, and with what steers a display. */
const given = { text: `${"long ".repeat(2000)}end\u202E`, also: { deep: ["kept", "sk-behind-it-all"] } }

describe("MCP servers", () => {
  let vs: InProcess.InProcess
  let home: string
  const beside = (name: string) => path.join(home, "server", name)
  const definition = () => ({ command: process.execPath, args: [ToolServer.fileIn(path.join(home, "server"))] })
  const shows = (text: string, state: string) => vs.shows("belay.mcp", text, state)

  beforeAll(async () => {
    vs = await InProcess.open({
      before: async (folder) => {
        home = folder
        ToolServer.write(path.join(home, "server"))
        writeFileSync(path.join(home, "mcp.json"), JSON.stringify({ mcpServers: { notes: definition() } }))
      },
      tasks: [
        task("Ask first", use("use_mcp_tool", { server: "notes", tool: "jot", arguments: given }), completes("Asked")),
        task("Use it", use("use_mcp_tool", { server: "notes", tool: "jot", arguments: {} }), completes("Used"))
      ]
    })
  })
  afterAll(() => vs.close())

  it("show why one failed, and a restart brings it and its tools", async () => {
    await shows("notes", "Failed: The server exited with 3. It said: no licence.")
    rmSync(beside("broken"))
    await vs.run("belay.restartMcpServer", "notes")
    await shows("notes", "Connected · 1 tool")
    await shows("jot", "asks")
  })

  it("are asked about with the very arguments that the server then gets", async () => {
    await vs.run("belay.newTask", "Ask first")
    const ask = await vs.until(async () => (await vs.rows("belay.needsYou"))[0])
    assert.match(ask.label, /^Use notes › jot \{ "text": "long long .*"sk-behind-it-all" \] \} \}$/)
    const details = await vs.rows("belay.needsYou", ask.id)
    const known = new Map(details.map(({ label, tooltip = "" }) => [label, tooltip.slice(label.length + 1)]))
    assert.deepEqual([known.get("Server"), known.get("Tool")], ["notes", "jot"])
    const shown = known.get("Arguments") ?? ""
    assert.notInclude(shown, "\u202E")
    assert.isTrue(
      (ask.tooltip ?? "").includes(shown.replaceAll("\n", "\n    ")),
      "whole in the tooltip of the row, too"
    )
    await vs.run("belay.allowOnce", ask.id)
    await vs.row("Ask first", "Done: Asked")
    assert.deepEqual(JSON.parse(shown), JSON.parse(readFileSync(beside("received"), "utf8")))
    await vs.run("belay.openTranscriptAsText", (await vs.row("Ask first", "Done: Asked")).id)
    assert.include(vs.editor.text, "Use notes › jot")
    assert.include(vs.editor.text, "sk-behind-it-all")
  })

  it("have tools that are allowed, marked and switched off, in the user's own settings and file", async () => {
    await vs.run("belay.allowMcpTool", "notes/jot")
    await shows("jot", "allowed")
    assert.deepEqual(vs.editor.settings.get("belay.approvals.mcp"), {
      "*": "ask",
      "notes/jot": "allow"
    })
    await vs.run("belay.markMcpToolReadOnly", "notes/jot")
    await shows("jot", "allowed · read-only (you marked it)")
    await vs.run("belay.disableMcpTool", "notes/jot")
    await shows("jot", "switched off")
    assert.deepEqual(JSON.parse(readFileSync(path.join(home, "mcp.json"), "utf8")).tools, {
      "notes/jot": "disabled"
    })
    await vs.run("belay.disableMcpTool", "notes/jot")
    await shows("jot", "allowed")
  })

  it("are used by a task as the settings allow, and ask again when a tool has changed, until it is approved", async () => {
    await vs.run("belay.newTask", "Use it")
    await vs.row("Use it", "Done: Used")
    assert.include(JSON.stringify(vs.model.requests.at(-1)?.body), "Noted")
    writeFileSync(beside("changed"), "")
    await vs.run("belay.restartMcpServer", "notes")
    await shows("jot", "asks: it has changed or is new")
    await vs.run("belay.approveMcpTool", "notes/jot")
    await shows("jot", "allowed")
  })

  it("of a project are not started before a person has looked at them", async () => {
    mkdirSync(path.join(vs.workspace, ".belay"))
    const file = path.join(vs.workspace, ".belay", "mcp.json")
    writeFileSync(file, JSON.stringify({ mcpServers: { theirs: definition() } }))
    await shows("theirs", "From this project. Not started: the folder is not trusted.")
    const asked = vs.run("belay.trustMcpServers")
    const picker = await vs.until(() => vs.editor.picker)
    assert.include(vs.editor.text, ".belay/mcp.json (1 line)")
    assert.include(vs.editor.text, "theirs")
    const choices = picker.items.map(({ choice }) => choice)
    assert.isUndefined(choices[0], "Enter on what is there first does nothing")
    assert.deepEqual(
      choices.filter((choice) => choice !== undefined),
      [{ trusted: false }, { trusted: true }]
    )
    await vi.waitFor(
      () => {
        picker.accept("2  Trust this content")
        assert.isUndefined(vs.editor.picker)
      },
      { timeout: 10_000 }
    )
    await asked
    await shows("theirs", "Connected · 1 tool")
    writeFileSync(file, JSON.stringify({ mcpServers: { theirs: { ...definition(), timeoutSeconds: 9 } } }))
    await shows("theirs", "Not started: the folder is not trusted.")
  })
})
