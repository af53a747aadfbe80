import { readFileSync, rmSync } from "node:fs"
import * as path from "node:path"
import type { Locator } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as Lists from "./vscode/Lists.ts"
import { completes, task, use } from "./vscode/Scripts.ts"
import * as Tasks from "./vscode/Tasks.ts"
import * as View from "./vscode/View.ts"
import * as VSCode from "./vscode/VSCode.ts"

const manifest = JSON.parse(readFileSync(path.resolve(import.meta.dirname, "../extension/package.json"), "utf8"))

describe("the editor around the trees", () => {
  let vs: VSCode.VSCode
  const bar = (text: string) => vs.page.locator(".statusbar-item", { hasText: text }).first()

  /** Runs every command as the palette does, and gives what failed; what it asks is dismissed as a person does. */
  const runAll = async (): Promise<ReadonlyArray<string>> => {
    const going = new Set(["commands"])
    const failed = vs
      .host(async (vscode) => {
        const { exports, packageJSON } = vscode.extensions.getExtension("belay.belay") ?? {}
        const { command: run } = await exports.contributions()
        const found: Array<string> = []
        for (const { command } of packageJSON.contributes.commands) {
          await Promise.resolve(run(command, [])).catch((error: unknown) => found.push(`${command}: ${String(error)}`))
        }
        return found
      })
      .finally(() => going.clear())
    const asked = vs.page.locator(".quick-input-widget:visible, .monaco-dialog-box:visible").first()
    while (going.size > 0) {
      await Promise.race([failed, asked.waitFor().catch(() => undefined)])
      if (going.size > 0) await vs.page.keyboard.press("Escape")
    }
    return failed
  }

  beforeAll(async () => {
    vs = await VSCode.open({
      files: { "my notes/a b.md": "one\ntwo\nthree\n", "a.txt": "let x = y\n" },
      tasks: [
        task("Count the lines", use("execute_command", { command: "seq 1 100" }), completes("Counted")),
        task("Look at", completes("Looked"))
      ],
      settings: { "belay.approvals.commands": { allow: ["seq"], deny: [], other: "ask" } }
    })
    await vs.page.context().grantPermissions(["clipboard-read", "clipboard-write"])
    await vs.showTrees()
  })
  afterAll(() => vs.close())

  it("runs every command of the palette without a task, and nothing throws", async () => {
    assert.deepEqual(await runAll(), [])
  })

  it("says in the status bar what waits, and of which task mode, model and cost are", async () => {
    const owner = await Tasks.owner(vs.env["BELAY_HOME"] ?? "")
    await owner.commit(Tasks.started(1, "Release 2.0"), Tasks.question(1, "Publish?"))
    // The demo, which is one of the commands, waits as well.
    await bar("2 need you").waitFor()
    await owner.commit(Tasks.started(2, "Fix the docs"), Tasks.stopped(2))
    await owner.close()
    await vs.tree("Tasks").row("Fix the docs").waitFor()
    await vs.host(async (vscode, id) => void (await vscode.commands.executeCommand("belay.openTask", id)), Tasks.id(2))
    await bar("Act · model-1").waitFor()
    const label = await bar("Act · model-1").locator("a").getAttribute("aria-label")
    assert.include(label, "of Fix the docs")
    await bar("Act · model-1").click()
    await vs.page.locator(".quick-input-widget", { hasText: '"Fix the docs"' }).waitFor()
    await vs.page.keyboard.press("Escape")
  })

  it("runs every command of the palette with tasks, and nothing throws", async () => {
    assert.deepEqual(await runAll(), [])
  })

  it("shows the conversation as text that grows, and the whole of an output that is shortened", async () => {
    await vs.command("Belay: New task")
    await vs.input("Count the lines")
    await vs.tree("Tasks").row("Count the lines").filter({ hasText: "Done: Counted" }).waitFor()
    await vs.command("Belay: Open conversation as text")
    await vs.until("the end of the conversation", (vscode) =>
      vscode.window.activeTextEditor?.document.getText().includes("Counted") === true ? true : undefined
    )
    const links = await vs.host(async (vscode) => {
      const document = vscode.window.activeTextEditor?.document
      const found: ReadonlyArray<import("vscode").DocumentLink> = await vscode.commands.executeCommand(
        "vscode.executeLinkProvider",
        document?.uri
      )
      const whole: Array<string> = []
      for (const { target } of found) {
        if (target?.scheme === "belay-output") whole.push((await vscode.workspace.openTextDocument(target)).getText())
      }
      return { text: document?.getText() ?? "", whole }
    })
    assert.match(links.text, /^# Count the lines\n\n\d\d:\d\d:\d\d {2}You\n {4}Count the lines\n/)
    assert.match(links.text, / {4}… \d+ lines left out …\n/)
    assert.lengthOf(links.whole, 1)
    assert.include(links.whole[0], "\n50\n51\n")
  })

  it("writes a conversation into a file that the person names", async () => {
    await vs.host((vscode) => void vscode.commands.executeCommand("belay.exportTask"))
    await Lists.press(vs, "Count the lines")
    const name = vs.page.locator(".quick-input-widget:visible input")
    await vs.page.locator(".quick-input-widget:visible", { hasText: 'Export "Count the lines"' }).waitFor()
    await vi.waitFor(async () => assert.match(await name.inputValue(), /\/Count the lines\.md$/), VSCode.patience)
    await vs.page.keyboard.press("Enter")
    await vs.until("the file", async (vscode) => {
      const [found] = await vscode.workspace.findFiles("Count the lines.md")
      return found === undefined ? undefined : true
    })
    const exported = path.join(vs.workspace, "Count the lines.md")
    assert.match(readFileSync(exported, "utf8"), /^# Count the lines\n/)
    // What stands in the folder is told to later tasks, whose answers are chosen by their words.
    rmSync(exported)
  })

  it("begins a task with the file that is chosen, whose name has blanks", async () => {
    const file = path.join(vs.workspace, "my notes/a b.md")
    await vs.host(async (vscode, name) => {
      void vscode.commands.executeCommand("belay.startTaskWith", vscode.Uri.file(name))
    }, file)
    const input = vs.page.locator(".quick-input-widget:visible input")
    await vs.page.locator(".quick-input-widget:visible", { hasText: "What would you like to do?" }).waitFor()
    assert.equal(await input.inputValue(), '@"/my notes/a b.md" ')
    await vs.input('Look at @"/my notes/a b.md"')
    await vs.tree("Tasks").row("Look at").filter({ hasText: "Done: Looked" }).waitFor()
    assert.include(
      JSON.stringify(vs.model.requests.at(-1)?.body),
      String.raw`@\\\"/my notes/a b.md\\\"`.replaceAll("\\\\", "")
    )
  })

  it("offers to fix a problem, with its place and its words", async () => {
    await vs.host(
      async (vscode, name) => {
        const { Diagnostic, Range } = vscode
        const address = vscode.Uri.file(name)
        const problem = new Diagnostic(new Range(0, 8, 0, 9), "Cannot find name 'y'.")
        Object.assign(problem, { source: "ts", code: 2304 })
        vscode.languages.createDiagnosticCollection("story").set(address, [problem])
        await vscode.window.showTextDocument(address)
      },
      path.join(vs.workspace, "a.txt")
    )
    const fixes = await vs.until("the fixes", async (vscode) => {
      const document = vscode.window.activeTextEditor?.document
      const range = new vscode.Range(0, 8, 0, 9)
      const found = await Promise.resolve(
        vscode.commands.executeCommand<ReadonlyArray<import("vscode").CodeAction>>(
          "vscode.executeCodeActionProvider",
          document?.uri,
          range
        )
      ).catch(() => [])
      const own = found.filter(({ title }) => title === "Fix with Belay" || title === "Add problem to task")
      return own.length === 0 ? undefined : own.map(({ command, title }) => [title, command?.arguments?.[0]])
    })
    const text = "@/a.txt:1 Error: Cannot find name 'y'. (ts 2304)"
    assert.deepEqual(fixes, [
      ["Fix with Belay", text],
      ["Add problem to task", text]
    ])
  })

  it("puts what a person points at behind what is written to a task, from the menus of its place", async () => {
    const choose = async (row: Locator, entry: string) => {
      await row.click({ button: "right" })
      const item = vs.page.locator(".monaco-menu .action-label", { hasText: entry }).last()
      await item.hover()
      await item.click()
      await Lists.press(vs, "Fix the docs")
    }
    await vs.host(
      async (vscode, id, name) => {
        await vscode.commands.executeCommand("belay.openTask", id)
        const control = vscode.scm.createSourceControl("story", "Story")
        control.createResourceGroup("changes", "Changes").resourceStates = [{ resourceUri: vscode.Uri.file(name) }]
        await vscode.commands.executeCommand("workbench.view.scm")
      },
      Tasks.id(2),
      path.join(vs.workspace, "a.txt")
    )
    await choose(vs.page.locator(".scm-view .monaco-list-row", { hasText: "a.txt" }), "Add to task")
    await vs.host(async (vscode) => {
      const terminal = vscode.window.createTerminal("story")
      terminal.show()
      Object.assign(globalThis, { terminal })
    })
    await vs.until("the shell", (vscode) => vscode.window.activeTerminal?.shellIntegration && true)
    await vs.host(async (vscode) => {
      const ended = new Promise<void>((resolve) => {
        vscode.window.onDidEndTerminalShellExecution(() => resolve())
      })
      vscode.window.activeTerminal?.shellIntegration?.executeCommand("echo $((40 + 2))")
      await ended
    })
    await vs.showTrees()
    const { composer } = await View.find(vs.page, async (view) => (await view.composer.inputValue()) !== "")
    assert.equal(await composer.inputValue(), "@/a.txt ")
    await choose(vs.page.locator(".terminal-wrapper .xterm-screen"), "Add last command's output")
    await vs.page.locator(".statusbar-item", { hasText: 'Added to the message to "Fix the docs".' }).waitFor()
    const text = "@/a.txt  Terminal output:\n```\n42\n```\n"
    await vi.waitFor(async () => assert.equal(await composer.inputValue(), text), VSCode.patience)
    await composer.fill("")
    await vs.host((vscode) => vscode.window.activeTerminal?.dispose())
  })

  it("begins a task in an editor of its own, and the side bar goes on with its task", async () => {
    await vs.command("Belay: New task in editor")
    const isNew = async (view: View.View) =>
      (await view.composer.getAttribute("aria-label")) === "What would you like to do?"
    const { send } = await View.find(vs.page, isNew)
    await send("Look at the other side")
    await vs.tree("Tasks").row("Look at the other side").filter({ hasText: "Done: Looked" }).waitFor()
    await vs.page.locator(".tab", { hasText: "Look at the other side" }).waitFor()
    await View.find(vs.page, ({ frame }) => frame.locator("h1", { hasText: "Fix the docs" }).isVisible())
  })

  it("takes no key of the editor's own, and none that types a character", async () => {
    const defaults = await vs.host(async (vscode) => {
      const address = vscode.Uri.parse("vscode://defaultsettings/keybindings.json")
      return (await vscode.workspace.openTextDocument(address)).getText()
    })
    const all: ReadonlyArray<{ readonly key: string; readonly command: string; readonly when?: string }> = JSON.parse(
      defaults.replaceAll(/^\s*\/\/.*$/gm, "")
    )
    const taken = all.filter(({ command }) => !command.startsWith("belay."))
    assert.isAbove(taken.length, 500)
    for (const { command, key, when } of manifest.contributes.keybindings) {
      assert.notMatch(key, /ctrl\+alt\+[a-z]\b/)
      const same = taken.filter((other) => other.key === key && (other.when === when || other.when === undefined))
      assert.deepEqual(same, [], `${command} has the key ${key}`)
    }
  })

  it("shows its demo without a key and without a network, with an approval, a subtask and a result", async () => {
    const before = vs.model.requests.length
    await vs.host(async (vscode) => {
      Object.assign(globalThis, { demo: await vscode.commands.executeCommand("belay.demo") })
    })
    /** Until the row of this demo says it; those of others say it too. */
    const says = async (words: string) => {
      await vs.host(async (_, wanted) => void Object.assign(globalThis, { wanted }), words)
      await vs.until(words, async (vscode) => {
        const { contributions } = vscode.extensions.getExtension("belay.belay")?.exports ?? {}
        const { description } = (await contributions()).tree("belay.tasks").getTreeItem(Reflect.get(globalThis, "demo"))
        return String(description).startsWith(Reflect.get(globalThis, "wanted")) || undefined
      })
    }
    await says("Needs you")
    await vs.host(
      async (vscode) => void (await vscode.commands.executeCommand("belay.allowOnce", Reflect.get(globalThis, "demo")))
    )
    await says("Done: The demo is done.")
    assert.equal(vs.model.requests.length, before)
  })

  it("opens its walkthrough", async () => {
    await vs.command("Belay: Walkthrough")
    await vs.page.getByText("Get started with Belay").first().waitFor()
  })
})
