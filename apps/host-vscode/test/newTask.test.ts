import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as InProcess from "./vscode/InProcess.ts"
import { completes, task, use, writes } from "./vscode/Scripts.ts"
import * as StandIn from "./vscode/StandIn.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

describe("a new task", () => {
  let vs: InProcess.InProcess

  beforeAll(async () => {
    vs = await InProcess.open({
      tasks: [
        task("Write the parser", writes("parse.ts", "export {}\n"), completes("Wrote parse.ts")),
        task("Write the printer", writes("print.ts", "export {}\n"), completes("Went without")),
        task("Style the page", { ...completes("Styled"), hold: "page" }),
        task("Look through the link", writes("through.ts", "export {}\n"), completes("Looked")),
        task("Mind the rules", { ...use("list_files", { path: "." }), hold: "rules" }, completes("Minded"))
      ]
    })
  })
  afterAll(() => vs.close())

  it("runs, waits for an approval, and is done", async () => {
    vs.editor.answers.push("Write the parser")
    const id = await vs.run("belay.newTask")
    await vs.row("Write the parser", "Needs you")
    const [ask] = await vs.rows("belay.needsYou")
    assert.include(ask?.label, "Write parse.ts")
    assert.isFalse(existsSync(path.join(vs.workspace, "parse.ts")))

    await vs.run("belay.allowOnce", ask?.id)
    await vs.row("Write the parser", "Done: Wrote parse.ts")
    assert.deepEqual(await vs.rows("belay.needsYou"), [])
    assert.equal(readFileSync(path.join(vs.workspace, "parse.ts"), "utf8"), "export {}\n")
    await vs.run("belay.openTranscriptAsText", id)
    assert.isTrue(vs.editor.text.startsWith("# Write the parser\n"))
    assert.match(vs.editor.text, /^\d\d:\d\d:\d\d {2}Done.*\n {4}Wrote parse\.ts$/m)
    assert.match(vs.editor.text, /^\d\d:\d\d:\d\d {2}write_to_file parse\.ts {2}· {2}you allowed it once$/m)
  })

  it("does not do what a person has denied, and is told so", async () => {
    await vs.run("belay.newTask", "Write the printer")
    const ask = await vs.until(async () => (await vs.rows("belay.needsYou"))[0])
    await vs.run("belay.deny", ask.id)
    await vs.row("Write the printer", "Done: Went without")
    assert.isFalse(existsSync(path.join(vs.workspace, "print.ts")))
    assert.include(JSON.stringify(vs.model.requests.at(-1)?.body), "rejected this call")
  })

  it("follows the rules of its folder once a person has trusted their content", async () => {
    writeFileSync(path.join(vs.workspace, "AGENTS.md"), "Answer in verse.")
    mkdirSync(path.join(vs.workspace, "pkg"))
    writeFileSync(path.join(vs.workspace, "pkg", "AGENTS.md"), "Tabs.")
    await vs.run("belay.newTask", "Mind the rules")
    const first = await vs.told("has instructions for the model (AGENTS.md, pkg/AGENTS.md)")
    assert.deepEqual(first.actions, ["Look at it", "Ignore it"], "nothing is trusted before its texts are open")
    first.press("Look at it")
    const { actions, press } = await vs.told("Trust the 2 files of the folder")
    assert.equal(
      vs.editor.text,
      "2 files count once they are trusted.\n\nAGENTS.md (1 line)\n  Answer in verse.\npkg/AGENTS.md (1 line)\n  Tabs.\n"
    )
    assert.deepEqual(actions, ["Ignore it", "Trust this content"])
    press("Trust this content")
    const said = path.join(vs.home, "trust.json")
    await vi.waitFor(() => assert.include(readFileSync(said, "utf8"), "true"))
    assert.include(readFileSync(said, "utf8"), '"pkg/AGENTS.md"', "what is below the folder is trusted with it")
    vs.model.release("rules")
    await vs.row("Mind the rules", "Done: Minded")
    const texts = vs.model.requests.map(({ body }) => JSON.stringify(body))
    const requests = texts.filter((text) => text.includes("Mind the rules"))
    assert.deepEqual(
      requests.map((text) => text.includes("Answer in verse.")),
      [false, true]
    )
  })

  it("of several folders works in the one that is chosen, is named with it, and is stopped when that is taken away", async () => {
    const root = path.join(vs.workspace, "..", "web")
    mkdirSync(root)
    const web = { name: "web", uri: StandIn.Uri.file(path.resolve(root)) }
    vs.editor.folders.push(web)
    vs.editor.answers.push("web", "Style the page")
    await vs.run("belay.newTask")
    const { description } = await vs.row("Style the page", "Running")
    assert.match(description ?? "", / · web$/)
    vs.editor.folders.pop()
    vs.editor.changedFolders.fire({ removed: [web] })
    await vs.told("The folder web was removed from the workspace. The task was stopped.")
    await vs.row("Style the page", "Interrupted: VS Code was closed")
  })

  it("does not begin in a folder that is gone", async () => {
    const sent = vs.model.requests.length
    const opened = vs.editor.folders.splice(0)
    vs.editor.folders.push({ name: "gone", uri: StandIn.Uri.file(path.join(vs.workspace, "..", "gone")) })
    assert.isUndefined(await vs.run("belay.newTask", "Write the parser"))
    assert.match(vs.editor.told.at(-1)?.line ?? "", /^The folder .*gone is gone\. Open another one\.$/)
    assert.equal(vs.model.requests.length, sent)
    vs.editor.folders.splice(0, 1, ...opened)
  })

  it("in a folder that was opened through a link works in the folder itself, where its files are inside", async () => {
    const link = path.join(vs.workspace, "..", "link")
    symlinkSync(vs.workspace, link)
    const opened = vs.editor.folders.splice(0)
    vs.editor.folders.push({ name: "link", uri: StandIn.Uri.file(path.resolve(link)) })
    const id = await vs.run("belay.newTask", "Look through the link")
    const ask = await vs.until(async () => (await vs.rows("belay.needsYou"))[0])
    assert.include(ask.label, "Write through.ts", "a file outside is named by its whole path")
    await vs.run("belay.allowOnce", ask.id)
    await vs.row("Look through the link", "Done: Looked")
    await vs.run("belay.openTranscriptAsText", id)
    assert.notInclude(vs.editor.text, "outside")
    assert.isTrue(existsSync(path.join(vs.workspace, "through.ts")))
    vs.editor.folders.splice(0, 1, ...opened)
  })
})
