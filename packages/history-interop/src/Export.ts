/**
 * Writes tasks of the history into a folder as Roo Code and Zoo Code keep theirs, so that either can go on with them.
 *
 * Only new folders are written, each whole or not at all: a task that is there already stays as it is.
 */
import { ReplaceFile } from "@belay/machine"
import { type History, type HistoryError, TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import * as Legacy from "@belay/task-state/legacy"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import type { Message } from "./internal/blocks.ts"
import * as Completion from "./internal/completion.ts"
import { fieldsOf, text } from "./internal/fields.ts"

/** The folder cannot be written; tasks that were written before stay. */
export class ExportError extends Schema.TaggedError<ExportError>()("ExportError", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `the tasks were not exported (${this.path}): ${this.reason}. Name a folder that can be written.`
  }
}

/** Reports one task that was written, and its file. */
export interface Exported {
  readonly taskId: TaskId.TaskId
  readonly path: string
}

/** Reports the tasks that were written and those that were not, with the reason. */
export interface Report {
  readonly exported: ReadonlyArray<Exported>
  readonly skipped: ReadonlyArray<{ readonly taskId: TaskId.TaskId; readonly reason: string }>
}

const page = 200

/** Every task of the history, the oldest first. */
const everyTask = Effect.gen(function* () {
  const history = yield* TaskHistory
  const rows: Array<History.TaskRow> = []
  const unreadable: Array<TaskId.TaskId> = []
  for (let cursor: string | undefined, more = true; more;) {
    const found = yield* history.list({ limit: page, ...(cursor === undefined ? {} : { cursor }) })
    rows.push(...found.rows)
    unreadable.push(...found.unreadable)
    cursor = found.nextCursor
    more = cursor !== undefined
  }
  return { rows: rows.toReversed(), unreadable }
})

const itemOf = ({ createdAt, meta, record, updatedAt, usage }: History.TaskRow, number: number, prompt: string) => ({
  id: record.id,
  number,
  ts: updatedAt,
  createdAt,
  task: prompt === "" ? meta.title : prompt,
  tokensIn: usage.inputTokens,
  tokensOut: usage.outputTokens,
  cacheWrites: usage.cacheWriteTokens,
  cacheReads: usage.cacheReadTokens,
  totalCost: usage.costUsd ?? 0,
  workspace: meta.workspace,
  mode: meta.mode === "plan" ? "architect" : "code",
  ...Legacy.project(record)
})

interface Told {
  readonly ts: number
  readonly type: "say" | "ask"
  readonly say?: string
  readonly ask?: string
  readonly text?: string
}

/** What people see of a conversation: the words, and the result it ended with. */
const toldOf = (row: History.TaskRow, messages: ReadonlyArray<Message>): ReadonlyArray<Told> => {
  const { costUsd, cacheReadTokens, cacheWriteTokens, inputTokens, outputTokens } = row.usage
  const spent = {
    tokensIn: inputTokens,
    tokensOut: outputTokens,
    cacheReads: cacheReadTokens,
    cacheWrites: cacheWriteTokens
  }
  const told = messages.flatMap(({ content, role }, index) =>
    content.flatMap((block): ReadonlyArray<Omit<Told, "ts">> => {
      if (block.type === "text") {
        const say = role === "user" && index > 0 ? "user_feedback" : "text"
        return [{ type: "say", say, text: block.text }]
      }
      if (block.type !== "tool_use" || block.name !== Completion.tool) return []
      return [{ type: "say", say: "completion_result", text: text(fieldsOf(block.input)["result"]) ?? "" }]
    })
  )
  const [first, ...rest] = told
  const cost = { type: "say", say: "api_req_started", text: JSON.stringify({ ...spent, cost: costUsd ?? 0 }) } as const
  const completed = row.record.status === "completed"
  const end = { type: "ask", ask: completed ? "resume_completed_task" : "resume_task" } as const
  return [...(first === undefined ? [] : [first]), cost, ...rest, end].map((one, at) => ({
    ts: row.createdAt + at,
    ...one
  }))
}

const written = (folder: string, files: Readonly<Record<string, unknown>>): Result.Result<void, unknown> =>
  Result.try(() => {
    const temporary = `${folder}.${process.pid}.tmp`
    try {
      mkdirSync(temporary, { recursive: true, mode: 0o700 })
      for (const [name, value] of Object.entries(files)) {
        writeFileSync(path.join(temporary, name), JSON.stringify(value), { mode: 0o600 })
      }
      ReplaceFile.rename(temporary, folder)
    } finally {
      rmSync(temporary, { recursive: true, force: true, maxRetries: 5 })
    }
  })

/** Exports every task, subtasks included, into `tasks` of a folder. */
export const run = (folder: string): Effect.Effect<Report, ExportError | HistoryError.HistoryError, TaskHistory> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const { rows, unreadable } = yield* everyTask
    const exported: Array<Exported> = []
    const skipped: Array<Report["skipped"][number]> = unreadable.map((taskId) => ({
      taskId,
      reason: "it cannot be read"
    }))
    for (const [number, row] of rows.entries()) {
      const { id } = row.record
      const target = path.join(folder, "tasks", id)
      if (existsSync(target)) {
        skipped.push({ taskId: id, reason: `it is there already (${target})` })
        continue
      }
      const messages = yield* history.messages(id)
      const first = messages[0]?.content[0]
      const turns = messages.map(({ content, role }) => ({ role, content, ts: row.createdAt }))
      const done = written(target, {
        "history_item.json": itemOf(row, number + 1, first?.type === "text" ? first.text : ""),
        "api_conversation_history.json": turns,
        "ui_messages.json": toldOf(row, messages)
      })
      if (Result.isFailure(done)) {
        const reason = done.failure instanceof Error ? done.failure.message : String(done.failure)
        return yield* new ExportError({ path: folder, reason })
      }
      exported.push({ taskId: id, path: target })
    }
    return { exported, skipped }
  })
