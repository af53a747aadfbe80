/** A history on a disk that is mounted read-only, as a snapshot or a disc is. */
import { Step, TaskHistory } from "@belay/history-store"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import { alone, folder, json } from "./support/cli.ts"
import { layerSqlite } from "./support/history.ts"

// Such a disk is made by preloading, which is Linux's.
describe.runIf(process.platform === "linux")("a history on a read-only disk", () => {
  const home = path.join(folder(), "home")
  let env: Readonly<Record<string, string>> = {}
  const run = (...args: ReadonlyArray<string>) => alone(args, env, folder())

  beforeAll(async () => {
    const shim = path.join(folder(), "readOnlyDisk.so")
    const source = path.join(import.meta.dirname, "readOnlyDisk.cc")
    const made = spawnSync("g++", ["-shared", "-fPIC", "-o", shim, source, "-ldl"], { encoding: "utf8" })
    assert.strictEqual(made.status, 0, `g++ is needed: ${made.error?.message ?? made.stderr}`)
    mkdirSync(home, { mode: 0o700 })
    const taskId = TaskId.TaskId.make("kept")
    await Effect.runPromise(
      TaskHistory.use(({ commit }) =>
        commit([Step.request({ _tag: "Create", taskId }), Step.describe(taskId, "Kept on a disc")])
      ).pipe(Effect.provide(layerSqlite({ directory: home, kind: "test" })))
    )
    env = { BELAY_HOME: home, LD_PRELOAD: shim, READ_ONLY: home }
  })

  it("is read, and said once to be only read", async () => {
    const before = readFileSync(path.join(home, "belay.db"))
    for (const args of [
      ["task", "list"],
      ["task", "show", "kept"],
      ["history", "doctor"]
    ]) {
      const { stderr, stdout } = await run(...args, "--output", "json")
      assert.include(stdout.join("\n"), args[0] === "task" ? "kept" : "violations", args.join(" "))
      assert.deepStrictEqual(stderr, [
        "belay: This history is on a disk that is read-only. It can be read, and nothing new is stored."
      ])
    }
    assert.isTrue(readFileSync(path.join(home, "belay.db")).equals(before))
    assert.notInclude(readdirSync(home).join(), "belay.db-")
  })

  it("is backed up", async () => {
    const file = path.join(folder(), "copy.db")
    const { code, stdout } = await run("history", "backup", file, "--output", "json")
    assert.deepStrictEqual([code, json(stdout).tasks], [0, 1])
  })

  it("takes nothing, which one line says with what to do", async () => {
    const { code, stderr } = await run("task", "rename", "kept", "Other")
    assert.strictEqual(code, 5)
    assert.strictEqual(
      stderr.at(-1),
      `belay: the history cannot be opened (${path.join(home, "belay.db")}): it is read-only. Use a folder that can be written, or check the rights of this one. BELAY_HOME names it.`
    )
  })
})
