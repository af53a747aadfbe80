/** What people are told of asks, ends and mistakes, and that the commands that go on are the ones that are named. */
import { ScriptedServer } from "@belay/testkit"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { completes, running, typing, use, write } from "./support/asking.ts"
import * as Built from "./support/Built.ts"
import { attended, bare, belay, converse, folder, json, start } from "./support/cli.ts"
import { begin, delegated, id, owner, started, stopped } from "./support/states.ts"

const world = async (answers: Parameters<typeof running>[0]) => {
  const server = await ScriptedServer.startServer({ tasks: [{ match: { prompt: "Work" }, shared: true, answers }] })
  afterAll(() => server.close())
  return { server, env: { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }, cwd: folder() }
}

describe("task answer", () => {
  it("needs the id of what is allowed where nobody can be shown it, and shows it in a terminal before a yes", async () => {
    const hidden = `${"echo harmless; ".repeat(12)}touch hidden`
    const one = await running([use("execute_command", { command: hidden }), completes("Done.")])
    const { askId, taskId } = await one.event("ask")
    const refused = await belay(["task", "answer", taskId, "--allow"], one.env)
    assert.deepStrictEqual([refused.code, refused.stdout, refused.stderr.length], [2, [], 1])
    const named = new RegExp(`a yes needs the id of what "Work" asks \\(Run echo .*\\)\\. .* ${askId} --allow$`)
    assert.match(refused.stderr[0] ?? "", named)
    const left = await typing(attended(["task", "answer", taskId, "--allow"], one.env), "n")
    assert.deepStrictEqual([left.code, left.stdout], [0, ["Nothing is answered."]])
    assert.include(left.stderr.join(" "), hidden)
    const allowed = await typing(attended(["task", "answer", taskId, "--allow"], one.env), "y")
    assert.deepStrictEqual([allowed.code, allowed.stdout], [0, ['"Work" has its answer.']])
    const { code, result } = await one.ended()
    assert.deepStrictEqual([code, result.result], [0, "Done."])
    const none = await belay(["task", "answer", taskId, "--allow"], one.env)
    assert.deepStrictEqual(none.code, 2)
    assert.match(none.stderr[0] ?? "", /^belay: "Work" asks nothing\. See it: belay task show \S+$/)
  })

  it("says no to the only thing that a task asks without its id", async () => {
    const one = await running([write, completes("Done.")])
    const { taskId } = await one.event("ask")
    const said = await belay(["task", "answer", taskId, "--deny", "--text", "not now"], one.env)
    assert.deepStrictEqual([said.code, said.stderr], [0, []])
    assert.deepStrictEqual((await one.ended()).code, 0)
  })
})

describe("task delete", () => {
  it("asks in a terminal, and elsewhere needs --yes", async () => {
    const home = folder()
    const env = { BELAY_HOME: home }
    const dead = await owner(home)
    await dead.commit(
      started(1, "Release 2.0"),
      delegated(1, { 2: "Update the docs" }),
      begin(2),
      stopped(2),
      stopped(1)
    )
    await dead.close()
    const args = ["task", "delete", "000001", "--children", "delete"]
    const refused = await belay(args, env)
    assert.deepStrictEqual([refused.code, refused.stdout], [2, []])
    assert.match(
      refused.stderr[0] ?? "",
      /nobody is there to confirm that "Release 2\.0" is deleted\. Add --yes: belay task delete 000001 --children delete --yes$/
    )
    const kept = await typing(attended(args, env), "n")
    assert.deepStrictEqual(kept.stderr.slice(0, 2), [
      'Delete "Release 2.0" and its subtask?',
      "It can be taken back for 30 days. Files in your workspace stay as they are."
    ])
    assert.deepStrictEqual([kept.code, kept.stdout], [0, ['Kept "Release 2.0".']])
    const deleted = await typing(attended(args, env), "y")
    assert.deepStrictEqual(deleted.stdout, [
      'Deleted "Release 2.0" and 1 subtask. For 30 days it can be taken back: belay task undelete 000001'
    ])
    const files = path.join(home, "tasks", id(1))
    mkdirSync(files, { recursive: true })
    const listed = await belay(["task", "list", "--deleted", "--plain"], env)
    assert.match(listed.stdout[1] ?? "", /^\S+\tRelease 2\.0\tapi\t1\t\S+\t(?:29|30)$/)
    const { deleted: all } = json((await belay(["task", "list", "--deleted", "--output", "json"], env)).stdout)
    assert.deepInclude(all[0], { id: id(1), title: "Release 2.0", workspace: "/projects/api", subtasks: 1 })
    const below = await belay(["task", "undelete", id(2)], env)
    assert.match(
      below.stderr[0] ?? "",
      /was deleted with a task above it\. Take that back: belay task undelete 000001$/
    )
    // Two at once: one takes it back, the other one says so in a line.
    const both = await Promise.all([1, 2].map(() => belay(["task", "undelete", "000001"], env)))
    assert.deepStrictEqual(
      both.map(({ code }) => String(code)).toSorted((a, b) => a.localeCompare(b)),
      ["0", "2"],
      JSON.stringify(both)
    )
    const line = 'Took back "Release 2.0" and 1 subtask. Go on with: belay task resume 000001'
    assert.deepStrictEqual(both.find(({ code }) => code === 0)?.stdout, [line])
    assert.match(both.find(({ code }) => code === 2)?.stderr.join() ?? "", /^belay: [^\n]*task/)
    const back = json((await belay(["task", "tree", "000001", "--output", "json"], env)).stdout)
    assert.deepStrictEqual(
      [back.title, back.children.map((child: any) => child.title)],
      ["Release 2.0", ["Update the docs"]]
    )
    assert.isTrue(existsSync(files))
    const again = await belay([...args, "--yes"], env)
    assert.strictEqual(again.code, 0)
    const erase = ["task", "delete", "000001", "--forever"]
    assert.match((await belay(erase, env)).stderr[0] ?? "", /Add --yes: belay task delete 000001 --forever --yes$/)
    const erased = await belay([...erase, "--yes"], env)
    assert.deepStrictEqual(erased.stdout, ['Deleted "Release 2.0" and 1 subtask for good.'])
    assert.isFalse(existsSync(files))
    const gone = await belay(["task", "undelete", id(1)], env)
    assert.match(gone.stderr[0] ?? "", /was deleted for good\./)
  })
})

