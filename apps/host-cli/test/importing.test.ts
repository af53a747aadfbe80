import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { completes } from "./support/asking.ts"
import { belay, folder, json } from "./support/cli.ts"
import { textOf, world } from "./support/story.ts"

const at = 1_784_332_598_169

const store = (root: string, task: string, item: object, conversation: string): void => {
  const place = path.join(root, "tasks", task)
  mkdirSync(place, { recursive: true })
  writeFileSync(
    path.join(place, "history_item.json"),
    JSON.stringify({ id: task, ts: at, task: `Do ${task}`, ...item })
  )
  writeFileSync(path.join(place, "api_conversation_history.json"), conversation)
}

const awaits = { status: "delegated", awaitingChildId: "C", childIds: ["C"] }

const turns = (...content: ReadonlyArray<object>): string =>
  JSON.stringify([{ role: "user", content: "Hello" }, ...content.map((one) => ({ role: "assistant", content: [one] }))])

/** Every file with its time and bytes. */
const fingerprint = (root: string): string => {
  const hash = createHash("sha256")
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" }).toSorted()) {
    const stat = statSync(path.join(root, name))
    hash.update(`${name} ${stat.mtimeMs}\n`)
    if (stat.isFile()) hash.update(readFileSync(path.join(root, name)))
  }
  return hash.digest("hex")
}

describe("history import", () => {
  const old = path.join(folder(), "zoocodeorganization.zoo-code")
  const whole = turns({ type: "tool_use", id: "d", name: "attempt_completion", input: { result: "9" } })
  store(old, "C", { status: "completed", parentTaskId: "P" }, whole)
  store(
    old,
    "P",
    { status: "delegated", awaitingChildId: "C", childIds: ["C"] },
    turns({ type: "tool_use", id: "c", name: "new_task" })
  )
  store(old, "T", {}, turns({ type: "text", text: "Well" }).slice(0, -4))
  mkdirSync(path.join(old, "tasks", "X"))
  writeFileSync(path.join(old, "tasks", "X", "history_item.json"), "\0\0")
  const before = fingerprint(old)
  const home = path.join(folder(), "home")
  const env = { BELAY_HOME: home }
  const imports = (...args: ReadonlyArray<string>) => belay(["history", "import", old, ...args], env)

  it("says first what it would do, and writes nothing", async () => {
    const [dry, text] = await Promise.all([imports("--dry-run", "--output", "json"), imports("--dry-run")])
    assert.isFalse(existsSync(home))
    assert.strictEqual(dry.code, 0)
    const { imported, quarantined, repairs, skipped } = json(dry.stdout)
    assert.deepStrictEqual(imported, [
      { sourceId: "C", taskId: "C", status: "completed" },
      { sourceId: "P", taskId: "P", status: "interrupted" },
      { sourceId: "T", taskId: "T", status: "interrupted" }
    ])
    const rules = repairs.map(({ rule, taskId }: { rule: string; taskId: string }) => `${rule} ${taskId}`)
    assert.deepStrictEqual(rules, ["salvaged T", "unknownStatus T", "childCompleted P"])
    assert.deepStrictEqual(skipped, [])
    assert.deepStrictEqual(quarantined, [
      { path: path.join(old, "tasks/X/history_item.json"), reason: "it holds nothing but zeros", copy: null },
      { path: path.join(old, "tasks/T/api_conversation_history.json"), reason: "it is not whole", copy: null }
    ])
    assert.strictEqual(
      text.stdout[0],
      "Found 4 tasks. 3 can be imported, 1 is damaged (copies are kept). Nothing in the old folder is changed."
    )
  })

  it("takes over what it said, keeps copies, and changes nothing the second time", async () => {
    const first = json((await imports("--output", "json")).stdout)
    assert.deepStrictEqual(
      first.imported.map(({ taskId, status }: { taskId: string; status: string }) => `${taskId} ${status}`),
      ["C completed", "P interrupted", "T interrupted"]
    )
    for (const { copy, path: file } of first.quarantined) assert.deepStrictEqual(readFileSync(copy), readFileSync(file))
    const shown = json((await belay(["task", "show", "P", "--messages", "--output", "json"], env)).stdout)
    assert.deepStrictEqual(shown.collected.C.outcome, "succeeded")
    assert.include(JSON.stringify(shown.messages.at(-1)), '"text":"9"')

    const list = async () => (await belay(["task", "list", "--output", "json"], env)).stdout.join("\n")
    const listed = await list()
    const [again, text] = [json((await imports("--output", "json")).stdout), await imports("--dry-run")]
    assert.deepStrictEqual([again.imported, again.repairs], [[], []])
    assert.strictEqual(
      text.stdout[0],
      "Found 4 tasks. 3 were imported before, 1 is damaged (copies are kept). Nothing in the old folder is changed."
    )
    assert.strictEqual(await list(), listed)
    assert.strictEqual(fingerprint(old), before)
  })

  it("refuses what is no such folder in one line", async () => {
    const [gone, empty] = await Promise.all([
      belay(["history", "import", path.join(old, "gone")], env),
      belay(["history", "import", home, "--from", "other"], env)
    ])
    assert.deepStrictEqual([gone.code, gone.stdout, empty.code], [2, [], 2])
    assert.match(
      gone.stderr.join("\n"),
      /^belay: this folder cannot be imported \(.*\): it does not exist\. Name .*\.$/u
    )
  })
})

