import { Step, TaskHistory } from "@belay/history-store"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import { existsSync, readdirSync } from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { layerSqlite } from "./support/history.ts"
import { belay, folder, json } from "./support/cli.ts"
import { held } from "./support/held.ts"

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
      { taskId: "left", rule: "ownerGone", detail: "active, but no live process runs it" }
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

  it("ends when a task is damaged in more than one place, and repairs the rest", async () => {
    const { child, env, root, run } = await held()
    await run.kill()
    const db = new DatabaseSync(path.join(env.BELAY_HOME, "belay.db"), { enableForeignKeyConstraints: false })
    const key = db.prepare("SELECT key FROM task WHERE id = ?").get(child)?.["key"] ?? null
    db.prepare(
      `UPDATE task_event SET data = json_set(data, '$.origin.lineage', json('{"parentId":"x","rootId":"x","depth":1}'))
        WHERE type = 'task.created' AND task = ?`
    ).run(key)
    db.prepare("DELETE FROM task WHERE key = ?").run(key)
    db.close()
    const said = (await belay(["history", "doctor", "--repair"], env)).stdout
    assert.include(
      said,
      `left alone  ${child}: it is damaged in more than one place: its repair (recordMissing) changes nothing`
    )
    const { code, stdout } = await belay(["history", "doctor", "--repair", "--output", "json"], env)
    const report = json(stdout)
    assert.deepStrictEqual([code, report.ok], [1, false])
    const about = (list: ReadonlyArray<{ readonly taskId: string }>) => new Set(list.map(({ taskId }) => taskId))
    assert.isFalse(about(report.repairs).has(child), "nothing is said to be repaired that is not")
    assert.deepStrictEqual(about(report.violations), new Set([root]))
    const { tasks } = json((await belay(["task", "list", "--output", "json"], env)).stdout)
    assert.deepStrictEqual(
      tasks.map(({ id, status }: { readonly id: string; readonly status: string }) => [id, status]),
      [[root, "delegated"]]
    )
  })
})
