import { Step, TaskHistory } from "@belay/history-store"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { belay, folder, json } from "./support/cli.ts"
import { held } from "./support/held.ts"
import { layerSqlite } from "./support/history.ts"

const inHistory = <A, E>(home: string, body: Effect.Effect<A, E, TaskHistory>): Promise<A> =>
  Effect.runPromise(Effect.provide(body, layerSqlite({ directory: home, kind: "test" })))

const make = (home: string, ...names: ReadonlyArray<string>) =>
  inHistory(
    home,
    TaskHistory.use(({ commit }) =>
      Effect.forEach(names, (name) => {
        const taskId = TaskId.TaskId.make(name)
        return commit([Step.request({ _tag: "Create", taskId }), Step.describe(taskId, `Do ${name}`)])
      })
    )
  )

const restored = (backup: string): string => {
  const home = path.join(folder(), "restored")
  mkdirSync(home, { mode: 0o700 })
  copyFileSync(backup, path.join(home, "belay.db"))
  return home
}

const tasksIn = async (home: string): Promise<ReadonlyArray<{ readonly id: string; readonly status: string }>> =>
  json((await belay(["task", "list", "--output", "json"], { BELAY_HOME: home })).stdout).tasks

describe("history backup", () => {
  it("writes one file, whole in itself and its owner's alone, and says so in one line", async () => {
    const home = path.join(folder(), "home")
    const file = path.join(folder(), "monday.db")
    await make(home, "a", "b")
    const { code, stderr, stdout } = await belay(["history", "backup", file], { BELAY_HOME: home })
    assert.deepStrictEqual([code, stderr], [0, []])
    assert.match(stdout.join("\n"), new RegExp(`^Backed up 2 tasks to ${file} \\(\\d+\\.\\d MB\\)\\.$`))
    assert.deepStrictEqual(readdirSync(path.dirname(file)), ["monday.db"])
    if (process.platform !== "win32") assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    assert.sameMembers(
      (await tasksIn(restored(file))).map(({ id }) => id),
      ["a", "b"]
    )
  })

  it("keeps what runs: everything that was stored is in it, and whoever restores it finds it interrupted", async () => {
    const { child, env, root, run } = await held()
    const file = path.join(folder(), "running.db")
    const alone = path.join(folder(), "belay.db")
    copyFileSync(path.join(env.BELAY_HOME, "belay.db"), alone)
    const { code, stdout } = await belay(["history", "backup", file, "--output", "json"], env)
    assert.deepStrictEqual([code, json(stdout).path, json(stdout).tasks], [0, file, 2])
    const home = restored(file)
    await inHistory(
      home,
      TaskHistory.use(({ reconcile }) => reconcile(new Set()))
    )
    assert.sameDeepMembers(
      (await tasksIn(home)).map(({ id, status }) => [id, status]),
      [
        [root, "delegated"],
        [child, "interrupted"]
      ]
    )
    // The file by itself, as another program copies it, knows of none of them.
    const db = new DatabaseSync(alone)
    assert.throws(() => db.prepare("SELECT * FROM task").get())
    db.close()
    await run.kill()
  })

  it("replaces no file, and leaves nothing of one that it cannot make", async () => {
    const home = path.join(folder(), "home")
    const files = folder()
    await make(home, "a")
    const refused = async (file: string, line: RegExp) => {
      const { code, stderr } = await belay(["history", "backup", file], { BELAY_HOME: home })
      assert.strictEqual(code, 2)
      assert.lengthOf(stderr, 1)
      assert.match(stderr[0] ?? "", line)
    }
    writeFileSync(path.join(files, "mine"), "mine")
    await refused(path.join(files, "mine"), /mine\): a file of this name is there\. Name another one, or move/)
    await refused(path.join(files, "missing", "file"), /not backed up .* Name a file in a folder that can be written\./)
    assert.deepStrictEqual(readdirSync(files), ["mine"])
    assert.strictEqual(readFileSync(path.join(files, "mine"), "utf8"), "mine")
    const nowhere = path.join(folder(), "nowhere")
    const none = await belay(["history", "backup", path.join(files, "b")], { BELAY_HOME: nowhere })
    assert.deepStrictEqual([none.code, existsSync(nowhere)], [2, false])
    assert.match(none.stderr.join(), /there is no history yet\. Run a task first\./)
  })

  it("removes what a killed backup to the same file left, and nothing else", async () => {
    const home = path.join(folder(), "home")
    const files = folder()
    await make(home, "a")
    const others = ["b.db.01234567.partial", "a.db.0123456.partial", "a.db.partial", "a.db.01234567.partial.txt"]
    const left = ["a.db.01234567.partial", "a.db.01234567.partial-journal", "a.db.89abcdef.partial"]
    for (const name of [...others, ...left]) writeFileSync(path.join(files, name), "half")
    // Another one is at work on this.
    const used = new DatabaseSync(path.join(files, "a.db.aaaaaaaa.partial"))
    used.exec("CREATE TABLE t (x); BEGIN EXCLUSIVE")
    const { code } = await belay(["history", "backup", path.join(files, "a.db")], { BELAY_HOME: home })
    assert.strictEqual(code, 0)
    assert.sameMembers(readdirSync(files), ["a.db", "a.db.aaaaaaaa.partial", ...others])
    used.close()
  })

  it("is named where a damaged history is refused", async () => {
    const home = folder()
    writeFileSync(path.join(home, "belay.db"), "garbage".repeat(999))
    const { code, stderr } = await belay(["task", "list"], { BELAY_HOME: home })
    assert.strictEqual(code, 5)
    assert.match(stderr.join("\n"), /is damaged .*put a backup in its place.* "belay history backup" makes one/)
  })
})
