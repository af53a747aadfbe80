import type { Locator } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tasks from "./vscode/Tasks.ts"
import * as View from "./vscode/View.ts"
import * as VSCode from "./vscode/VSCode.ts"

const day = 86_400_000

describe("a long history", () => {
  let vs: VSCode.VSCode

  /** The groups with how many rows each has, as the tree's provider gives them. */
  const groups = (): Promise<Readonly<Record<string, number>>> =>
    vs.host(async (vscode) => {
      const { contributions } = vscode.extensions.getExtension("belay.belay")?.exports ?? {}
      const tree = (await contributions()).tree("belay.tasks")
      const found: Record<string, number> = {}
      for (const group of await tree.getChildren()) {
        found[tree.getTreeItem(group).label] = (await tree.getChildren(group)).length
      }
      return found
    })
  const inSight = (row: Locator): Promise<boolean> =>
    row.evaluate((element) => {
      const { bottom, top } = element.getBoundingClientRect()
      const frame = element.closest(".scroller")?.getBoundingClientRect()
      return frame !== undefined && top < frame.bottom && bottom > frame.top
    })
  const quickInput = () => vs.page.locator(".quick-input-widget:visible")
  const picks = (text: string) => quickInput().locator(".monaco-list-row", { hasText: text })
  const execute = (command: string): Promise<void> =>
    vs.host((vscode, name) => void vscode.commands.executeCommand(name), command)

  beforeAll(async () => {
    vs = await VSCode.open()
    const owner = await Tasks.owner(vs.env["BELAY_HOME"] ?? "")
    const finished = (n: number, title: string) => [...Tasks.started(n, title), Tasks.ended(n, "succeeded")]
    await owner.commitAgo(30 * day, finished(1, "Old task 1"))
    const others = Array.from({ length: 9999 }, (_, at) => [at + 2, `Old task ${at + 2}`] as const)
    Tasks.copies(vs.env["BELAY_HOME"] ?? "", 1, others)
    await owner.commitAgo(3 * day, finished(20_001, "Of this week"))
    await owner.commit([...Tasks.started(20_002, "Still open"), Tasks.stopped(20_002)])
    await owner.commit([...Tasks.started(20_003, "Opened last"), Tasks.stopped(20_003)])
    const said = Array.from({ length: 40 }, (_, at) =>
      Tasks.said(20_004, at === 20 ? "Where is the needle in it?" : `Line ${at}`)
    )
    await owner.commit([...Tasks.started(20_004, "Long talk"), ...said, Tasks.stopped(20_004)])
    await owner.close()
    await vs.showTrees()
    await vs.tree("Tasks").row("Older (99+)").waitFor()
  })
  afterAll(() => vs.close())

  it("is read a page at a time, and grouped by when its trees last changed", async () => {
    assert.deepEqual(await groups(), { "Interrupted (3)": 3, "Last 7 days (1)": 1, "Older (99+)": 100 })
    await vs.host(async (vscode) => void (await vscode.commands.executeCommand("belay.loadMore")))
    await vs.tree("Tasks").row("Older (199+)").waitFor()
    assert.deepEqual(await groups(), { "Interrupted (3)": 3, "Last 7 days (1)": 1, "Older (199+)": 200 })
  })

  it("is searched by the words of any title, and opens what was found however old it is", async () => {
    await vs.page.keyboard.press("Control+k")
    await vs.page.keyboard.press("h")
    await quickInput().locator("input").fill("no such title")
    await picks("").first().waitFor({ state: "detached" })
    await quickInput().locator("input").fill("4242 old")
    await picks("Old task 4242").waitFor()
    assert.equal(await picks("").count(), 1)
    await vs.page.keyboard.press("Enter")
    await vs.page.locator(".pane-header", { hasText: "Old task 4242" }).waitFor()
  })

  it("is searched by the words of messages and by what a task is, and opens where they stand", async () => {
    await execute("belay.searchTasks")
    await quickInput().locator("input").fill("is:inter")
    await picks("is:interrupted").click()
    await picks("Still open").waitFor()
    assert.equal(await picks("Old task").count(), 0)
    await quickInput().locator("input").fill("is:interrupted needl")
    await picks("Where is the needle in it?").waitFor()
    await vs.page.keyboard.press("Enter")
    const { frame } = await View.find(vs.page, (view) => view.frame.locator("[aria-current]").isVisible())
    const found = frame.locator("[role=article][aria-current]")
    assert.include(await found.innerText(), "Where is the needle in it?")
    while (!(await inSight(found))) await frame.evaluate("new Promise((resolve) => requestAnimationFrame(resolve))")
  })

  it("lists what another process begins and deletes while it is open, as text and nothing else", async () => {
    const owner = await Tasks.owner(vs.env["BELAY_HOME"] ?? "")
    await execute("belay.searchTasks")
    await quickInput().locator("input").fill("haystack")
    await vs.page.getByText("Titles, messages and file names were searched.").waitFor()
    const title = "Haystack $(trash) <b>one</b>"
    await owner.commit([...Tasks.started(20_005, title), Tasks.ended(20_005, "succeeded")])
    await picks(title).waitFor()
    assert.equal(await picks(title).locator("b, .codicon-trash").count(), 0)
    await owner.commit([...Tasks.started(20_006, "Haystack two"), Tasks.ended(20_006, "succeeded")])
    await picks("Haystack two").waitFor()
    await owner.commit(Tasks.deleted(20_005))
    await picks(title).waitFor({ state: "detached" })
    assert.equal(await picks("Haystack").count(), 1)
    await owner.commit(Tasks.deleted(20_006))
    await picks("Haystack").waitFor({ state: "detached" })
    await vs.page.keyboard.press("Escape")
    await owner.close()
  })

  it("says when nothing was found, and what was searched", async () => {
    await execute("belay.searchTasks")
    await quickInput().locator("input").fill('zzz%_"*')
    await vs.page.getByText("Titles, messages and file names were searched.").waitFor()
    await vs.page.keyboard.press("Escape")
  })

  it("lists the open tasks first changed last, with their states in words", async () => {
    await vs.page.keyboard.press("Control+k")
    await vs.page.keyboard.press("j")
    await picks("Still open").waitFor()
    // What a row had before and does not show stays in the page.
    const rows = await quickInput().locator(".monaco-list-row").allInnerTexts()
    assert.deepEqual(
      rows.map((text) => text.replaceAll("\n", "")),
      ["Long talk", "Opened last", "Still open"].map((title) => `${title}Interrupted: you stopped it`)
    )
    await vs.page.keyboard.press("Escape")
  })

  it("is narrowed to a part of a title, and says so when nothing has it", async () => {
    await execute("belay.filterTasks")
    await vs.input("week")
    await vs.tree("Tasks").row("Older").waitFor({ state: "detached" })
    assert.deepEqual(await groups(), { "Last 7 days (1+)": 2 })
    await execute("belay.filterTasks")
    await vs.input("no such task")
    await vs.tree("Tasks").root.getByText("No task matches.").waitFor()
    await execute("belay.clearFilter")
    await vs.tree("Tasks").row("Older").waitFor()
  })
})