describe("task resume of a task that has completed", () => {
  it("prints its result as the run did, exits as the task did, and names what goes on from it", async () => {
    const { cwd, env, server } = await world([completes("The **result**.")])
    const ran = await belay(["run", "Work"], env, cwd)
    const again = await belay(["task", "resume", "last"], env, cwd)
    assert.deepStrictEqual([again.code, again.stdout], [ran.code, ran.stdout])
    assert.match(
      again.stderr.join("\n"),
      /^"Work" has ended: succeeded\. Go on from it with: belay task continue \S+ "\.\.\."$/
    )
    const object = json((await belay(["task", "resume", "last", "--output", "json"], env, cwd)).stdout)
    assert.deepStrictEqual([object.outcome, object.result], ["succeeded", "The **result**."])
    assert.strictEqual(server.requests.filter(({ path: asked }) => asked === "/v1/messages").length, 1)
    const failed = folder()
    const dead = await owner(failed)
    await dead.commit(started(1, "Given up"), stopped(1))
    await dead.close()
    await belay(["task", "close", "000001", "--outcome", "failed", "no", "way"], { BELAY_HOME: failed })
    const told = await belay(["task", "resume", "000001"], { BELAY_HOME: failed })
    assert.deepStrictEqual([told.code, told.stdout], [1, ["no way"]])
  })
})

