/** `belay rescue`: what it finds, copies and imports, and that a look writes nothing. */
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { spawnSync } from "node:child_process"
import { assert, describe, it } from "vitest"
import * as Built from "./support/Built.ts"
import { belay, folder, json } from "./support/cli.ts"

const at = 1_784_332_598_169
const home = folder()
const storage = path.join(home, ".config/Code/User/globalStorage/zoocodeorganization.zoo-code")

const store = (task: string, item: object, turns: ReadonlyArray<object> | string): void => {
  const place = path.join(storage, "tasks", task)
  mkdirSync(place, { recursive: true })
  const files = {
    "history_item.json": JSON.stringify({
      id: task,
      number: 1,
      ts: at,
      task: `Do ${task}`,
      tokensIn: 1,
      tokensOut: 1,
      totalCost: 0,
      ...item
    }),
    "api_conversation_history.json": typeof turns === "string" ? turns : JSON.stringify(turns)
  }
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(path.join(place, name), content)
    utimesSync(path.join(place, name), at / 1000, at / 1000)
  }
}

const use = (id: string, name: string, input: object) => ({
  role: "assistant",
  content: [{ type: "tool_use", id, name, input }]
})
const asked = { role: "user", content: "Please" }

store("parent", { status: "delegated", awaitingChildId: "child", childIds: ["child"] }, [
  asked,
  use("c", "new_task", { message: "Do child" })
])
store("child", { status: "completed", parentTaskId: "parent" }, [
  asked,
  use("d", "attempt_completion", { result: "secret words" })
])
store("torn", {}, JSON.stringify([asked, use("x", "read_file", {})]).slice(0, -9))

const seen = (): string =>
  readdirSync(home, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const { mtimeMs, size } = statSync(path.join(home, name))
      return `${name} ${mtimeMs} ${size}`
    })
    .join("\n")

const env = { HOME: home, XDG_CONFIG_HOME: path.join(home, ".config"), BELAY_HOME: path.join(folder(), "own") }
const rescue = (...args: ReadonlyArray<string>) => belay(["rescue", ...args], env)

describe("belay rescue", () => {
  it("shows lost subtasks first and what to do, by the exit code 1; as JSON without words of a conversation", async () => {
    const before = seen()
    const [text, data] = await Promise.all([rescue(), rescue("--output", "json")])
    assert.deepStrictEqual([text.code, data.code], [1, 1])
    const lines = text.stdout
    assert.match(lines[0] ?? "", /^Looked in 1 place \(.*\)\. Nothing was written\.$/u)
    assert.isBelow(lines.indexOf("Lost subtasks"), lines.indexOf("Can be read again"))
    assert.match(
      lines.join("\n"),
      /"Do parent": subtask "Do child" has ended; its result was never delivered {2}zoo:rent/u
    )
    assert.match(
      lines.at(-1) ?? "",
      /^Next: belay rescue show zoo:\w+ \| belay rescue copy DIR \| belay rescue import$/u
    )
    const found = json(data.stdout)
    assert.deepStrictEqual(
      found.tasks.map(({ id, state }: { id: string; state: string }) => `${id} ${state}`).toSorted(),
      ["child sound", "parent damaged", "torn damaged"]
    )
    assert.notInclude(data.stdout.join("\n"), "secret words")
    assert.strictEqual(seen(), before)
  })

  it("writes nothing while it looks: it needs no right to write a single file", async () => {
    const looked = await belay(["rescue", "--deep"], { ...env, NODE_OPTIONS: "--permission --allow-fs-read=*" })
    assert.strictEqual(looked.code, 1)
    assert.include(looked.stdout.join("\n"), "Lost subtasks")
  })

  it("asks the system to change nothing while it looks, where its calls can be traced", async () => {
    const trace = path.join(folder(), "calls")
    const tracing = ["-f", "-qq", "-e", "trace=%file,ftruncate,fchmod", "-o", trace]
    const command = [process.execPath, Built.entry("cli"), "rescue", "--deep", "--output", "json"]
    const run = (args: ReadonlyArray<string>) =>
      spawnSync("strace", [...tracing, ...args], { env: { ...process.env, ...env }, encoding: "utf8" })
    // Not everywhere is there such a program, or may one process trace another.
    if (run(["true"]).status !== 0) return
    assert.strictEqual(run(command).status, 1)
    const calls = readFileSync(trace, "utf8").split("\n")
    assert.isAbove(calls.filter((call) => call.includes(storage) && /O_RDONLY.*O_NOFOLLOW/u.test(call)).length, 5)
    const changing =
      /(?:O_WRONLY|O_RDWR|O_CREAT|\b(?:rename|unlink|rmdir|mkdir|link|symlink|truncate|chmod|chown|utime|mknod)\w*\()/u
    const own = /"\/(?:dev|proc|sys)\/|\/tmp\/belay-state-|\/cache\/tests\b/u
    assert.deepStrictEqual(
      calls.filter((call) => changing.test(call) && !/= -1 E/u.test(call) && !own.test(call)),
      []
    )
  })

  it("shows one task by the end of its id, and refuses what means none or several", async () => {
    const [shown, none, unknown] = await Promise.all([
      rescue("show", "zoo:parent"),
      rescue("show", "zoo:nope"),
      rescue("nobody")
    ])
    assert.strictEqual(shown.code, 1)
    assert.include(shown.stdout.join("\n"), 'subtask "Do child" (zoo:child): undelivered')
    assert.deepStrictEqual([none.code, unknown.code], [2, 2])
  })

  it("ends with 0 where nothing is damaged, and with 5 where there is nothing to look into", async () => {
    const copy = path.join(folder(), "copied")
    assert.strictEqual((await rescue("copy", copy)).code, 0)
    const item = JSON.parse(readFileSync(path.join(copy, "zoo/tasks/parent/history_item.json"), "utf8"))
    assert.deepStrictEqual([item.status, item.completedByChildId], ["active", "child"])
    const [sound, nothing, again] = await Promise.all([
      rescue("--path", copy),
      rescue("--path", folder()),
      rescue("copy", copy, "--output", "json")
    ])
    assert.deepStrictEqual([sound.code, nothing.code, again.code], [0, 5, 0])
    assert.include(sound.stdout.join("\n"), "Nothing is damaged.")
    assert.deepStrictEqual(json(again.stdout).written, [])
  })

  it("imports what is lost with its tree, from where it lies", async () => {
    const before = seen()
    const imported = json((await rescue("import", "zoo:child", "--output", "json")).stdout)
    assert.deepStrictEqual(
      imported.imported.map(({ status, taskId }: { status: string; taskId: string }) => `${taskId} ${status}`),
      ["child completed", "parent interrupted"]
    )
    assert.strictEqual(seen(), before)
  })
})
