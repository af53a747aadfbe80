/**
 * `pnpm interop`: what is written for other programs, read by their own code, as far as it is in packages: an export for Roo
 * Code by its schemas, which lose nothing of it, and a repaired copy of a session by pi itself.
 *
 * The packages are installed into a folder of this run. One that cannot be fetched is skipped with a word. Prints a line for
 * each program and exits with 1 when one does not read what was written.
 */
import { Export, Import, Rescue } from "@belay/history-interop"
import * as Store from "@belay/history-store"
import { Reconciler, TaskStateMachine } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isDeepStrictEqual } from "node:util"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import * as path from "node:path"
import * as Tree from "./Tree.ts"

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const root = mkdtempSync(path.join(tmpdir(), "belay-interop-"))

/** A package at a version, loaded; undefined when it cannot be fetched. */
const fetched = async (name: string, version: string): Promise<unknown> => {
  const folder = path.join(root, "packages", name.replace("/", "+"))
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, "package.json"), '{"private":true}')
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", `${name}@${version}`]
  const done = spawnSync("npm", args, { cwd: folder, encoding: "utf8", shell: process.platform === "win32" })
  if (done.status !== 0) return undefined
  const manifest = JSON.parse(readFileSync(path.join(folder, "node_modules", name, "package.json"), "utf8")) as {
    readonly exports?: { readonly ".": { readonly import: string | { readonly default: string } } }
    readonly main?: string
  }
  const entry = manifest.exports?.["."].import
  const file = typeof entry === "string" ? entry : (entry?.default ?? manifest.main)
  return file === undefined
    ? createRequire(path.join(folder, "x.js"))(name)
    : import(path.join(folder, "node_modules", name, file))
}

interface Zod {
  readonly safeParse: (value: unknown) => {
    readonly success: boolean
    readonly data?: unknown
    readonly error?: unknown
  }
}

const history = Store.layerMemory.pipe(
  Layer.provide(Layer.mergeAll(TaskStateMachine.layer, Store.Ownership.layerMemory, Reconciler.layer))
)

/** Of what was exported, the values that a schema refuses or of which it drops something. */
const refused = (schema: Zod, values: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  values.filter((value) => {
    const read = schema.safeParse(value)
    return !read.success || !isDeepStrictEqual(read.data, value)
  })

/** Fields of ours that Roo Code has not, and does not miss. */
const own = new Set(["createdAt"])

const roo = async (): Promise<string | undefined> => {
  const types = (await fetched("@roo-code/types", "1.115.0")) as
    | { readonly historyItemSchema: Zod; readonly clineMessageSchema: Zod }
    | undefined
  if (types === undefined) return undefined
  const home = path.join(root, "home")
  Tree.make(home, { tasks: 60, bytes: 2_000_000, long: 0 })
  const place = path.join(home, ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline")
  const options = { quarantine: path.join(root, "copies"), settings: () => ({ settings: null, model: "" }) }
  const target = path.join(root, "exported")
  const exported = Effect.gen(function* () {
    yield* Import.run(yield* Import.plan(place), options)
    return yield* Export.run(target, "roo")
  })
  const report = await Effect.runPromise(Effect.provide(exported, history))
  const files = (name: string) =>
    report.exported.map(({ path: folder }) => JSON.parse(readFileSync(path.join(folder, name), "utf8")) as unknown)
  const items = files("history_item.json").map((item) =>
    Object.fromEntries(Object.entries(item as object).filter(([name]) => !own.has(name)))
  )
  const events = files("ui_messages.json").flatMap((list) => list as ReadonlyArray<unknown>)
  const bad = [...refused(types.historyItemSchema, items), ...refused(types.clineMessageSchema, events)]
  for (const value of bad.slice(0, 3)) say(`refused: ${JSON.stringify(value).slice(0, 300)}`)
  if (bad.length > 0) throw new Error(`${bad.length} values are refused`)
  return `${items.length} records and ${events.length} rows, nothing of them lost`
}

const pi = async (): Promise<string | undefined> => {
  interface Manager {
    readonly getEntries: () => ReadonlyArray<unknown>
    readonly buildSessionContext: () => { readonly messages: ReadonlyArray<unknown> }
  }
  const found = (await fetched("@mariozechner/pi-coding-agent", "0.73.1")) as
    | { readonly SessionManager: { readonly open: (file: string) => Manager } }
    | undefined
  if (found === undefined) return undefined
  const session = "76e23499-0000-4000-8000-000000000001"
  const at = "2026-07-18T00:00:00.000Z"
  const rows = Array.from({ length: 40 }, (_, n) => ({
    type: "message",
    id: `m${n}`,
    // One of them was never written.
    parentId: n === 0 ? null : n === 20 ? "lost" : `m${n - 1}`,
    timestamp: at,
    message: { role: n % 2 === 0 ? "user" : "assistant", content: [{ type: "text", text: `Word ${n}` }] }
  }))
  const header = { type: "session", version: 3, id: session, timestamp: at, cwd: "/ws" }
  const lines = [header, ...rows].map((row) => JSON.stringify(row))
  lines.splice(30, 0, '{"type":"mess')
  const place = path.join(root, "pi")
  mkdirSync(path.join(place, "sessions/--ws--"), { recursive: true })
  writeFileSync(path.join(place, `sessions/--ws--/2026-07-18T00-00-00-000Z_${session}.jsonl`), lines.join("\n"))
  const target = path.join(root, "rescued")
  const looked = await Effect.runPromise(Rescue.Look.at([{ agent: "pi", path: place }], { deep: true }))
  await Effect.runPromise(Rescue.Copy.run(target, looked, new Set([`pi:${session}`])))
  const folder = path.join(target, "pi/sessions/--ws--")
  const name = readdirSync(folder).find((one) => one.endsWith(".jsonl")) ?? ""
  const { messages } = found.SessionManager.open(path.join(folder, name)).buildSessionContext()
  if (messages.length !== rows.length) throw new Error(`${messages.length} of ${rows.length} messages were read`)
  return `${messages.length} messages of a repaired session, in its own context`
}

try {
  for (const [name, read] of Object.entries({ "Roo Code": roo, pi })) {
    const done = await read().catch((error: unknown) => {
      process.exitCode = 1
      return `FAILED: ${error instanceof Error ? error.message : String(error)}`
    })
    say(`interop: ${name} | ${done ?? "skipped: its package cannot be fetched"}`)
  }
  say("interop: Zoo Code | skipped: its code is in no package")
} finally {
  rmSync(root, { recursive: true, force: true })
}
