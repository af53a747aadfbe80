import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as InProcess from "./vscode/InProcess.ts"
import * as Tasks from "./vscode/Tasks.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

const day = 86_400_000

describe("a long history", () => {
  let vs: InProcess.InProcess

  /** The groups with how many rows each has. */
  const groups = async (): Promise<Readonly<Record<string, number>>> => {
    const found: Record<string, number> = {}
    for (const { id, label } of await vs.rows("belay.tasks")) found[label] = (await vs.rows("belay.tasks", id)).length
    return found
  }
  /** Opens the list, types and gives its rows once they hold what is wanted. */
  const search = async (text: string) => {
    void vs.run("belay.searchTasks")
    const picker = await vs.until(() => (vs.editor.picker?.hasAnswered === true ? vs.editor.picker : undefined))
    picker.type(text)
    return picker
  }
  const labels = () => vs.editor.picker?.items.map(({ label }) => label) ?? []
  const listed = (...wanted: ReadonlyArray<string>) =>
    vs.until(() => (String(labels()) === String(wanted) ? true : undefined))
  const leave = async () => {
    vs.editor.picker?.hide()
    await vs.until(() => (vs.editor.picker === undefined ? true : undefined))
  }

  beforeAll(async () => {
    vs = await InProcess.open({
      before: async (home) => {
        const owner = await Tasks.owner(home)
        const finished = (n: number, title: string) => [...Tasks.started(n, title), Tasks.ended(n, "succeeded")]
        await owner.commitAgo(30 * day, finished(1, "Old task 1"))
        const others = Array.from({ length: 9999 }, (_, at) => [at + 2, `Old task ${at + 2}`] as const)
        Tasks.copies(home, 1, others)
        await owner.commitAgo(3 * day, finished(20_001, "Of this week"))
        await owner.commit([...Tasks.started(20_002, "Still open"), Tasks.stopped(20_002)])
        await owner.commit([...Tasks.started(20_003, "Opened last"), Tasks.stopped(20_003)])
        const said = Array.from({ length: 40 }, (_, at) =>
          Tasks.said(20_004, at === 20 ? "Where is the needle in it?" : `Line ${at}`)
        )
        await owner.commit([...Tasks.started(20_004, "Long talk"), ...said, Tasks.stopped(20_004)])
        await owner.close()
      }
    })
  })
  afterAll(() => vs.close())

  it("is read a page at a time, and grouped by when its trees last changed", async () => {
    assert.deepEqual(await groups(), { "Interrupted (3)": 3, "Last 7 days (1)": 1, "Older (99+)": 100 })
    await vs.run("belay.loadMore")
    await vs.until(async () => ((await groups())["Older (199+)"] === 200 ? true : undefined))
  })

  it("is searched by the words of any title, however old it is", async () => {
    await search("4242 old")
    await listed("Old task 4242")
    vs.editor.picker?.accept("Old task 4242")
    await vs.until(() => (vs.context.workspaceState.get("shownTask") === Tasks.id(4242) ? true : undefined))
  })

  it("is searched by the words of messages and by what a task is", async () => {
    const picker = await search("is:inter")
    await listed("$(filter) is:interrupted")
    picker.accept("$(filter) is:interrupted")
    await listed("Long talk", "Opened last", "Still open")
    picker.type("is:interrupted needl")
    await listed("Long talk")
    assert.include(JSON.stringify(picker.items), "Where is the needle in it?")
    await leave()
  })

  it("lists what another process begins and deletes while it is open, as text and nothing else", async () => {
    const owner = await Tasks.owner(vs.home)
    await search("haystack")
    await listed()
    await owner.commit([...Tasks.started(20_005, "Haystack $(trash) <b>one</b>"), Tasks.ended(20_005, "succeeded")])
    await listed("Haystack \\$(trash) <b>one</b>")
    await owner.commit([...Tasks.started(20_006, "Haystack two"), Tasks.ended(20_006, "succeeded")])
    await listed("Haystack two", "Haystack \\$(trash) <b>one</b>")
    await owner.commit(Tasks.deleted(20_005))
    await listed("Haystack two")
    await owner.commit(Tasks.deleted(20_006))
    await listed()
    await leave()
    await owner.close()
  })

  it("says when nothing was found, and what was searched", async () => {
    const picker = await search('zzz%_"*')
    await vs.until(() => (picker.title.includes("Titles, messages and file names were searched.") ? true : undefined))
    picker.type("is:bogus")
    await vs.until(() => (picker.title.includes('"is:bogus" is no filter: is: takes open') ? true : undefined))
    await leave()
  })

  it("lists the open tasks first changed last, with their states in words", async () => {
    vs.editor.answers.push(undefined)
    await vs.run("belay.openTask")
    const choices = vs.editor.asked.at(-1)?.choices ?? []
    assert.deepEqual(choices.slice(0, 3), ["Long talk", "Opened last", "Still open"])
    assert.isAbove(choices.length, 3, "finished ones are found as well")
  })

  it("is narrowed to a part of a title, and says so when nothing has it", async () => {
    vs.editor.answers.push("week", "no such task")
    await vs.run("belay.filterTasks")
    assert.deepEqual(await groups(), { "Last 7 days (1+)": 2 })
    assert.equal(vs.views["belay.tasks"].description, '"week"')
    await vs.run("belay.filterTasks")
    assert.deepEqual(await groups(), {})
    assert.isTrue(vs.editor.contexts.get("belay.tasksFiltered"))
    await vs.run("belay.clearFilter")
    assert.lengthOf(Object.keys(await groups()), 3)
  })
})
