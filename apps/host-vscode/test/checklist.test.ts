import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as Cli from "./vscode/Cli.ts"
import * as InProcess from "./vscode/InProcess.ts"
import * as StandIn from "./vscode/StandIn.ts"
import * as Tasks from "./vscode/Tasks.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

const list = `# Release

> note of mine
- [x] Write the parser <!-- one -->
- [-] Wire the CLI <!-- two -->
* [ ] Update the docs
`

describe("the checklist", () => {
  let vs: InProcess.InProcess
  let home: string
  const fileOf = (n: number): string => path.join(home, "tasks", Tasks.id(n), `focus_chain_taskid_${Tasks.id(n)}.md`)
  const write = (n: number, text: string): void => {
    mkdirSync(path.dirname(fileOf(n)), { recursive: true })
    writeFileSync(fileOf(n), text)
  }
  const read = (n = 1): string => readFileSync(fileOf(n), "utf8")
  const view = () => vs.views["belay.checklist"]
  const has = (text: string) => vs.until(async () => ((await vs.all("belay.checklist")).has(text) ? true : undefined))
  const isGone = (text: string) =>
    vs.until(async () => ((await vs.all("belay.checklist")).has(text) ? undefined : true))
  const says = (message: string) => vs.until(() => (view().message?.includes(message) === true ? true : undefined))
  const titled = (text: string) => vs.until(() => (view().description === text ? true : undefined))
  const tick = async (text: string) => {
    const row = (await vs.all("belay.checklist")).get(text)
    const { Checked, Unchecked } = StandIn.TreeItemCheckboxState
    view().ticked.fire({ items: [[row?.id, row?.checkboxState === Checked ? Unchecked : Checked]] })
  }
  const show = (n: number) => vs.run("belay.openTask", Tasks.id(n))
  /** Every row: how deep it is, what it says to a screen reader, and its description. */
  const rows = async () => {
    const found: Array<string> = []
    const visit = async (element: string | undefined, depth: string): Promise<void> => {
      for (const { accessibilityInformation, description, id } of await vs.rows("belay.checklist", element)) {
        found.push(`${depth}${accessibilityInformation?.label} | ${description}`)
        await visit(id, `${depth}  `)
      }
    }
    await visit(undefined, "")
    return found
  }

  beforeAll(async () => {
    vs = await InProcess.open({
      before: async (folder) => {
        home = folder
        const owner = await Tasks.owner(home)
        await owner.commit(Tasks.started(1, "Release 2.0"), Tasks.delegated(1, 2, "Wire the CLI"))
        await owner.commit(Tasks.begun(2), Tasks.stopped(2))
        await owner.commit(Tasks.started(3, "Upgrade eslint"), Tasks.stopped(3))
        await owner.close()
        write(1, list)
        write(2, "- [ ] Parse the flags <!-- a -->\n")
      }
    })
    await show(1)
    await has("Wire the CLI")
  })
  afterAll(() => vs.close())

  it("shows each item in words, and a subtask's list under the item of its name", async () => {
    assert.deepEqual(await rows(), [
      "Write the parser, checked | ",
      'Wire the CLI, in progress, not checked | in progress · subtask "Wire the CLI"',
      "  Parse the flags, not checked | ",
      "Update the docs, not checked | "
    ])
  })

  it("changes exactly one line of the file for a box that is ticked, of a task that nobody runs", async () => {
    await tick("Update the docs")
    await titled("Release 2.0 · 2/3")
    const before = list.split("\n")
    const changed = read()
      .split("\n")
      .filter((line, index) => line !== before[index])
    assert.lengthOf(changed, 1)
    assert.match(changed[0] ?? "", /^\* \[x\] Update the docs <!-- \w+ -->$/)
    await says("You edited the list.")
  })

  it("counts the same in the tree of tasks and in the command line", async () => {
    await vs.row("Release 2.0", "2/3")
    const { tasks } = await Cli.json(vs, ["task", "list"])
    assert.deepInclude(tasks, {
      ...tasks.find(({ id }: { readonly id: string }) => id === Tasks.id(1)),
      checklist: { done: 2, total: 3 }
    })
  })

  it("follows an editor that saves in place, by renaming over, or by deleting and creating, and so does the count", async () => {
    writeFileSync(fileOf(1), read().replace("Write the parser", "Write it in place"))
    await has("Write it in place")
    writeFileSync(`${fileOf(1)}.new`, read().replace("Write it in place", "Write it renamed"))
    renameSync(`${fileOf(1)}.new`, fileOf(1))
    await has("Write it renamed")
    const text = read().replace("Write it renamed", "Write it anew")
    rmSync(fileOf(1))
    writeFileSync(fileOf(1), text)
    await has("Write it anew")
    writeFileSync(fileOf(1), text.replace("- [-] Wire", "- [x] Wire"))
    await vs.row("Release 2.0", "3/3")
    writeFileSync(fileOf(1), text)
    await vs.row("Release 2.0", "2/3")
  })

  it("moves, starts, deletes and adds by its commands", async () => {
    const run = (command: string, item: string) => vs.run(command, `${Tasks.id(1)} ${item}`)
    const items = () =>
      read()
        .split("\n")
        .flatMap((line) => /^[-*] (\[.\] [^<]+) <!--/.exec(line)?.slice(1) ?? [])
    await run("belay.moveChecklistItemUp", "two")
    await run("belay.startChecklistItem", "one")
    assert.deepEqual(items(), ["[-] Wire the CLI", "[-] Write it anew", "[x] Update the docs"])
    await run("belay.moveChecklistItemDown", "two")
    await run("belay.deleteChecklistItem", "one")
    await isGone("Write it anew")
    vs.editor.answers.push("Tag the release")
    await vs.run("belay.addChecklistItem")
    await has("Tag the release")
    assert.deepEqual(items(), ["[-] Wire the CLI", "[x] Update the docs", "[ ] Tag the release"])
    assert.include(read(), "> note of mine")
  })

  it("does not mix the lists of two tasks", async () => {
    await show(3)
    await isGone("Wire the CLI")
    vs.editor.answers.push("Read the release notes")
    await vs.run("belay.addChecklistItem")
    await has("Read the release notes")
    assert.notInclude(read(), "Read the release notes")
    await show(1)
    await has("Tag the release")
    assert.notInclude(String(await rows()), "Read the release notes")
  })

  it("says which items both changed, and compares the model's list with the file", async () => {
    const item = (text: string) => ({ id: "t", text, state: "open" as const })
    const owner = await Tasks.owner(home)
    await owner.commit(Tasks.started(6, "Tag it"), Tasks.merged(6, [item("Tag it as 2.0")], [item("Tag it as 3.0")]))
    await owner.commit(Tasks.stopped(6))
    await owner.close()
    write(6, "# Tags\n\n- [ ] Tag it as 2.0 <!-- t -->\n")
    await vs.row("Tag it", "")
    await show(6)
    await says("1 item was changed by both; yours was kept.")
    assert.include(await rows(), "Tag it as 2.0, not checked | you changed this")
    assert.isTrue(vs.editor.contexts.get("belay.checklistConflict"))
    await vs.run("belay.compareChecklist")
    const [command, theirs, file] = vs.editor.performed.at(-1) ?? []
    assert.equal(command, "vscode.diff")
    assert.equal((file as StandIn.Uri).fsPath, fileOf(6))
    assert.equal(await StandIn.textOf(theirs as StandIn.Uri), "# Tags\n\n- [ ] Tag it as 3.0 <!-- t -->\n")
    await tick("Tag it as 2.0")
    await vs.until(() => (view().message?.includes("changed by both") === true ? undefined : true))
  })

  it("says that the file was deleted when the model had made it", async () => {
    const owner = await Tasks.owner(home)
    await owner.commit(Tasks.started(5, "Tidy up"), Tasks.listed(5, "- [ ] Sweep <!-- s -->"), Tasks.stopped(5))
    await owner.close()
    write(5, "- [ ] Sweep <!-- s -->\n")
    await vs.row("Tidy up", "")
    await show(5)
    await has("Sweep")
    assert.equal(view().message, "")
    rmSync(fileOf(5))
    await says("The checklist file was deleted. The list is empty.")
  })
})
