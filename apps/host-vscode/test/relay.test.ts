import { LiveRelay } from "@belay/interaction/unstable/feed"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as Cli from "./vscode/Cli.ts"
import * as InProcess from "./vscode/InProcess.ts"
import { task } from "./vscode/Scripts.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

let vs: InProcess.InProcess

/** A position past these words: the rest is held. */
const says = (text: string, hold: string) => ({
  content: [{ type: "text" as const, text: `${text} And the rest of it.` }],
  hold,
  holdAt: 4
})

beforeAll(async () => {
  vs = await InProcess.open({
    tasks: [
      task("Watch the weather", says("It is sunny in the north.", "weather")),
      task("Watch the tide", says("It is high water at noon.", "tide"))
    ]
  })
})
afterAll(() => vs.close())

const idOf = async (title: string): Promise<TaskId.TaskId> => {
  const { tasks } = await Cli.json(vs, ["task", "list", "--all"])
  return tasks.find((one: { readonly title: string }) => one.title === title).id
}

describe("words that arrive", () => {
  it("in a task of this window are heard by whoever shows it elsewhere", async () => {
    vs.editor.answers.push("Watch the weather")
    await vs.run("belay.newTask")
    await vs.model.waitForRequests(1)
    const id = await idOf("Watch the weather")
    let heard = ""
    const spoken = Promise.withResolvers<void>()
    const take = (lines: ReadonlyArray<LiveRelay.Line>) => {
      heard += lines.map(({ text = "" }) => text).join("")
      if (heard.includes("sunny")) spoken.resolve()
      return true
    }
    const following = Effect.runFork(LiveRelay.follow(vs.home, id, take))
    await spoken.promise
    await Effect.runPromise(Fiber.interrupt(following))
    vs.model.release("weather")
    await vs.row("Watch the weather", "Done")
  })

  it("in a task of a terminal are shown in the view of this window", async () => {
    const run = Cli.start(vs, ["run", "Watch the tide", "--input", "stream-json", "--output", "stream-json"])
    await vs.model.waitForRequests(2)
    await vs.row("Watch the tide", "Running")
    const id = await idOf("Watch the tide")
    await vs.run("belay.openTask", id)
    const view = vs.openTaskView()
    view.say({ type: "ready", task: null })
    const live = await vs.until(() => {
      const last = view.heard.findLast((one) => one.type === "snapshot")
      if (last !== undefined) view.say({ type: "shown", task: id, n: last.n })
      return JSON.stringify(view.heard).includes("high water") ? view.heard : undefined
    })
    assert.isAbove(live.length, 0)
    vs.model.release("tide")
    run.endInput()
    await run.exit
  })
})
