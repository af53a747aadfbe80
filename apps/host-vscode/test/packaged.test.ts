import { spawnSync } from "node:child_process"
import { createReadStream, mkdtempSync, readFileSync, readdirSync, type ReadStream, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Asks from "./vscode/Asks.ts"
import * as Cli from "./vscode/Cli.ts"
import * as Package from "./vscode/Package.ts"
import { completes, task, use } from "./vscode/Scripts.ts"
import * as VSCode from "./vscode/VSCode.ts"

/** Says that it runs, also in a pipe that it and all it started keep open, and then waits for ever. */
const command = "echo visible; (echo ran >> runs.log; echo started; cat never) > alive"

/** The text as soon as there is some, and the end when every writer is gone. */
const listen = (pipe: ReadStream) => {
  const started = Promise.withResolvers<string>()
  pipe.setEncoding("utf8").on("data", (text) => started.resolve(String(text)))
  return { started: started.promise, gone: new Promise<void>((resolve) => void pipe.on("end", resolve)) }
}

describe("the package", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "belay-package-"))
  let vs: VSCode.VSCode
  /** The package after the first, without what takes long to pack. */
  let next: string

  const begin = (prompt: string): Promise<any> =>
    vs.host((vscode, prompt) => vscode.commands.executeCommand("belay.newTask", prompt), prompt)
  const row = (title: string, state = "") => vs.tree("Tasks").row(title).filter({ hasText: state })
  const version = () => vs.host((vscode) => vscode.extensions.getExtension("belay.belay")?.packageJSON.version)
  const focused = () => vs.page.evaluate("document.activeElement.outerHTML.slice(0, 100)")
  /** As the command line sees it while the extension is not there. */
  const isStopped = async (id: string): Promise<void> => {
    assert.isUndefined(await version())
    const { interruption, status } = await Cli.json(vs, ["task", "show", id])
    assert.deepEqual([status, interruption.reason], ["interrupted", "host"])
  }
  const lastMessage = (): string => JSON.stringify(vs.model.requests.at(-1)?.body.messages.at(-1))

  beforeAll(async () => {
    vs = await VSCode.open({
      vsix: Package.make(folder, "0.0.1"),
      // What a terminal shows can be read.
      settings: { "terminal.integrated.gpuAcceleration": "off" },
      files: { "notes.md": "the needle is here\n" },
      tasks: [
        task("Find the needle", use("search_files", { path: ".", regex: "needle" }), completes("Found it")),
        task("Run the tests", use("execute_command", { command }), completes("Tested")),
        task("Upgrade eslint", { ...completes("Upgraded"), hold: "eslint" }),
        task("Tidy up", { ...completes("Tidied"), hold: "tidy" })
      ]
    })
    for (const pipe of ["alive", "never"]) spawnSync("mkfifo", [path.join(vs.workspace, pipe)])
    await vs.showTrees()
  })
  afterAll(async () => {
    await vs.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it("is small and has what a marketplace shows, and no source maps", () => {
    const size = statSync(path.join(folder, "belay-0.0.1.vsix")).size
    process.stdout.write(`The package has ${(size / 1000).toFixed(0)} kB.\n`)
    // More than half of it are grammars.
    assert.isBelow(size, 3_700_000)
    const files = readdirSync(path.join(folder, "dist-0.0.1"), { recursive: true, encoding: "utf8" })
    assert.includeMembers(files, ["package.json", "README.md", "CHANGELOG.md", "LICENSE", "media/icon.png"])
    assert.includeMembers(files, ["THIRD-PARTY-NOTICES.txt", "sbom.cdx.json"])
    assert.deepEqual(
      files.filter((file) => /\.(map|ts|tsbuildinfo)$|node_modules/.test(file)),
      []
    )
  })

  it("is installed and activated, and searches with the program of the editor", async () => {
    assert.equal(await version(), "0.0.1")
    await begin("Find the needle")
    await row("Find the needle", "Done: Found it").waitFor()
    assert.include(lastMessage(), "notes.md")
  })

  it("killed in the middle of a command: the command is gone, not run again, and the model is told", async () => {
    const { gone, started } = listen(createReadStream(path.join(vs.workspace, "alive")))
    const requests = vs.model.requests.length + 1
    const id = await begin("Run the tests")
    await vs.tree("Needs you").act("Run echo visible", "Allow once")
    assert.equal(await started, "started\n")
    const focus = await focused()
    await Asks.run(vs, "showCommands", id)
    await vs.page.locator(".xterm-rows", { hasText: "visible" }).waitFor()
    assert.equal(await focused(), focus)
    assert.deepEqual(await vs.host((vscode) => vscode.window.terminals.map(({ name }) => name)), [
      "Belay: Run the tests"
    ])
    await vs.killHost()
    await gone
    await row("Run the tests", "Interrupted: the process ended").waitFor()
    assert.equal(vs.model.requests.length, requests)

    await vs.tree("Tasks").act("Run the tests", "Resume")
    await row("Run the tests", "Done: Tested").waitFor()
    assert.equal(readFileSync(path.join(vs.workspace, "runs.log"), "utf8"), "ran\n")
    assert.include(lastMessage(), "It is not known how far it got")
    const watch = Cli.start(vs, ["task", "watch", id, "--output", "stream-json"])
    watch.endInput()
    const { stdout } = await watch.exit
    assert.isTrue(stdout.some((line) => line.includes('"unknown"')))
  })

  it("disabled and updated while a task runs, leaves it interrupted, and enabled again goes on with it", async () => {
    const page = (action: string) => vs.page.locator(".extension-editor").getByRole("button", { name: action }).first()
    const open = () => vs.host((vscode) => void vscode.commands.executeCommand("extension.open", "belay.belay"))
    const id = await begin("Upgrade eslint")
    await row("Upgrade eslint", "Running").waitFor()
    await open()
    await page("Disable").click()
    await page("Enable").waitFor()
    next = Package.make(folder, "0.0.2", ["grammars"])
    vs.update(next)
    await vs.reload()
    await isStopped(id)
    await open()
    await page("Enable").click()
    await vs.until("the extension", (vscode) => vscode.extensions.getExtension("belay.belay")?.isActive || undefined)
    assert.equal(await version(), "0.0.2")
    await vs.showTrees()
    // Whether it had the time to leave is the editor's to say.
    await row("Upgrade eslint", "Interrupted: ").waitFor()
    vs.model.release("eslint")
    await vs.tree("Tasks").act("Upgrade eslint", "Resume")
    await row("Upgrade eslint", "Done: Upgraded").waitFor()
  })

  it("taken away while a task runs, leaves it interrupted, and installed again goes on with it", async () => {
    const id = await begin("Tidy up")
    await row("Tidy up", "Running").waitFor()
    vs.remove()
    await vs.reload()
    await isStopped(id)
    vs.update(next)
    await vs.reload()
    await vs.showTrees()
    vs.model.release("tidy")
    await row("Tidy up", "Interrupted: ").waitFor()
    await vs.tree("Tasks").act("Tidy up", "Resume")
    await row("Tidy up", "Done: Tidied").waitFor()
  })
})
