import { DatabaseSync } from "node:sqlite"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as Cli from "./vscode/Cli.ts"
import * as InProcess from "./vscode/InProcess.ts"
import { completes, task, writes } from "./vscode/Scripts.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

describe("a history that the command line shares", () => {
  let vs: InProcess.InProcess

  beforeAll(async () => {
    vs = await InProcess.open({
      tasks: [
        task("Cut the release", writes("release.md", "2.0\n"), completes("Released")),
        task("Tidy up", completes("Tidied")),
        task("Fix the flaky test", { ...completes("Fixed"), hold: "flaky" })
      ]
    })
  })
  afterAll(() => vs.close())

  it("shows a task that the command line started, and answers it there", async () => {
    const run = Cli.start(vs, ["run", "Cut the release", "--input", "stream-json", "--output", "stream-json"])
    await vs.row("Cut the release", "Needs you")
    const [ask] = await vs.rows("belay.needsYou")
    await vs.run("belay.allowOnce", ask?.id)
    await vs.row("Cut the release", "Done: Released")
    const { code, stdout } = await run.exit
    assert.equal(code, 0)
    const settled = stdout.map((line) => JSON.parse(line)).filter(({ type }) => type === "ask.settled")
    assert.deepInclude(settled[0], { decision: "allow", by: "vscode" })
  })

  it("shows its own tasks to the command line", async () => {
    await vs.run("belay.newTask", "Tidy up")
    await vs.row("Tidy up", "Done: Tidied")
    const { tasks } = await Cli.json(vs, ["task", "list", "--all"])
    const titles = tasks.map(({ title }: { readonly title: string }) => title)
    assert.sameMembers(titles, ["Cut the release", "Tidy up"])
  })

  it("lets the command line follow a task that runs in the editor, event by event", async () => {
    const id = await vs.run("belay.newTask", "Fix the flaky test")
    const watch = Cli.start(vs, ["task", "watch", id, "--output", "stream-json"])
    await watch.waitForLine(() => true)
    assert.isUndefined(watch.stdout.find((line) => line.includes("task.completed")))
    vs.model.release("flaky")
    await watch.waitForLine((line) => line.includes("task.completed"))
    assert.equal((await watch.exit).code, 0)
    const seqs = watch.stdout.map((line) => JSON.parse(line).seq)
    assert.deepEqual(
      seqs,
      seqs.map((_, index) => index + 1)
    )
  })

  it("of a newer version is only read: its tasks are shown, and what would write says why it does not", async () => {
    const database = new DatabaseSync(path.join(vs.home, "belay.db"), { timeout: 30_000 })
    const events = () => database.prepare("SELECT count(*) AS n FROM task_event").get()
    const before = events()
    await vs.restart(async () => database.exec("PRAGMA user_version = 99"))
    assert.include(vs.views["belay.tasks"].message, "This history was written by a newer Belay")
    await vs.row("Tidy up", "Done: Tidied")
    assert.isUndefined(await vs.run("belay.newTask", "Tidy up"))
    await vs.told("It is open read-only: update Belay to go on.")
    assert.deepEqual(events(), before)
    database.close()
  })
})
