/** `belay rescue` and `history import` where something may not be read, and what a terminal is told meanwhile. */
import { chmodSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { belay, folder, json } from "./support/cli.ts"
import * as Screen from "./support/Screen.ts"

const at = 1_784_332_598_169

const store = (root: string, task: string, item: object, ...calls: ReadonlyArray<object>): void => {
  const place = path.join(root, "tasks", task)
  mkdirSync(place, { recursive: true })
  const turns = [
    { role: "user", content: `Do ${task}` },
    ...calls.map((call) => ({ role: "assistant", content: [call] })),
    ...(calls.length === 0 ? [{ role: "assistant", content: "Well" }] : [])
  ]
  writeFileSync(
    path.join(place, "history_item.json"),
    JSON.stringify({ id: task, ts: at, task: `Do ${task}`, ...item })
  )
  writeFileSync(path.join(place, "api_conversation_history.json"), JSON.stringify(turns))
}

const settle = (root: string): void => {
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    utimesSync(path.join(root, name), at / 1000, at / 1000)
  }
}

const open = (name: string): string => path.join(home, ".config", name, "User/globalStorage")
const home = folder()
const [sound, shut, half] = [
  path.join(open("Code"), "rooveterinaryinc.roo-cline"),
  path.join(open("VSCodium"), "zoocodeorganization.zoo-code"),
  path.join(open("Cursor"), "kilocode.kilo-code")
]
store(sound, "S", {})
store(shut, "Z", {})
store(
  half,
  "P",
  { status: "delegated", awaitingChildId: "C", childIds: ["C"] },
  {
    type: "tool_use",
    id: "c1",
    name: "new_task",
    input: { message: "Do C" }
  }
)
store(half, "C", { status: "interrupted", parentTaskId: "P" })
store(half, "T", {})
const claude = path.join(home, ".claude/projects/-ws")
mkdirSync(claude, { recursive: true })
writeFileSync(path.join(claude, "76e23499-0000-4000-8000-000000000001.jsonl"), "{}")
settle(home)
const closed = [shut, path.join(half, "tasks/C"), claude]
chmodSync(home, 0o755)
for (const place of closed) chmodSync(place, 0)
afterAll(() => {
  for (const place of closed) chmodSync(place, 0o755)
})

/** Somebody who may not read everything; root may. */
const user = "data:text/javascript,process.getuid?.()===0&&process.setuid(65534)"
const env = {
  HOME: home,
  XDG_CONFIG_HOME: path.join(home, ".config"),
  BELAY_HOME: path.join(home, "none"),
  NODE_OPTIONS: `--import=${user}`
}
const rescue = (...args: ReadonlyArray<string>) => belay(["rescue", ...args], env)

interface Found {
  readonly places: ReadonlyArray<{ readonly path: string; readonly state: string; readonly tasks: number }>
  readonly tasks: ReadonlyArray<{
    readonly id: string
    readonly state: string
    readonly damages: ReadonlyArray<{ readonly code: string }>
  }>
}

describe.skipIf(process.platform === "win32")("what may not be read", () => {
  it("is told of, and hides no other place: the exit code is that of what was found", async () => {
    const [all, one, text] = await Promise.all([
      rescue("--output", "json"),
      rescue("roo", "zoo", "claude", "--output", "json"),
      rescue()
    ])
    const { places, tasks }: Found = json(all.stdout)
    assert.deepStrictEqual(
      places.map((place) => `${path.relative(home, place.path)} ${place.state} ${place.tasks}`).toSorted(),
      [
        ".claude/projects empty 0",
        ".claude/projects/-ws denied 0",
        ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks read 1",
        ".config/Cursor/User/globalStorage/kilocode.kilo-code/tasks read 3",
        ".config/VSCodium/User/globalStorage/zoocodeorganization.zoo-code denied 0"
      ]
    )
    // One unreadable task is told of, and its parent waits for it all the same.
    assert.deepStrictEqual(
      tasks.map(({ damages, id, state }) => [id, state, ...damages.map(({ code }) => code)].join(" ")).toSorted(),
      ["C unreadable file.unreadable", "P sound", "S sound", "T sound"]
    )
    assert.deepStrictEqual([all.code, one.code, text.code], [1, 0, 1])
    assert.include(text.stdout.join("\n"), "cannot be read")
  })

  it("alone ends with 5, and is named", async () => {
    const { code, stderr } = await rescue("zoo")
    assert.strictEqual(code, 5)
    assert.include(stderr.join("\n"), `no history could be read (${shut})`)
  })

  it("keeps no other task from being imported, and releases no parent", async () => {
    const own = folder()
    chmodSync(own, 0o777)
    const taken = await belay(["history", "import", half, "--output", "json"], {
      ...env,
      BELAY_HOME: path.join(own, "h")
    })
    const { imported, quarantined } = json(taken.stdout)
    assert.deepStrictEqual(
      imported.map(({ status, taskId }: { status: string; taskId: string }) => `${taskId} ${status}`).toSorted(),
      ["C interrupted", "P delegated", "T interrupted"]
    )
    assert.include(JSON.stringify(quarantined), "permission denied")
  })
})

it("a terminal is told how far an import is, and nothing of it is left", async () => {
  const old = folder()
  for (let n = 0; n < 45; n++) store(old, `T${n}`, {})
  const own = { BELAY_HOME: path.join(folder(), "own") }
  const screen = Screen.open(["history", "import", old], own, folder(), { columns: 80, rows: 30 })
  assert.strictEqual(await screen.exit, 0)
  assert.match(screen.written(), /Reading the tasks: \d+ of 45/u)
  assert.match(screen.written(), /Importing: \d+ of 45/u)
  assert.notInclude(screen.lines().join("\n"), " of 45")
  assert.include(screen.lines().join("\n"), "Imported 45 tasks")
})
