import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Cli from "./vscode/Cli.ts"
import * as Tasks from "./vscode/Tasks.ts"
import * as VSCode from "./vscode/VSCode.ts"

const list = `# Release

> note of mine
- [x] Write the parser <!-- one -->
- [-] Wire the CLI <!-- two -->
* [ ] Update the docs
`

describe("the checklist", () => {
  let vs: VSCode.VSCode
  const fileOf = (n: number): string =>
    path.join(vs.env["BELAY_HOME"] ?? "", "tasks", Tasks.id(n), `focus_chain_taskid_${Tasks.id(n)}.md`)
  const write = (n: number, text: string): void => {
    mkdirSync(path.dirname(fileOf(n)), { recursive: true })
    writeFileSync(fileOf(n), text)
  }
  const read = (n = 1): string => readFileSync(fileOf(n), "utf8")
  const row = (text: string) => vs.tree("Checklist").row(text)
  const tick = (text: string) => row(text).locator(".custom-view-tree-node-item-checkbox").click()
  const show = (n: number) =>
    vs.host(async (vscode, id) => void (await vscode.commands.executeCommand("belay.openTask", id)), Tasks.id(n))
  /** Every row: how deep it is, what it says to a screen reader, and its description. */
  const rows = () =>
    vs.host(async (vscode) => {
      const { contributions } = vscode.extensions.getExtension("belay.belay")?.exports ?? {}
      const tree = (await contributions()).tree("belay.checklist")
      const found: Array<string> = []
      const visit = async (element: string | undefined, depth: string): Promise<void> => {
        for (const child of await tree.getChildren(element)) {
          const { accessibilityInformation, description } = tree.getTreeItem(child)
          found.push(`${depth}${accessibilityInformation.label} | ${description}`)
          await visit(child, `${depth}  `)
        }
      }
      await visit(undefined, "")
      return found
    })

  beforeAll(async () => {
    vs = await VSCode.open()
    const owner = await Tasks.owner(vs.env["BELAY_HOME"] ?? "")
    await owner.commit(Tasks.started(1, "Release 2.0"), Tasks.delegated(1, 2, "Wire the CLI"))
    await owner.commit(Tasks.begun(2), Tasks.stopped(2))
    await owner.commit(Tasks.started(3, "Upgrade eslint"), Tasks.stopped(3))
    await owner.close()
    write(1, list)
    write(2, "- [ ] Parse the flags <!-- a -->\n")
    await vs.showTrees()
    await show(1)
    await row("Wire the CLI").waitFor()
  })
  afterAll(() => vs.close())

  it("shows each item in words, and a subtask's list under the item of its name", async () => {
    assert.deepEqual(await rows(), [
      "Write the parser, checked | ",
      'Wire the CLI, in progress, not checked | in progress · subtask "Wire the CLI"',
      "  Parse the flags, not checked | ",
      "Update the docs, not checked | "
    ])
    await vs.picture("checklist")
  })

  it("changes exactly one line of the file for a box that is ticked, of a task that nobody runs", async () => {
    await tick("Update the docs")
    await vs.tree("Checklist").root.getByText("Release 2.0 · 2/3").waitFor()
    const before = list.split("\n")
    const changed = read()
      .split("\n")
      .filter((line, index) => line !== before[index])
    assert.lengthOf(changed, 1)
    assert.match(changed[0] ?? "", /^\* \[x\] Update the docs <!-- \w+ -->$/)
    await vs.tree("Checklist").root.getByText("You edited the list.").waitFor()
  })

  it("counts the same in the tree of tasks and in the command line", async () => {
    await vs.tree("Tasks").row("Release 2.0").filter({ hasText: "2/3" }).waitFor()
    const { tasks } = await Cli.json(vs, ["task", "list"])
    assert.deepInclude(tasks, {
      ...tasks.find(({ id }: { readonly id: string }) => id === Tasks.id(1)),
      checklist: { done: 2, total: 3 }
    })
  })

  it("follows an editor that saves in place, by renaming over, or by deleting and creating", async () => {
    writeFileSync(fileOf(1), read().replace("Write the parser", "Write it in place"))
    await row("Write it in place").waitFor()
    writeFileSync(`${fileOf(1)}.new`, read().replace("Write it in place", "Write it renamed"))
    renameSync(`${fileOf(1)}.new`, fileOf(1))
    await row("Write it renamed").waitFor()
    const text = read().replace("Write it renamed", "Write it anew")
    rmSync(fileOf(1))
    writeFileSync(fileOf(1), text)
    await row("Write it anew").waitFor()
  })

  it("opens the file in an editor, whose first line says who uses it", async () => {
    await vs.command("Belay: Open checklist file")
    await vs.page.getByText('Used by "Release 2.0" (blocked)').waitFor()
  })

  it("does not overwrite what is typed in the editor and not saved", async () => {
    const before = read()
    await vs.host(async (vscode) => {
      await vscode.window.activeTextEditor?.edit((edit) => edit.insert(new vscode.Position(1, 0), "typed by me\n"))
    })
    await tick("Update the docs")
    const text = await vs.until("the tick in the editor", (vscode) => {
      const document = vscode.window.activeTextEditor?.document
      return document?.getText().includes("[ ] Update the docs") ? document.getText() : undefined
    })
    assert.isTrue(text.startsWith("# Release\ntyped by me\n\n> note of mine\n"))
    assert.equal(read(), before)
    await vs.host(async (vscode) => void (await vscode.window.activeTextEditor?.document.save()))
    await vs.tree("Checklist").root.getByText("Release 2.0 · 1/3").waitFor()
    assert.equal(read(), text)
  })

  it("moves, starts, deletes and adds by its commands", async () => {
    const run = (command: string, item: string) =>
      vs.host(
        async (vscode, id, element) => void (await vscode.commands.executeCommand(id, element)),
        command,
        `${Tasks.id(1)} ${item}`
      )
    const items = () =>
      read()
        .split("\n")
        .flatMap((line) => /^[-*] (\[.\] [^<]+) <!--/.exec(line)?.slice(1) ?? [])
    await run("belay.moveChecklistItemUp", "two")
    await run("belay.startChecklistItem", "one")
    assert.deepEqual(items(), ["[-] Wire the CLI", "[-] Write it anew", "[ ] Update the docs"])
    await run("belay.moveChecklistItemDown", "two")
    await run("belay.deleteChecklistItem", "one")
    await row("Write it anew").waitFor({ state: "detached" })
    await vs.command("Belay: Add checklist item…")
    await vs.input("Tag the release")
    await row("Tag the release").waitFor()
    assert.deepEqual(items(), ["[-] Wire the CLI", "[ ] Update the docs", "[ ] Tag the release"])
    assert.include(read(), "typed by me")
  })

  it("does not mix the lists of two tasks", async () => {
    await show(3)
    await row("Wire the CLI").waitFor({ state: "detached" })
    await vs.command("Belay: Add checklist item…")
    await vs.input("Read the release notes")
    await row("Read the release notes").waitFor()
    assert.notInclude(read(), "Read the release notes")
    await show(1)
    await row("Tag the release").waitFor()
    assert.notInclude(String(await rows()), "Read the release notes")
  })

  it("says which items both changed, and compares the model's list with the file", async () => {
    const item = (text: string) => ({ id: "t", text, state: "open" as const })
    const owner = await Tasks.owner(vs.env["BELAY_HOME"] ?? "")
    await owner.commit(Tasks.started(6, "Tag it"), Tasks.merged(6, [item("Tag it as 2.0")], [item("Tag it as 3.0")]))
    await owner.commit(Tasks.stopped(6))
    await owner.close()
    write(6, "# Tags\n\n- [ ] Tag it as 2.0 <!-- t -->\n")
    await vs.tree("Tasks").row("Tag it").waitFor()
    await show(6)
    const { root } = vs.tree("Checklist")
    await root.getByText("1 item was changed by both; yours was kept.").waitFor()
    assert.include(await rows(), "Tag it as 2.0, not checked | you changed this")
    await root.locator(".pane-header").hover()
    await root.locator('.pane-header .actions-container a[aria-label^="Compare checklist"]').click()
    const sides = await vs.until("both sides", (vscode) => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input
      if (!(input instanceof vscode.TabInputTextDiff)) return undefined
      const texts = [input.original, input.modified].map((side) =>
        vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === side.toString())?.getText()
      )
      return texts.includes(undefined) ? undefined : texts
    })
    assert.deepEqual(sides, ["# Tags\n\n- [ ] Tag it as 3.0 <!-- t -->\n", read(6)])
    await tick("Tag it as 2.0")
    await root.getByText("1 item was changed by both").waitFor({ state: "detached" })
  })

  it("says that the file was deleted when the model had made it", async () => {
    const owner = await Tasks.owner(vs.env["BELAY_HOME"] ?? "")
    await owner.commit(Tasks.started(5, "Tidy up"), Tasks.listed(5, "- [ ] Sweep <!-- s -->"), Tasks.stopped(5))
    await owner.close()
    write(5, "- [ ] Sweep <!-- s -->\n")
    await vs.tree("Tasks").row("Tidy up").waitFor()
    await show(5)
    await row("Sweep").waitFor()
    assert.equal(await vs.tree("Checklist").root.getByText("You edited the list.").count(), 0)
    rmSync(fileOf(5))
    await vs.tree("Checklist").root.getByText("The checklist file was deleted. The list is empty.").waitFor()
  })
})