describe("an imported task", () => {
  it("goes on where it stood: its subtask is resumed, and its call gets the result", async () => {
    const { command, home, requests, start, workspace } = await world([
      ["Old parent", [completes("not asked for"), completes("All is 9")]],
      ["Old part", [completes("not asked for"), completes("It is 9")]]
    ])
    const old = path.join(home, "..", `${path.basename(home)}-old`)
    const turnsOf = (prompt: string, call: object) =>
      JSON.stringify([
        { role: "user", content: [{ type: "text", text: prompt }] },
        {
          role: "assistant",
          content: [
            { type: "text", text: "Well" },
            { type: "tool_use", input: {}, ...call }
          ]
        }
      ])
    store(old, "P", { ...awaits, workspace }, turnsOf("Old parent", { id: "c1", name: "new_task" }))
    const open = { status: "active", parentTaskId: "P", workspace }
    store(old, "C", open, turnsOf("Old part", { id: "r1", name: "execute_command" }))
    await command("history", "import", old)
    rmSync(old, { recursive: true })
    const { result } = await start("task", "resume", "P").ended()
    assert.deepInclude(result, { status: "completed", result: "All is 9", taskId: "P" })
    const [asked] = requests("Old part")
    assert.match(textOf(asked), /"tool_use_id":"r1".*It is not known whether this ran/u)
    const last = requests("Old parent").at(-1).messages.at(-1).content[0]
    assert.deepInclude(last, { type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "It is 9" }] })
  })
})

describe("history import without a folder", () => {
  it("takes the only history that is found, of both versions of its program, and asks where there are several", async () => {
    const home = folder()
    const session = "1784094124598_rruoq"
    const place = path.join(home, ".cline/data/sessions", session)
    mkdirSync(place, { recursive: true })
    const messages = [{ id: "m1", role: "user", content: "Hello", ts: at }]
    writeFileSync(path.join(place, `${session}.messages.json`), JSON.stringify({ version: 1, messages }))
    store(path.join(home, ".cline/data"), "1784332598169", {}, turns({ type: "text", text: "Well" }))
    const env = { HOME: home, XDG_CONFIG_HOME: path.join(home, ".config"), BELAY_HOME: path.join(folder(), "own") }
    const { imported } = json((await belay(["history", "import", "--output", "json"], env)).stdout)
    assert.sameMembers(
      imported.map(({ taskId }: { taskId: string }) => taskId),
      [session, "1784332598169"]
    )
    mkdirSync(path.join(home, ".claude/projects/-ws"), { recursive: true })
    writeFileSync(path.join(home, ".claude/projects/-ws/76e23499-0000-4000-8000-000000000001.jsonl"), "{}")
    const several = await belay(["history", "import"], env)
    assert.strictEqual(several.code, 2)
    assert.include(several.stderr.join("\n"), "several histories were found")
  })
})

describe("history export", () => {
  it("writes what is there as the other programs keep it, and needs no history", async () => {
    const target = path.join(folder(), "out")
    const empty = await belay(["history", "export", target, "--output", "json"], {
      BELAY_HOME: path.join(target, "none")
    })
    assert.deepStrictEqual([empty.code, json(empty.stdout)], [0, { exported: [], skipped: [] }])
    assert.isFalse(existsSync(target))

    const old = path.join(folder(), "old")
    store(old, "T", { status: "interrupted" }, turns({ type: "text", text: "Well" }))
    const env = { BELAY_HOME: path.join(folder(), "home") }
    await belay(["history", "import", old], env)
    const { exported } = json(
      (await belay(["history", "export", target, "--to", "roo", "--output", "json"], env)).stdout
    )
    assert.deepStrictEqual(exported, [{ taskId: "T", path: path.join(target, "tasks/T") }])
    const item = JSON.parse(readFileSync(path.join(target, "tasks/T/history_item.json"), "utf8"))
    // Roo Code knows no other word for a task that is neither completed nor delegated.
    assert.deepStrictEqual([item.status, item.task], ["active", "Hello"])
    const file = path.join(target, "a-file")
    writeFileSync(file, "")
    const none = await belay(["history", "export", file], env)
    assert.deepStrictEqual(
      [none.code, none.stderr],
      [2, [`belay: the place to export to is not a folder (${file}). Name a folder.`]]
    )
    rmSync(file)
    const again = await belay(["history", "export", target], env)
    assert.match(again.stdout.join("\n"), /^Exported 0 tasks to .*\nleft alone {2}T: it is there already/u)
  })
})
