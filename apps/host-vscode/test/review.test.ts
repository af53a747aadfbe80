import { readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Asks from "./vscode/Asks.ts"
import { completes, task, use, writes } from "./vscode/Scripts.ts"
import * as VSCode from "./vscode/VSCode.ts"

const before = "one\nold\n"
const large = `${"line\n".repeat(300_000)}old\n`
const inParts = `one\ntwo\n${"same\n".repeat(6)}three\n${"same\n".repeat(3)}`
const partsWanted = `${inParts.replace("two", "zwei").replace("three", "drei")}end\n`
const patch = `*** Begin Patch
*** Update File: patched.txt
@@
 one
-old
+proposed
*** Add File: added.txt
+new
*** End Patch`
const quietly = patch.replace("patched.txt", "automatic.txt").replace("added.txt", "beside.txt")
const part = "------- SEARCH\nold\n=======\nproposed\n+++++++ REPLACE"
const edits = (name: string) =>
  task(`Edit ${name}`, use("replace_in_file", { path: `${name}.txt`, diff: part }), completes(`Edited ${name}`))

describe("the review of an edit", () => {
  let vs: VSCode.VSCode
  const file = (name: string): string => path.join(vs.workspace, `${name}.txt`)
  const read = (name: string): string => readFileSync(file(name), "utf8")

  /** The reviews that are open, by the name of their proposed side. */
  const reviews = () =>
    vs.host((vscode) =>
      vscode.window.tabGroups.all
        .flatMap(({ tabs }) => tabs)
        .flatMap(({ input, isPreview }) => {
          const modified = input instanceof vscode.TabInputTextDiff ? input.modified : undefined
          return modified?.scheme === "belay-proposed" ? [[modified.path.split("/").at(-1), isPreview]] : []
        })
    )
  const asked = async (name: string): Promise<Asks.Row> => {
    await Asks.begin(vs, `Edit ${name}`)
    return Asks.waiting(vs, `Edit ${name}.txt`)
  }
  const title = (action: string) => vs.page.locator(`.editor-actions a[aria-label^="${action}"]:visible`)
  const noReview = () =>
    vs.until("the review to close", (vscode) => {
      const tabs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs)
      return tabs.every(({ input }) => !(input instanceof vscode.TabInputTextDiff)) || undefined
    })
  /** Replaces the proposed side as a person would, without saving it. */
  const writeInReview = (name: string, text: string) =>
    vs.host(
      async (vscode, name, wanted) => {
        const document = vscode.workspace.textDocuments.find(
          ({ uri }) => uri.scheme === "belay-proposed" && uri.path.endsWith(`/${name}.txt`)
        )
        if (document === undefined) throw new Error("no review")
        const edit = new vscode.WorkspaceEdit()
        edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), wanted)
        await vscode.workspace.applyEdit(edit)
      },
      name,
      text
    )

  /** The review that was answered is still being saved and closed when the next one opens. */
  const holdSaves = () =>
    vs.host((vscode) => {
      const held = Promise.withResolvers<void>()
      const saving = vscode.workspace.onWillSaveTextDocument((event) => event.waitUntil(held.promise))
      const release = vscode.commands.registerCommand("test.letSave", () => {
        held.resolve()
        saving.dispose()
        release.dispose()
      })
    })

  beforeAll(async () => {
    const names = ["first", "second", "mine", "stale", "elsewhere", "big", "rejected"]
    vs = await VSCode.open({
      files: {
        ...Object.fromEntries([...names, "dirty", "patched", "automatic"].map((name) => [`${name}.txt`, before])),
        "big.txt": large,
        "parts.txt": inParts
      },
      tasks: [
        ...names.map(edits),
        task("Edit dirty", use("replace_in_file", { path: "dirty.txt", diff: part }), completes("Edited dirty")),
        task("Edit binary", writes("binary.txt", "a\0b\n"), completes("Not written")),
        task(
          "Edit parts",
          use("read_file", { path: "parts.txt" }),
          writes("parts.txt", partsWanted),
          completes("Edited parts")
        ),
        task("Edit several", use("apply_patch", { patch }), completes("Edited both")),
        task("Edit quietly", use("apply_patch", { patch: quietly }), completes("Edited both"))
      ]
    })
    await vs.showTrees()
  })
  afterAll(() => vs.close())

  it("opens without taking the focus, in one preview tab for all, and makes no group when the group is locked", async () => {
    const asks = [await asked("first"), await asked("second")]
    await vs.tree("Tasks").row("Edit first").click()
    const focused = () => vs.page.evaluate("document.activeElement.getAttribute('aria-label')")
    const focus = await focused()
    assert.include(focus, "Tasks")
    for (const { id } of asks) await Asks.run(vs, "reviewChanges", id)
    assert.deepEqual(await reviews(), [["second.txt", true]])
    assert.equal(await focused(), focus)
    await vs.host(async (vscode) => vscode.commands.executeCommand("workbench.action.lockEditorGroup"))
    for (const { id } of asks) await Asks.run(vs, "reviewChanges", id)
    assert.equal(await vs.host((vscode) => vscode.window.tabGroups.all.length), 1)
    await vs.host(async (vscode) => vscode.commands.executeCommand("workbench.action.unlockEditorGroup"))
    for (const { id } of asks) await Asks.run(vs, "allowOnce", id)
    await Asks.ended(vs, "Edit second")
    await noReview()
    assert.deepEqual([read("first"), read("second")], ["one\nproposed\n", "one\nproposed\n"])
  })

  it("applies what the person made of it, and the model is told", async () => {
    const { id } = await asked("mine")
    await Asks.run(vs, "reviewChanges", id)
    await title("Apply").waitFor()
    await writeInReview("mine", "one\nmine\n")
    await vs.picture("review")
    await title("Apply with my changes").click()
    await Asks.ended(vs, "Edit mine")
    await noReview()
    assert.equal(read("mine"), "one\nmine\n")
    const told = JSON.stringify(vs.model.requests.at(-1)?.body)
    assert.include(told, "The user changed this before it was written.")
    assert.include(told, "+mine")
    assert.isFalse(await vs.isTold("was not applied"))
  })

  it("does not apply to a file that changed since, and compares again with what the person wrote", async () => {
    const first = await asked("stale")
    await Asks.run(vs, "reviewChanges", first.id)
    await title("Apply").waitFor()
    await writeInReview("stale", "one\nmine\n")
    writeFileSync(file("stale"), "somebody's\nold\n")
    await holdSaves()
    await title("Apply with my changes").click()
    await vs.notification("stale.txt changed since this was proposed.")
    assert.equal(read("stale"), "somebody's\nold\n")
    await vs.page.locator(".notifications-center").getByRole("button", { name: "Compare again" }).click()
    // Documents of a comparison that has closed may still be there: what counts is the one in front.
    const sides = await vs.until("the comparison with the file as it is now", (vscode) => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input
      if (!(input instanceof vscode.TabInputTextDiff)) return undefined
      const texts = [input.original, input.modified].map((side) =>
        vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === side.toString())?.getText()
      )
      return texts[0] === "one\nold\n" || texts.includes(undefined) ? undefined : texts
    })
    assert.deepEqual(sides, ["somebody's\nold\n", "one\nmine\n"])
    await vs.host((vscode) => vscode.commands.executeCommand("test.letSave"))
    await title("Apply with my changes").click()
    await Asks.ended(vs, "Edit stale")
    assert.equal(read("stale"), "one\nmine\n")
    assert.isFalse(await vs.isTold("was not applied"))
  })

  it("closes when the ask is answered elsewhere, its closing answers nothing, and it is rejected with words that the model gets", async () => {
    const { id } = await asked("elsewhere")
    await Asks.run(vs, "reviewChanges", id)
    await vs.host(async (vscode) => {
      const [group] = vscode.window.tabGroups.all
      const tabs = (group?.tabs ?? []).filter(({ input }) => input instanceof vscode.TabInputTextDiff)
      await vscode.window.tabGroups.close(tabs)
    })
    await noReview()
    assert.include(
      (await Asks.rows(vs)).map((row) => row.id),
      id
    )
    await Asks.run(vs, "reviewChanges", id)
    await title("Reject").first().waitFor()
    await vs.tree("Needs you").act("Edit elsewhere.txt", "Deny")
    await noReview()
    await Asks.ended(vs, "Edit elsewhere")
    assert.equal(read("elsewhere"), before)
    await Asks.run(vs, "reviewChanges", (await asked("rejected")).id)
    await title("Reject, say why").click()
    await vs.input("Use tabs")
    await Asks.ended(vs, "Edit rejected")
    await noReview()
    assert.equal(read("rejected"), before)
    assert.include(JSON.stringify(vs.model.requests.at(-1)?.body), "Use tabs")
  })

  it("has what is not saved on both sides, is applied in its editor and saved there, and can be undone there", async () => {
    const type = (text: string) =>
      vs.host(
        async (vscode, name, typed) => {
          const document = await vscode.workspace.openTextDocument(vscode.Uri.file(name))
          const edit = new vscode.WorkspaceEdit()
          edit.insert(document.uri, new vscode.Position(0, 0), typed)
          await vscode.workspace.applyEdit(edit)
        },
        file("dirty"),
        text
      )
    await type("typed ")
    const { id } = await asked("dirty")
    await Asks.run(vs, "reviewChanges", id)
    await vs.notification("dirty.txt has unsaved changes of yours. They are part of the comparison.")
    // What was approved is the comparison as it was shown.
    await type("more ")
    await Asks.run(vs, "allowOnce", id)
    const again = await Asks.waiting(vs, "Edit dirty.txt", id)
    assert.equal(read("dirty"), before)
    await Asks.run(vs, "allowOnce", again.id)
    await Asks.ended(vs, "Edit dirty")
    assert.equal(read("dirty"), "more typed one\nproposed\n")
    assert.notInclude(JSON.stringify(vs.model.requests.at(-1)?.body), "changed by")
    const undone = await vs.host(async (vscode, name) => {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.file(name))
      await vscode.window.showTextDocument(document)
      const wasSaved = !document.isDirty
      await vscode.commands.executeCommand("undo")
      const text = document.getText()
      await vscode.commands.executeCommand("workbench.action.files.revert")
      return [wasSaved, text]
    }, file("dirty"))
    assert.deepEqual(undone, [true, "more typed one\nold\n"])
  })

  it("shows a file of more than a megabyte whole, by its own path, and says of a binary file that it is one", async () => {
    const { facts, id } = await asked("big")
    assert.include(new Map(facts).get("Changes"), "+1 −1")
    await Asks.run(vs, "reviewChanges", id)
    await vs.until("the comparison", (vscode) => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input
      if (!(input instanceof vscode.TabInputTextDiff) || input.modified.path !== "/big.txt") return undefined
      const { modified } = input
      const shown = vscode.workspace.textDocuments.find(
        ({ uri }: { readonly uri: { readonly scheme: string; readonly path: string } }) =>
          uri.scheme === modified.scheme && uri.path === modified.path
      )
      return shown?.getText().endsWith("line\nproposed\n") || undefined
    })
    await Asks.run(vs, "deny", id)
    await Asks.ended(vs, "Edit big")
    assert.equal(read("big"), large)
    await Asks.begin(vs, "Edit binary")
    const binary = await Asks.waiting(vs, "Write binary.txt")
    assert.include(new Map(binary.facts).get("Changes"), "binary.txt  a binary file")
    await Asks.run(vs, "reviewChanges", binary.id)
    await vs.notification("binary.txt is not shown: a binary file. It can be answered in its row.")
    await Asks.run(vs, "deny", binary.id)
    await Asks.ended(vs, "Edit binary")
  })

  it("is decided part by part in the editor of its file, and writes those that were accepted", async () => {
    const lenses = () =>
      vs.host(async (vscode, name) => {
        const uri = vscode.Uri.file(name)
        const all: ReadonlyArray<import("vscode").CodeLens> = await vscode.commands.executeCommand(
          "vscode.executeCodeLensProvider",
          uri,
          20
        )
        return all.map(({ command, range }) => [range.start.line + 1, command?.title ?? ""] as const)
      }, file("parts"))
    const press = (title: string, line: number) =>
      vs.host(
        async (vscode, name, title, line) => {
          const all: ReadonlyArray<import("vscode").CodeLens> = await vscode.commands.executeCommand(
            "vscode.executeCodeLensProvider",
            vscode.Uri.file(name),
            20
          )
          const found = all.find(({ command, range }) => command?.title === title && range.start.line + 1 === line)
          if (found?.command === undefined) throw new Error(`no "${title}" at line ${line}`)
          await vscode.commands.executeCommand(found.command.command, ...(found.command.arguments ?? []))
        },
        file("parts"),
        title,
        line
      )
    await vs.host(
      async (vscode, name) => void (await vscode.window.showTextDocument(vscode.Uri.file(name))),
      file("parts")
    )
    await asked("parts")
    const accept = vs.page.locator(".codelens-decoration a", { hasText: "Accept +1 −1" })
    await accept.first().waitFor()
    assert.deepEqual(await lenses(), [
      [2, '"Edit parts" wants this edit, 0 of 3 decided'],
      [2, "$(check) Accept +1 −1"],
      [2, "$(close) Reject"],
      [9, "$(check) Accept +1 −1"],
      [9, "$(close) Reject"],
      [13, "$(check) Accept +1"],
      [13, "$(close) Reject"]
    ])
    await vs.picture("parts")
    // What came under the pointer a moment ago is not meant: it is pressed until it holds.
    while (!(await lenses()).some(([, title]) => title === "$(check) Accepted")) await accept.first().click()
    await press("$(close) Reject", 9)
    assert.equal(read("parts"), inParts)
    await press("$(check) Accept +1", 13)
    await Asks.ended(vs, "Edit parts")
    assert.equal(read("parts"), `${inParts.replace("two", "zwei")}end\n`)
    assert.deepEqual(await lenses(), [])
    assert.include(JSON.stringify(vs.model.requests.at(-1)?.body), "The user changed this before it was written.")
  })

  it("of several files is one editor, whose title answers for all of them, and which closes with the answer", async () => {
    await Asks.begin(vs, "Edit several")
    const { id } = await Asks.waiting(vs, "Edit 2 files")
    await Asks.run(vs, "reviewChanges", id)
    await title("Apply").waitFor()
    await title("Reject, say why").waitFor()
    await writeInReview("patched", "one\nmine\n")
    await title("Apply with my changes").click()
    await Asks.ended(vs, "Edit several")
    await vs.until("the editor to close", (vscode) => {
      const tabs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs)
      return tabs.every(({ label }) => !label.startsWith("Edit several")) || undefined
    })
    assert.deepEqual([read("patched"), read("added")], ["one\nmine\n", "new\n"])
  })

  it("opens every file by itself where that is set, beside what is written and without the focus", async () => {
    await vs.host(async (vscode, name) => {
      await vscode.workspace.getConfiguration("belay").update("review.open", "automatically", true)
      await vscode.commands.executeCommand("workbench.action.closeAllEditors")
      const document = await vscode.workspace.openTextDocument(vscode.Uri.file(name))
      await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Two })
      await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.One })
    }, file("first"))
    await Asks.begin(vs, "Edit quietly")
    const { id } = await Asks.waiting(vs, "Edit 2 files")
    await vs.until("the review", (vscode) => {
      const [first, second] = vscode.window.tabGroups.all
      const reviews = (second?.tabs ?? []).filter(({ input }) => input instanceof vscode.TabInputTextDiff)
      const names = reviews.map(({ label }) => label.split(" ")[0]).join(" ")
      return reviews[0]?.isActive && first?.isActive && names === "automatic.txt beside.txt" ? true : undefined
    })
    await vs.page.keyboard.type("x")
    await vs.until("the key where the person writes", (vscode) => {
      const document = vscode.window.activeTextEditor?.document
      return document?.uri.scheme === "file" && document.getText().includes("x") ? true : undefined
    })
    await vs.host(async (vscode) => vscode.commands.executeCommand("workbench.action.files.revert"))
    await Asks.run(vs, "deny", id)
    await Asks.ended(vs, "Edit quietly")
    await noReview()
    assert.equal(read("automatic"), before)
    await vs.host(async (vscode) => {
      await vscode.workspace.getConfiguration("belay").update("review.open", undefined, true)
    })
  })
})
