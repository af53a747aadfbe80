/** Folders as the programs leave them, and what an import makes of them. */
import { Import } from "@belay/history-interop"
import { type History, TaskHistory } from "@belay/history-store"
import { TaskId } from "@belay/task-state"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { layerMemory } from "./history.ts"

/** Of a file, its text or bytes, or what is stored in it as JSON. */
export type Files = Readonly<Record<string, unknown>>

export const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "belay-interop-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

export const write = (root: string, files: Files): void => {
  for (const [name, content] of Object.entries(files)) {
    const file = join(root, name)
    mkdirSync(dirname(file), { recursive: true })
    const raw = typeof content === "string" || content instanceof Uint8Array
    writeFileSync(file, raw ? content : JSON.stringify(content))
  }
}

/** Every name below a folder with its kind, times and bytes. */
export const fingerprint = (root: string): string => {
  const hash = createHash("sha256")
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" }).toSorted()) {
    const file = join(root, name)
    const stat = lstatSync(file)
    hash.update(`${name} ${stat.mode} ${stat.mtimeMs}\n`)
    if (stat.isSymbolicLink()) hash.update(readlinkSync(file))
    else if (stat.isFile()) hash.update(readFileSync(file))
  }
  return hash.digest("hex")
}

export const id = (text: string): TaskId.TaskId => TaskId.TaskId.make(text)

export const optionsOf = (root: string): Import.Options => ({
  quarantine: join(root, "copies"),
  settings: (mode) => ({ settings: { mode }, model: `m-${mode}` })
})

/** Imports a folder into the history at hand. */
export const imports = (root: string, into: string = root) =>
  Effect.flatMap(Import.plan(join(root, "old")), (plan) => Import.run(plan, optionsOf(into)))

export const row = (task: string): Effect.Effect<History.TaskRow, unknown, TaskHistory> =>
  Effect.map(
    TaskHistory.use((history) => history.row(id(task))),
    Option.getOrThrow
  )

export const record = (task: string) => Effect.map(row(task), (found) => found.record)

export const contents = (task: string) =>
  Effect.map(
    TaskHistory.use((history) => history.messages(id(task))),
    (messages) => messages.map(({ content, role }) => ({ role, content }))
  )

/** A folder `old` with these files, an empty history, and what becomes of both. */
export const withFolder = <A, E>(
  files: Files,
  body: (root: string) => Effect.Effect<A, E, TaskHistory>
): Effect.Effect<A, unknown> =>
  Effect.scoped(
    Effect.gen(function* () {
      const root = yield* temporary
      mkdirSync(join(root, "old", "tasks"), { recursive: true })
      write(join(root, "old"), files)
      yield* TestClock.setTime(at + 60_000)
      return yield* Effect.provide(body(root), layerMemory)
    })
  )

export const at = 1_784_332_598_169

/** What Roo stores of a task. */
export const item = (task: string, more: object = {}): object => ({
  id: task,
  number: 1,
  ts: at,
  task: `Do ${task}`,
  tokensIn: 1200,
  tokensOut: 300,
  totalCost: 0.02,
  size: 5120,
  workspace: "/ws",
  mode: "code",
  ...more
})

export const user = (text: string) => ({ role: "user", content: [{ type: "text", text }], ts: at })

export const assistant = (...content: ReadonlyArray<object | string>) => ({
  role: "assistant",
  content: content.map((one) => (typeof one === "string" ? { type: "text", text: one } : one)),
  ts: at + 1
})

export const call = (callId: string, name: string, input: object = {}) => ({
  type: "tool_use",
  id: callId,
  name,
  input
})

export const result = (callId: string, content: string, more: object = {}) => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: callId, content, ...more }],
  ts: at + 2
})

/** The files of a task: its item and its conversation. */
export const files = (
  task: string,
  more: object | null,
  conversation: unknown = [user(`Do ${task}`), assistant("Well")]
): Files => ({
  ...(more === null ? {} : { [`tasks/${task}/history_item.json`]: item(task, more) }),
  ...(conversation === undefined ? {} : { [`tasks/${task}/api_conversation_history.json`]: conversation })
})

/** Each task as `id:status`, and each repair as `rule id`. */
export const told = ({ imported, repairs }: Import.Report) => ({
  imported: imported.map(({ status, taskId }) => `${taskId}:${status}`).toSorted(),
  repairs: repairs.map(({ rule, taskId }) => `${rule} ${taskId}`).toSorted()
})
