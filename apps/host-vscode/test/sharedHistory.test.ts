import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Cli from "./vscode/Cli.ts"
import { completes, task, writes } from "./vscode/Scripts.ts"
import * as VSCode from "./vscode/VSCode.ts"

describe("a history that the command line shares", () => {
  let vs: VSCode.VSCode

  beforeAll(async () => {
    vs = await VSCode.open({
      tasks: [
        task("Cut the release", writes("release.md", "2.0\n"), completes("Released")),
        task("Tidy up", completes("Tidied")),
        task("Fix the flaky test", { ...completes("Fixed"), hold: "flaky" })
      ]
    })
    await vs.showTrees()
  })
  afterAll(() => vs.close())

  const begin = (prompt: string): Promise<any> =>
    vs.host((vscode, prompt) => vscode.commands.executeCommand("belay.newTask", prompt), prompt)

  it("shows a task that the command line started, and answers it there", async () => {
    const run = Cli.start(vs, ["run", "Cut the release", "--input", "stream-json", "--output", "stream-json"])
    const row = vs.tree("Tasks").row("Cut the release")
    await row.filter({ hasText: "Needs you" }).waitFor()
    await vs.tree("Needs you").act("release.md", "Allow once")
    await row.filter({ hasText: "Done: Released" }).waitFor()
    const { code, stdout } = await run.exit
    assert.equal(code, 0)
    const settled = stdout.map((line) => JSON.parse(line)).filter(({ type }) => type === "ask.settled")
    assert.deepInclude(settled[0], { decision: "allow", by: "vscode" })
  })

  it("shows its own tasks to the command line", async () => {
    await vs.command("Belay: New task")
    await vs.input("Tidy up")
    await vs.tree("Tasks").row("Tidy up").filter({ hasText: "Done: Tidied" }).waitFor()
    const { tasks } = await Cli.json(vs, ["task", "list", "--all"])
    const titles = tasks.map(({ title }: { readonly title: string }) => title)
    assert.sameMembers(titles, ["Cut the release", "Tidy up"])
  })

  it("lets the command line follow a task that runs in the editor, event by event", async () => {
    const id = await begin("Fix the flaky test")
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
})