describe("what people are told", () => {
  it("says of a file in the place of the data folder that it is none, and leaves the file alone", async () => {
    const file = path.join(folder(), "data")
    writeFileSync(file, "mine", { mode: 0o644 })
    const before = statSync(file).mode
    const { code, stderr, stdout } = await belay(["task", "list"], { BELAY_HOME: file })
    assert.deepStrictEqual([code, stdout, stderr.length], [5, [], 1])
    assert.match(stderr[0] ?? "", /^belay: the data folder is not a folder \(.*\)\. Set BELAY_HOME to a folder/)
    assert.strictEqual(statSync(file).mode, before)
  })

  it.each([
    ['{"edits":"allow"}', /^belay: unknown field "edits" in --approvals\. Fields: enabled, read, .*, commands, /],
    [
      '{"commands":{"alow":[]}}',
      /^belay: unknown field "commands\.alow" in --approvals\. Fields: allow, deny, other, /
    ],
    ['{"edit":"yes"}', /^belay: approvals\.edit cannot be "yes" \(--approvals\)\. Use allow, ask, deny\.$/],
    [
      '{"commands":{"other":1}}',
      /^belay: approvals\.commands\.other cannot be 1 \(--approvals\)\. Use allow, ask, deny\.$/
    ]
  ])("names what the approvals cannot have, and what they can: %s", async (approvals, said) => {
    const { code, stderr } = await belay(["run", "x", "--approvals", approvals], { BELAY_HOME: folder() })
    assert.strictEqual(code, 2)
    assert.match(stderr[0] ?? "", said)
  })

  it("begins with the model, the mode and the rights of a run, and ends with what it took", async () => {
    const { cwd, env } = await world([completes("Done.")])
    const told = async (model: string) => {
      const options = ["--approvals", "edits", "--sandbox", "off", "--model", model]
      const { stderr } = await belay(["run", "Work", ...options], env, cwd)
      const lines = stderr.filter((line) => /^\d\d:/.test(line))
      assert.match(
        lines[0] ?? "",
        new RegExp(`^\\d\\d:\\d\\d:\\d\\d model {5}${model}, act mode, approvals edits, sandbox off$`)
      )
      return lines.at(-1) ?? ""
    }
    const done = String.raw`done {6}\w+ {2}succeeded in [\d.]+ s, 1 request, 120 tokens`
    assert.match(await told("claude-sonnet-5-5"), new RegExp(`${done}, <\\$0\\.01$`))
    assert.match(await told("my-model"), new RegExp(`${done}, price of my-model not set$`))
  })

  it("numbers the messages of a conversation, as other commands take them", async () => {
    const { cwd, env } = await world([write, completes("Done.")])
    await belay(["run", "Work", "--approvals", "all"], env, cwd)
    const { stdout } = await belay(["task", "show", "last", "--messages"], env, cwd)
    assert.match(stdout.join("\n"), /\d\d:\d\d:\d\d {2}You {2}· {2}message 0\n/)
  })

  it("lists the tasks of this folder before all others", async () => {
    const home = folder()
    const [here, there] = [folder(), folder()]
    const dead = await owner(home)
    await dead.commit(started(1, "Here", here), stopped(1))
    await dead.commit(started(2, "There", there), stopped(2))
    await dead.close()
    const titles = async (cwd: string) =>
      (await belay(["task", "list", "--plain"], { BELAY_HOME: home }, cwd)).stdout
        .slice(1)
        .map((line) => line.split("\t")[2]?.split(":")[0])
    assert.deepStrictEqual(
      [await titles(here), await titles(there)],
      [
        ["Here", "There"],
        ["There", "Here"]
      ]
    )
  })
})

describe("a run whose output nobody reads any more", () => {
  it("stops, and can be resumed", async () => {
    const words = { content: [{ type: "text" as const, text: "Many words. ".repeat(500) }, ...write.content] }
    const { cwd, env, server } = await world([
      { ...words, hold: "gate", holdAt: 6 },
      ...Array.from({ length: 30 }, () => words)
    ])
    const run = start(["run", "Work", "--output", "stream-json", "--approvals", "all"], env, cwd)
    await run.waitForLine('"text.delta"')
    run.closeOutput()
    server.release("gate")
    const { code, stderr } = await run.exit
    assert.strictEqual(code, 130)
    assert.match(stderr.at(-1) ?? "", /^belay: stopped; nothing was lost\. Go on with: belay task resume \S+$/)
    assert.isBelow(server.requests.length, 10)
  })

  it("stops as well where both outputs go into that pipe", async () => {
    const { cwd, env, server } = await world(Array.from({ length: 100 }, () => use("read_file", { path: "none" })))
    const run = [process.execPath, Built.entry("cli"), "run", "Work", "--max-requests", "90"]
    const shell = spawn("bash", ["-c", '"$@" 2>&1 | head -n 1; exit "${PIPESTATUS[0]}"', "bash", ...run], {
      cwd,
      env: { ...process.env, ...bare, ...env },
      stdio: ["ignore", "pipe", "inherit"]
    })
    const [code] = await once(shell, "close")
    assert.strictEqual(code, 130)
    assert.isBelow(server.requests.length, 5)
  })
})

describe("stream-json", () => {
  it("tells the subject of each call, its output as it comes, and that nothing has come", async () => {
    const command = use("execute_command", { command: "printf 'one\\n'; until [ -e go ]; do sleep 0.1; done" }, "c")
    const { cwd, env } = await world([command, completes("Done.")])
    const run = converse(["run", "Work", "--output", "stream-json", "--approvals", "all"], env, cwd)
    run.endInput()
    const event = async (type: string) =>
      JSON.parse(await run.waitForLine((line) => line.startsWith("{") && JSON.parse(line).type === type))
    assert.deepStrictEqual(
      (await event("tool.requested")).subject,
      command.content[0]?.input && "printf 'one\\n'; until [ -e go ]; do sleep 0.1; done"
    )
    assert.strictEqual((await event("tool.output")).chunk, "one\n")
    const silent = await event("silence")
    assert.deepStrictEqual([silent.callId, silent.ms >= 10_000], ["c", true])
    writeFileSync(path.join(cwd, "go"), "")
    assert.strictEqual((await run.exit).code, 0)
  })
})
