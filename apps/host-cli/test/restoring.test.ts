import { type Scenario, ScriptedServer } from "@belay/testkit"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { belay, type Environment, folder, json } from "./support/cli.ts"

const use = (name: string, input: unknown) => ({ content: [{ type: "tool_use" as const, name, input }] })
const looks = use("read_file", { path: "a.txt" })
const writes = (content: string) => use("write_to_file", { path: "a.txt", content })
const stops = use("ask_followup_question", { question: "Go on?" })

const task = (prompt: string, ...answers: ReadonlyArray<Scenario.Answer>): Scenario.Script => ({
  match: { prompt },
  answers
})

describe("a task's files and conversation from the command line", () => {
  const home = folder()
  const workspace = folder()
  const file = path.join(workspace, "a.txt")
  let server: ScriptedServer.ScriptedServer
  let env: Environment
  const run = (...args: ReadonlyArray<string>) => belay(args, env, workspace)
  const objects = async (...args: ReadonlyArray<string>) => json((await run(...args, "--output", "json")).stdout)
  const read = () => readFileSync(file, "utf8")

  beforeAll(async () => {
    server = await ScriptedServer.startServer({
      tasks: [task("Change it", { content: [...looks.content, ...writes("one\n").content] }, writes("two\n"), stops)]
    })
    env = { BELAY_HOME: home, ANTHROPIC_BASE_URL: server.url }
    writeFileSync(file, "zero\n")
    execFileSync("git", ["init", "--quiet"], { cwd: workspace })
    assert.strictEqual((await run("run", "Change it", "--approvals", "edits")).code, 3)
    assert.strictEqual(read(), "two\n")
  })
  afterAll(() => server.close())

  it("compare says what has changed since a message, as a patch and as data", async () => {
    const { code, stdout } = await run("task", "compare", "last", "--to", "2")
    assert.strictEqual(code, 0)
    assert.includeMembers([...stdout], ["-one", "+two"])
    const compared = await objects("task", "compare", "last", "--to", "0")
    assert.deepStrictEqual(compared.changes, [{ path: "a.txt", from: "file", to: "file" }])
    assert.include(compared.patch, "-zero\n+two\n")
    const shown = await objects("task", "show", "last")
    assert.deepStrictEqual(
      shown.checkpoints.map(({ files, messageIndex, moment }: any) => [messageIndex, moment, files]),
      [
        [1, "before", 0],
        [1, "after", 1],
        [3, "before", 0],
        [3, "after", 1]
      ]
    )
    assert.include((await run("task", "show", "last")).stdout.join("\n"), "1 file changed; before it: --to 2")
  })

  it("restore says what the user changed, and only what was asked for goes back", async () => {
    writeFileSync(file, "mine\n")
    const { code, stderr, stdout } = await run("task", "restore", "last", "--to", "0", "--only", "files")
    assert.deepStrictEqual([code, read()], [0, "zero\n"])
    assert.deepStrictEqual(stderr, [
      "Goes back to message 0: 1 file (a.txt).",
      "1 of them (a.txt) was changed by you since."
    ])
    assert.notInclude(stdout[0], "conversation")
    const done = await objects("task", "restore", "last", "--undo")
    assert.deepStrictEqual([read(), done.restored.length, done.conversation], ["mine\n", 1, false])
    writeFileSync(file, "two\n")
  })

  it("restore takes both back and undo both forth; the repository is only looked at", async () => {
    const index = (): boolean => existsSync(path.join(workspace, ".git", "index"))
    const before = await objects("task", "show", "last", "--context")
    const { code, stdout } = await run("task", "restore", "last", "--to", "2")
    assert.deepStrictEqual([code, read(), index()], [0, "one\n", false])
    assert.match(stdout[0] ?? "", /^Restored "Change it" to message 2\. 1 file: a\.txt\. Its conversation ends after/)
    assert.match(stdout[0] ?? "", /Undo it with: belay task restore \S+ --undo$/)
    assert.strictEqual((await objects("task", "show", "last", "--context")).context.messages.length, 3)
    const undone = await run("task", "restore", "last", "--undo")
    assert.deepStrictEqual(undone.stdout, [
      'Undid the restore of "Change it". 1 file: a.txt. The conversation is as it was.'
    ])
    assert.strictEqual(read(), "two\n")
    assert.deepStrictEqual((await objects("task", "show", "last", "--context")).context, before.context)
    const again = await run("task", "restore", "last", "--undo")
    assert.deepStrictEqual([again.code, again.stdout], [2, []])
    assert.match(again.stderr[0] ?? "", /has no restore to undo, or has gone on since\. Restore it to a message: belay/)
  })

  it("wrong messages are refused in one line, and a deleted task takes its checkpoints along", async () => {
    const wrong = [["--to", "99"], [], ["--to", "1", "--undo"]]
    for (const { code, stderr, stdout } of await Promise.all(
      wrong.map((args) => run("task", "restore", "last", ...args))
    )) {
      assert.deepStrictEqual([code, stdout, stderr.length], [2, [], 1], stderr.join("\n"))
    }
    assert.strictEqual((await run("task", "delete", "last", "--yes")).code, 0)
    const store = path.join(home, "checkpoints")
    assert.notDeepEqual(execFileSync("find", [store, "-path", "*refs/checkpoints/*"]).toString(), "")
    assert.strictEqual((await run("task", "undelete", "last")).code, 0)
    assert.strictEqual((await run("task", "delete", "last", "--forever", "--yes")).code, 0)
    assert.deepStrictEqual(execFileSync("find", [store, "-path", "*refs/checkpoints/*"]).toString(), "")
  })
})
