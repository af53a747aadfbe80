/** The package as it is installed: nothing beside it, no library in its types, and tasks that run. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const own = path.resolve(import.meta.dirname, "..")
const root = path.resolve(own, "../..")

/** Bytes that all files of the package may take. */
const largest = 5_000_000

let place = ""

const installed = (): string => path.join(place, "node_modules", "@belay", "sdk")

const files = (folder: string): ReadonlyArray<string> =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .flatMap((entry) => (entry.isFile() ? [path.join(entry.parentPath, entry.name)] : []))

beforeAll(() => {
  place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "sdk-")))
  fs.cpSync(path.join(own, "dist"), path.join(installed(), "dist"), { recursive: true })
  fs.copyFileSync(path.join(own, "package.json"), path.join(installed(), "package.json"))
  fs.writeFileSync(path.join(place, "package.json"), '{ "type": "module" }')
})
afterAll(() => fs.rmSync(place, { recursive: true, force: true }))

const program = `
import { createBelay, defineModel, defineTool, judgeCommand, type Belay, type TaskEvent, type TaskRecord } from "@belay/sdk"

const workspace = process.argv[2] ?? ""
const model = defineModel({
  stream: async function* ({ messages }) {
    const isDone = messages.some(({ content }) => content.some(({ type }) => type === "tool_result"))
    const [name, input] = isDone ? ["attempt_completion", { result: "Done." }] : ["shout", { word: "hello" }]
    yield { type: "finished", content: [{ type: "tool_use", id: isDone ? "b" : "a", name: String(name), input }] }
  }
})
const shout = defineTool<{ readonly word: string }>({
  name: "shout",
  description: "Shouts a word",
  parameters: { properties: { word: { type: "string" } }, required: ["word"] },
  approval: "allow",
  execute: async ({ word }, { signal }) => (signal.aborted ? "" : word.toUpperCase())
})
const belay: Belay = await createBelay({ directory: workspace + "/data", model, tools: [shout] })
const task = await belay.start({ prompt: "Shout", workspace, signal: new AbortController().signal })
for await (const event of task.events()) {
  const seen: TaskEvent = event
  if (seen.type === "tool.finished" && seen.name === "shout") console.log(JSON.stringify(seen.result))
}
const record: TaskRecord = (await task.result).record
console.log(record.status === "completed" ? record.result : record.status)
const { decision, rule }: { readonly decision: "allow" | "ask" | "deny"; readonly rule: string } = await judgeCommand(
  "rm -rf ~/",
  { workspace, approvals: "all" }
)
console.log(decision, rule)
await belay.close()
`

const entries: ReadonlyArray<() => Promise<object>> = [
  () => import("@belay/approval-policy/node"),
  () => import("@belay/checkpoints/promise"),
  () => import("@belay/focus-chain/promise"),
  () => import("@belay/history-store/promise"),
  () => import("@belay/model-client/promise"),
  () => import("@belay/task-engine/promise"),
  () => import("@belay/task-state/promise"),
  () => import("@belay/tool-executor/promise")
]

describe("the entry", () => {
  it("has every value of the packages' entries for promises, but what the engine takes of a model", async () => {
    const own = new Set<unknown>(Object.values(await import("@belay/sdk")))
    const found = await Promise.all(entries.map((entry) => entry()))
    const missing = found.flatMap((module) => Object.entries(module).filter(([, value]) => !own.has(value)))
    assert.deepStrictEqual(
      missing.map(([name]) => name),
      ["clientOf"]
    )
  })
})

describe("the installed package", () => {
  it("takes little room, and imports nothing but Node's own modules where nothing is installed beside it", () => {
    const all = files(installed())
    const size = all.reduce((sum, file) => sum + fs.statSync(file).size, 0)
    assert.isBelow(size, largest)
    const { dependencies = {} } = JSON.parse(fs.readFileSync(path.join(own, "package.json"), "utf8"))
    assert.deepStrictEqual(dependencies, {})
    const named = all
      .filter((file) => file.endsWith(".js"))
      .flatMap((file) => [...fs.readFileSync(file, "utf8").matchAll(/\bfrom ?"([^"]+)"/g)].map(([, name = ""]) => name))
      .filter((name) => !name.startsWith("node:") && !name.startsWith("."))
    assert.deepStrictEqual([...new Set(named)], [])
  })

  it("has types that name no library", () => {
    const types = files(path.join(installed(), "dist", "types"))
    assert.isNotEmpty(types)
    for (const file of types) assert.notMatch(fs.readFileSync(file, "utf8"), /["']effect/, file)
  })

  it("compiles strictly in a program without libraries, and runs a task", () => {
    fs.writeFileSync(path.join(place, "program.ts"), program)
    const compilerOptions = {
      target: "es2024",
      lib: ["es2024", "esnext.disposable", "dom"],
      module: "nodenext",
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      verbatimModuleSyntax: true,
      noEmit: true,
      types: []
    }
    fs.writeFileSync(
      path.join(place, "globals.d.ts"),
      "declare const process: { readonly argv: ReadonlyArray<string> }\n"
    )
    const project = path.join(place, "tsconfig.json")
    fs.writeFileSync(project, JSON.stringify({ compilerOptions, files: ["program.ts", "globals.d.ts"] }))
    const run = (program: string, ...args: ReadonlyArray<string>): string =>
      execFileSync(program, [...args], { cwd: place, encoding: "utf8" })
    run(path.join(root, "node_modules", ".bin", "tsc"), "-p", project)
    const workspace = path.join(place, "workspace")
    fs.mkdirSync(workspace)
    assert.deepStrictEqual(run(process.execPath, "program.ts", workspace).trim().split("\n"), [
      '[{"type":"text","text":"HELLO"}]',
      "Done.",
      "ask floor.outside"
    ])
  })
})
