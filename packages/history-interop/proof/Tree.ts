/** A home folder with the histories that its owner has gathered over years: made anew, the same for the same arguments. */
import { closeSync, mkdirSync, openSync, utimesSync, writeFileSync, writeSync } from "node:fs"
import * as path from "node:path"

/** Describes a home to make. `bytes` is the size of all its logs, `long` that of one log more. */
export interface Size {
  readonly tasks: number
  readonly bytes: number
  readonly long: number
}

/** ms since 1970, of the first task. */
const began = 1_784_332_598_169

const prose = "The parser keeps the position of each token so that an error can name its line and column. ".repeat(24)

const text = (words: string): object => ({ type: "text", text: words })

/** Turns of a task until they have so many bytes. */
const turnsOf = (id: string, at: number, bytes: number): Array<object> => {
  const turns: Array<object> = [{ role: "user", content: [text(`<task>\nDo ${id}\n</task>`)], ts: at }]
  for (let n = 1, size = 0; size < bytes; n++) {
    const call = { type: "tool_use", id: `${id}-${n}`, name: "read_file", input: { path: `src/file${n}.ts` } }
    const result = { type: "tool_result", tool_use_id: `${id}-${n}`, content: `${n}: ${prose.repeat(3)}` }
    turns.push({ role: "assistant", content: [text(`${n}: ${prose.slice(0, 300)}`), call], ts: at + n * 2000 })
    turns.push({ role: "user", content: [result], ts: at + n * 2000 + 1000 })
    size += 7000
  }
  return turns
}

const eventsOf = (id: string, at: number, bytes: number): ReadonlyArray<object> => {
  const cost = JSON.stringify({ tokensIn: 900, tokensOut: 120, cacheReads: 0, cacheWrites: 0, cost: 0.01 })
  const events: Array<object> = [{ ts: at, type: "say", say: "text", text: `Do ${id}` }]
  for (let n = 1, size = 0; size < bytes; n++) {
    events.push({ ts: at + n * 2000, type: "say", say: "api_req_started", text: cost })
    events.push({ ts: at + n * 2000 + 1, type: "say", say: "text", text: prose.slice(0, 1800) })
    size += 2100
  }
  return events
}

/** Every tenth task has given work to the next one, and has not heard of it in every hundredth. */
const linksOf = (
  n: number,
  id: (n: number) => string
): { readonly item: object; readonly last: ReadonlyArray<object> } => {
  if (n % 10 === 1) {
    const result = { type: "tool_use", id: `end-${n}`, name: "attempt_completion", input: { result: `Done ${n}` } }
    return {
      item: { status: "completed", parentTaskId: id(n - 1) },
      last: [{ role: "assistant", content: [result] }]
    }
  }
  if (n % 10 !== 0) return { item: {}, last: [] }
  const call = {
    type: "tool_use",
    id: `sub-${n}`,
    name: "new_task",
    input: { mode: "code", message: `Do ${id(n + 1)}` }
  }
  const asked = { role: "assistant", content: [call] }
  const told = { role: "user", content: [{ type: "tool_result", tool_use_id: `sub-${n}`, content: `Done ${n + 1}` }] }
  return n % 100 === 0
    ? { item: { status: "delegated", awaitingChildId: id(n + 1), childIds: [id(n + 1)] }, last: [asked] }
    : { item: { status: "active", childIds: [id(n + 1)] }, last: [asked, told] }
}

const write = (folder: string, files: Readonly<Record<string, string>>, at: number): void => {
  mkdirSync(folder, { recursive: true })
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(path.join(folder, name), content)
    utimesSync(path.join(folder, name), at / 1000, at / 1000)
  }
}

/** One log of so many bytes, written piece by piece, that has no end. */
const writeLong = (file: string, bytes: number): void => {
  const handle = openSync(file, "w")
  for (let n = 0, size = 0, turns = turnsOf("long", began, 1); size < bytes; n++) {
    const more = turnsOf(`long-${n}`, began + n * 10_000_000, 1_000_000).slice(1)
    const value = JSON.stringify(n === 0 ? [...turns, ...more] : more)
    const piece = n === 0 ? value.slice(0, -1) : `,${value.slice(1, -1)}`
    size += writeSync(handle, piece)
  }
  closeSync(handle)
  utimesSync(file, began / 1000, began / 1000)
}

/** Makes the home, with the tasks of an extension of an editor. */
export const make = (home: string, { bytes, long, tasks }: Size): void => {
  const root = path.join(home, ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks")
  const id = (n: number): string => `018f0000-0000-7000-8000-${String(n).padStart(12, "0")}`
  const own = bytes / tasks
  const entries: Array<object> = []
  for (let n = 0; n < tasks; n++) {
    const at = began + n * 60_000
    const { item, last } = linksOf(n, id)
    const turns = [...turnsOf(id(n), at, own * 0.7), ...last]
    const record = {
      id: id(n),
      number: n + 1,
      ts: at,
      task: `Do ${id(n)}`,
      tokensIn: 1200,
      tokensOut: 300,
      totalCost: 0.02,
      workspace: "/ws",
      mode: "code",
      ...item
    }
    entries.push(record)
    const files = {
      "history_item.json": JSON.stringify(record),
      "api_conversation_history.json": JSON.stringify(turns),
      "ui_messages.json": JSON.stringify(eventsOf(id(n), at, own * 0.3))
    }
    write(path.join(root, id(n)), files, at)
  }
  write(root, { "_index.json": JSON.stringify({ version: 1, entries }) }, began)
  if (long === 0) return
  const torn = path.join(root, "long")
  write(torn, { "history_item.json": JSON.stringify({ id: "long", number: 1, ts: began, task: "Long" }) }, began)
  writeLong(path.join(torn, "api_conversation_history.json"), long)
}
