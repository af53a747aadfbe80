/** Tasks that are gone on with: chosen from a list, in the mode that is asked for, answered in words. */
import { ScriptedServer } from "@belay/testkit"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { completes, typing, use } from "./support/asking.ts"
import { attended, belay, folder, json } from "./support/cli.ts"

const asks = use("ask_followup_question", { question: "Which?" }, "q")
const plan = use("plan_mode_respond", { response: "First this." }, "p")
const write = use("write_to_file", { path: "made.txt", content: "1" }, "w")

describe("a task that goes on", () => {
  const cwd = folder()
  let env: { readonly BELAY_HOME: string; readonly ANTHROPIC_BASE_URL: string }
  let server: Awaited<ReturnType<typeof ScriptedServer.startServer>>
  const task = (...args: ReadonlyArray<string>) => belay(["task", ...args], env, cwd)
  const show = async (id: string) => json((await task("show", id, "--output", "json")).stdout)

  beforeAll(async () => {
    server = await ScriptedServer.startServer({
      tasks: [
        { match: { prompt: "Alpha job" }, shared: true, answers: [asks, completes("Alpha done.")] },
        { match: { prompt: "Beta job" }, shared: true, answers: [asks, completes("Beta done.")] },
        { match: { prompt: "Gamma job" }, shared: true, answers: [plan, write, completes("Gamma done.")] }
      ]
    })
    env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
    for (const prompt of ["Alpha job", "Beta job"]) {
      assert.strictEqual((await belay(["run", prompt], env, cwd)).code, 3, prompt)
    }
  })
  afterAll(() => server.close())

  it("is chosen by a part of its title from the tasks of this folder", async () => {
    const { code, stderr, stdout } = await typing(attended(["run", "-r"], env, cwd), "alpha")
    assert.deepStrictEqual([code, stdout.join().trim()], [0, "Alpha done."], stderr.join("\n"))
    const list = stderr.slice(0, 3)
    assert.match(list[0] ?? "", /^ +AGE +STATE +TASK$/)
    assert.match(list[1] ?? "", /^ +1 +\S+ +Needs you +Beta job$/)
    assert.match(list[2] ?? "", /^ +2 +\S+ +Needs you +Alpha job$/)
    const nobody = await belay(["run", "-r"], env, cwd)
    assert.match(
      nobody.stderr.join(),
      /^belay: --resume names no task; the newest of this folder are \w+ "Alpha job", \w+ "Beta job"\./
    )
    const empty = await belay(["run", "-r"], env, folder())
    assert.match(empty.stderr.join(), /^belay: there is no task of this folder to go on with /)
    const left = await typing(attended(["run", "-r"], env, cwd), "")
    assert.match(`${left.code} ${left.stderr.at(-1)}`, /^2 .*belay: no task was chosen\. Nothing was done\.$/)
  })

  it("names the command that answers, and takes the answer in words", async () => {
    const { tasks } = json((await task("list", "--output", "json", "--status", "interrupted")).stdout)
    const [{ id }] = tasks
    const shown = (await task("show", id)).stdout
    assert.include(shown.at(-1), `Next: belay task resume ${id.slice(-6)} "your answer"`)
    const answered = await task("answer", id, "this one")
    assert.deepStrictEqual([answered.code, answered.stdout.length], [0, 1], answered.stderr.join())
    const went = await task("resume", id)
    assert.deepStrictEqual([went.code, went.stdout], [0, ["Beta done."]])
    assert.notInclude(went.stderr.join("\n"), "attempt")
    assert.include(JSON.stringify(server.requests.at(-1)?.body.messages), "this one")
  })

  it("is in the mode that a permission mode asks for", async () => {
    const planned = await belay(["run", "Gamma job", "--permission-mode", "plan", "--output", "json"], env, cwd)
    const { taskId } = json(planned.stdout)
    assert.strictEqual((await show(taskId)).mode, "plan")
    const went = await belay(["run", "-c", "--permission-mode", "acceptEdits", "--output", "json"], env, cwd)
    assert.deepStrictEqual([went.code, json(went.stdout).result], [0, "Gamma done."], went.stderr.join("\n"))
    assert.strictEqual((await show(taskId)).mode, "act")
  })
})
