/** Whether this process is one that a task has started: then nobody speaks through it for the person. */
import * as DataFolder from "@belay/history-store/data-folder"
import * as TaskMark from "@belay/tool-executor/unstable/task-mark"
import { existsSync, readlinkSync } from "node:fs"
import * as path from "node:path"
import * as Belonging from "./Belonging.ts"
import * as Kin from "./Kin.ts"

const namespace = (): string => {
  try {
    return readlinkSync("/proc/self/ns/pid")
  } catch {
    return ""
  }
}

const nobody: Belonging.Known = { owners: [], calls: [] }

/** Whoever holds the history up may have a reason to: what was cut off from anything is then taken for a task's. */
const heldUp: Belonging.Known = { owners: [], calls: [[0, Infinity]] }

const SQLITE_BUSY = 5

const bootedAt = (): number =>
  Math.round(performance.timeOrigin + performance.now() - process.getBuiltinModule("node:os").uptime() * 1000)

/** A task that has started a call has been changed then or later: of those that were not since the system began none is read. */
const read = (file: string): Belonging.Known => {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    db.exec("PRAGMA busy_timeout = 1000")
    const owners = db.prepare("SELECT pid, started_at FROM owner WHERE pid_namespace = ?").all(namespace())
    const calls = db
      .prepare(
        `SELECT s.ts AS began, (SELECT min(f.ts) FROM task_event f WHERE f.task = s.task AND f.type = 'tool.finished'
            AND json_extract(f.data, '$.m') = json_extract(s.data, '$.m')
            AND json_extract(f.data, '$.p') = json_extract(s.data, '$.p')) AS ended
          FROM task_metric m CROSS JOIN task_event s ON s.task = m.task
          JOIN tool_call c ON c.task = s.task AND c.message_idx = json_extract(s.data, '$.m')
            AND c.position = json_extract(s.data, '$.p') AND c.name IN ('execute_command', 'use_mcp_tool')
          WHERE m.updated_at > :booted AND s.type = 'tool.started' AND s.ts > :booted`
      )
      .all({ booted: bootedAt() })
    return {
      owners: owners.map(({ pid, started_at }) => ({ pid: Number(pid), since: Number(started_at) })),
      calls: calls.map(({ began, ended }) => [Number(began), ended === null ? Infinity : Number(ended)] as const)
    }
  } finally {
    db.close()
  }
}

/** Read as it is, without the layers of the history: a command that only refuses loads nothing else. */
const known = (): Belonging.Known => {
  const file = path.join(DataFolder.directory(), "belay.db")
  try {
    return existsSync(file) ? read(file) : nobody
  } catch (cause) {
    // One that cannot be read at all knows of nobody; whoever needs it says so.
    const code = Number((cause as { readonly errcode?: unknown }).errcode ?? 0) & 0xff
    return code === SQLITE_BUSY ? heldUp : nobody
  }
}

const find = (): boolean => {
  if ((process.env[TaskMark.variable] ?? "") !== "") return true
  const look = Kin.look()
  const line = Kin.above(process.pid, look)
  return Belonging.isMarked(line, look) || (line.length > 0 && Belonging.isKnown(line, known()))
}

let found: boolean | undefined

/** Asked once for a process. */
export const isOfTask = (): boolean => (found ??= find())
