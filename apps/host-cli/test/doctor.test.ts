import { Step, TaskHistory } from "@belay/history-store"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import { existsSync, readdirSync } from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { layerSqlite } from "./support/history.ts"
import { belay, folder, json } from "./support/cli.ts"

const statusIn = (file: string): unknown => {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return db.prepare("SELECT status FROM task WHERE id = 'left'").get()?.["status"]
  } finally {
    db.close()
  }
}

describe("history doctor", () => {
  const home = path.join(folder(), "home")
  const doctor = async (...args: ReadonlyArray<string>) => {
    const { code, stdout } = await belay(["history", "doctor", "--output", "json", ...args], { BELAY_HOME: home })
    return { code, report: json(stdout) }
  }

  it("finds a history that is not there sound, and makes none", async () => {
    const sound = { code: 0, report: { ok: true, violations: [], repairs: [] } }
    assert.deepStrictEqual([await doctor(), await doctor("--repair")], [sound, sound])
    assert.isFalse(existsSync(home))
  })

  it("names what is not sound, and repairs it only when it is told to, after a copy", async () => {
    const left = TaskId.TaskId.make("left")
    await Effect.runPromise(
      TaskHistory.use(({ commit }) =>
        commit([
          Step.request({ _tag: "Create", taskId: left }),
          Step.describe(left, "Left by a dead process"),
          Step.request({ _tag: "Start", taskId: left })
        ])
      ).pipe(Effect.provide(layerSqlite({ directory: home, kind: "test" })))
    )
    const violation = { taskId: "left", invariant: 6, detail: "active without a live lease" }
    assert.deepStrictEqual(await doctor(), { code: 1, report: { ok: false, violations: [violation], repairs: [] } })
    assert.strictEqual(statusIn(path.join(home, "belay.db")), "active")

    const { code, report } = await doctor("--repair")
    assert.deepStrictEqual([code, report.ok, report.violations], [0, true, []])
    assert.deepStrictEqual(report.repairs, [
      { taskId: "left", rule: "R1", detail: "active, but no live process runs it" }
    ])
    const copies = readdirSync(path.join(home, "backups")).filter((name) => name.endsWith(".db"))
    assert.deepStrictEqual(
      copies.map((name) => statusIn(path.join(home, "backups", name))),
      ["active"]
    )
    assert.strictEqual(statusIn(path.join(home, "belay.db")), "interrupted")
    await doctor("--repair")
    assert.strictEqual(readdirSync(path.join(home, "backups")).filter((name) => name.endsWith(".db")).length, 1)
  })
})
