import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as InProcess from "./vscode/InProcess.ts"
import * as Tasks from "./vscode/Tasks.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

const titles = ["Release 2.0", "Prepare", "Document", "Translate", "Proofread"]

describe("what needs a person", () => {
  let vs: InProcess.InProcess
  let live: Tasks.Owner

  const badge = (value: number | undefined) =>
    vs.until(() => (vs.views["belay.needsYou"].badge?.value === value ? true : undefined))
  const states = (text: string) => Promise.all(titles.slice(0, 4).map((title) => vs.row(title, text)))

  beforeAll(async () => {
    vs = await InProcess.open({
      before: async (home) => {
        const dead = await Tasks.owner(home)
        await dead.commit(Tasks.started(20, "Left alone"), Tasks.question(20, "Which port?"))
        await dead.close()
        live = await Tasks.owner(home)
        await live.commitAgo(70_000, Tasks.started(30, "Upgrade eslint"))
        await live.commit(Tasks.started(31, "Write the docs"))
        await live.commit(Tasks.started(1, titles[0] ?? ""))
        for (let n = 1; n < titles.length; n += 1) {
          await live.commit(Tasks.delegated(n, n + 1, titles[n] ?? ""), [Tasks.begun(n + 1)])
        }
        await live.commit(Tasks.question(5, "Which language first?"))
        await live.commit(Tasks.started(10, "Publish"), Tasks.question(10, "Now?"))
      }
    })
  })
  afterAll(async () => {
    await live.close()
    await vs.close()
  })

  it("is listed oldest first with its path, and counted by tasks", async () => {
    const rows = await vs.rows("belay.needsYou")
    assert.deepEqual(
      rows.map(({ description, id }) => [id, description]),
      [
        ["ask-10", "Publish"],
        ["ask-20", "Left alone"],
        ["ask-5", `Proofread (subtask of ${titles.slice(0, 4).join(" › ")})`]
      ]
    )
    await states("Waiting for 1 · subtask needs you")
    await badge(3)
    const [bar] = vs.editor.bar
    assert.equal(bar?.text, "$(bell-dot) 3 need you")
  })

  it("is gone round one after the other, from the oldest to the last and again", async () => {
    const shown = async () => {
      await vs.run("belay.nextNeedsYou")
      return vs.context.workspaceState.get("shownTask")
    }
    const round = [await shown(), await shown(), await shown(), await shown()]
    assert.deepEqual(
      round,
      [10, 20, 5, 10].map((n) => Tasks.id(n))
    )
  })

  it("costs what all below it cost, on every task above it", async () => {
    const costs = ["$0.84", "$0.63", "$0.42", "$0.21"]
    for (const [at, title] of titles.slice(0, 4).entries()) await vs.row(title, costs[at] ?? "")
  })

  it("leaves the list when another process has answered it", async () => {
    await live.commit(Tasks.stoppedAsking(20))
    await badge(2)
    await vs.row("Left alone", "Interrupted")
  })

  it("says of a late answer that this was already answered", async () => {
    await vs.run("belay.answer", "ask-20")
    await vs.told("This was already answered.")
  })

  it("is told of when a task that is not shown ends after more than a minute, with a way to it", async () => {
    await live.commit(Tasks.ended(31, "succeeded"), Tasks.ended(30, "succeeded"))
    const { press } = await vs.told('"Upgrade eslint" is done · $0.00')
    assert.isFalse(vs.editor.told.some(({ line }) => line.includes("Write the docs")))
    press("Open")
    await vs.until(() => (vs.context.workspaceState.get("shownTask") === Tasks.id(30) ? true : undefined))
  })

  it("is hidden when nothing is left, and a stop below shows on every task above until it goes on", async () => {
    await live.commit([Tasks.stoppedAsking(5), Tasks.stoppedAsking(10)].flat())
    await badge(undefined)
    assert.equal(vs.editor.contexts.get("belay.attention"), 0)
    assert.deepEqual(await vs.rows("belay.needsYou"), [])
    await states("Blocked")
    await live.commit(Tasks.resumed(5))
    await states("Waiting for 1")
  })
})
