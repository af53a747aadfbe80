/** What is done to the history's file while a command runs a task. */
import { existsSync, renameSync } from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { belay, json } from "./support/cli.ts"
import { held } from "./support/held.ts"

/** The lines that say why the command has ended. */
const saidBy = (lines: ReadonlyArray<string>) => lines.filter((line) => line.startsWith("belay: "))

describe("a run under which the history is migrated by a newer Belay", () => {
  it("stops while it waits for the model, writes nothing more and says what to do in one line", async () => {
    const { env, run } = await held()
    const file = path.join(env.BELAY_HOME, "belay.db")
    const db = new DatabaseSync(file)
    const events = () => db.prepare("SELECT count(*) AS n FROM task_event").get()?.["n"]
    db.exec("PRAGMA user_version = 99")
    const before = events()
    const { code, stderr } = await run.exit
    assert.deepStrictEqual([code, saidBy(stderr).length], [5, 1], stderr.join("\n"))
    assert.match(saidBy(stderr)[0] ?? "", /the history cannot be changed .*newer Belay .*\. Update Belay to go on;/)
    assert.strictEqual(events(), before)
    db.close()
  })
})

// Windows moves no file that is open.
describe.skipIf(process.platform === "win32")("a run under which the history is moved away", () => {
  it("stops while it waits for the model, and goes on from what was confirmed once it is back", async () => {
    const { child, env, root, run } = await held()
    const file = path.join(env.BELAY_HOME, "belay.db")
    renameSync(file, `${file}.away`)
    const { code, stderr } = await run.exit
    assert.deepStrictEqual([code, saidBy(stderr).length], [5, 1], stderr.join("\n"))
    const line = saidBy(stderr)[0] ?? ""
    assert.include(line, `the history is gone (${file}): it was moved, deleted or replaced while it was in use. Put it`)
    assert.include(stderr.join("\n"), `not stored, of task ${child}: Half an answer`)
    assert.isFalse(existsSync(file), "no empty history is in its place")
    renameSync(`${file}.away`, file)
    const tasks = json((await belay(["task", "list", "--output", "json"], env)).stdout).tasks
    assert.sameMembers(
      tasks.map(({ id }: { readonly id: string }) => id),
      [root, child]
    )
  })
})
