/** Tasks of a process of which nobody can see whether it lives: what a person is told of them, and takes over. */
import { TaskTrees } from "@belay/interaction/tasks"
import { ViewSnapshot } from "@belay/interaction/unstable/feed"
import { TaskHistory } from "@belay/history-store"
import { TaskNode } from "@belay/task-engine/remote"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import type { Processes } from "@belay/testkit"
import * as Cli from "./vscode/Cli.ts"
import * as InProcess from "./vscode/InProcess.ts"
import { completes, task } from "./vscode/Scripts.ts"
import { layerReader } from "./history.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

describe("a task of a process that nobody can judge", () => {
  let vs: InProcess.InProcess
  let there: Processes.NodeProcess
  let eslint: string
  let flaky: string

  const begin = async (prompt: string): Promise<Processes.NodeProcess> => {
    const running = Cli.start(vs, ["run", prompt])
    await vs.row(prompt, "Running elsewhere")
    return running
  }

  beforeAll(async () => {
    vs = await InProcess.open({
      tasks: [
        task("Upgrade eslint", { ...completes("Upgraded"), hold: "eslint" }),
        task("Fix the flaky test", { ...completes("Fixed"), hold: "flaky" }),
        task("Release 2.0", { ...completes("Released"), hold: "release" })
      ]
    })
    there = await begin("Upgrade eslint")
    const other = await begin("Fix the flaky test")
    const database = new DatabaseSync(path.join(vs.home, "belay.db"), { timeout: 30_000 })
    database.exec("UPDATE owner SET machine_id = 'another', host = 'laptop' WHERE kind = 'cli'")
    database.close()
    const row = await vs.row("Upgrade eslint", "Running elsewhere")
    assert.notInclude(row.contextValue, " takeOver ")
    eslint = row.id
    flaky = (await vs.row("Fix the flaky test", "Running elsewhere")).id
    // Its lock is free now, and that proves nothing of another machine.
    await Promise.all([there.kill(), other.kill()])
  })
  afterAll(() => vs.close())

  it("is told of in a message that leads to taking over", async () => {
    const { actions } = await vs.told("nobody can see from here")
    assert.deepEqual(actions, ["Take over…"])
  })

  it("offers on its row to be taken over, and says who has it", async () => {
    const row = await vs.row("Upgrade eslint", `Running elsewhere: process ${there.pid} on laptop, if that still lives`)
    assert.include(row.contextValue, " takeOver ")
    for (const action of ["stop", "resume", "delete"]) assert.notInclude(row.contextValue, ` ${action} `)
  })

  it("says so in its conversation, whose first button takes it over", async () => {
    const forest = new TaskTrees.TaskTrees("this window")
    const read = Effect.gen(function* () {
      const [row] = (yield* (yield* TaskHistory).list({ limit: 9 })).rows.filter(({ record }) => record.id === eslint)
      if (row !== undefined) forest.upsert(yield* TaskNode.whole(row))
    })
    await Effect.runPromise(Effect.provide(read, layerReader({ directory: vs.home, kind: "test" })))
    const snapshot = forest.snapshot(false)
    const [entry] = snapshot.roots
    assert.isDefined(entry)
    const { bars, mute } = ViewSnapshot.headerOf(entry, snapshot, { notice: null, trusted: true })
    const text =
      `Process ${there.pid} on laptop has this task, and nobody can see from here whether it lives: it runs or ran on ` +
      "another machine; what it has begun may still run there. You are following it, read-only."
    assert.equal(mute, text)
    assert.deepEqual(bars, [
      {
        tone: "warning",
        text,
        buttons: [
          { title: "Take over…", deed: "takeOver", on: eslint, primary: true },
          { title: "Stop it there", deed: "stop", on: eslint }
        ]
      }
    ])
  })

  it("is not resumed, stopped or deleted: the line says who has it, and its button asks", async () => {
    for (const command of ["belay.resume", "belay.stop", "belay.deleteTask"]) {
      vs.editor.told.length = 0
      vs.editor.answers.push(...(command === "belay.deleteTask" ? ["Delete"] : []))
      await vs.run(command, eslint)
      const { actions, line } = await vs.told('has "Upgrade eslint", and nobody can see from here')
      assert.include(line, `Process ${there.pid} on laptop`, command)
      assert.deepEqual(actions, ["Take over…"], command)
    }
    vs.editor.answers.push(undefined)
    vs.editor.told.at(-1)?.press("Take over…")
    const asked = await vs.until(() => vs.editor.asked.find(({ title }) => title === 'Take over "Upgrade eslint"?'))
    const holds = `Process ${there.pid} on laptop has it, and nobody can see from here whether it lives: it runs or ran on another machine; what it has begun may still run there.`
    assert.include(asked.detail, holds)
    assert.include(asked.detail, "What it has begun is not run again.")
    assert.deepEqual(asked.choices, ["Take over and resume", "Take over and stop"])
    await vs.row("Upgrade eslint", "Running elsewhere")
  })

  it("is taken over and stopped; then it is like any other that stopped", async () => {
    vs.editor.answers.push("Take over and stop")
    await vs.run("belay.takeOver", flaky)
    const row = await vs.row("Fix the flaky test", "Interrupted: you stopped it")
    assert.include(row.contextValue, " resume ")
    assert.notInclude(row.contextValue, " takeOver ")
    vs.editor.answers.push("Delete")
    await vs.run("belay.deleteTask", flaky)
    await vs.until(async () => ((await vs.all("belay.tasks")).has("Fix the flaky test") ? undefined : true))
  })

  it("is taken over and goes on here", async () => {
    vs.model.release("eslint")
    vs.editor.answers.push("Take over and resume")
    await vs.run("belay.takeOver", eslint)
    await vs.row("Upgrade eslint", "Done: Upgraded")
  })

  it("is no task of an earlier start of this machine: that goes on as after a crash", async () => {
    const running = await begin("Release 2.0")
    const database = new DatabaseSync(path.join(vs.home, "belay.db"), { timeout: 30_000 })
    database.exec("UPDATE owner SET boot_id = 'the boot before' WHERE kind = 'cli'")
    database.close()
    await running.kill()
    const { id } = await vs.row("Release 2.0", "Interrupted: the process ended")
    vs.model.release("release")
    await vs.run("belay.resume", id)
    await vs.row("Release 2.0", "Done: Released")
  })
})
