/**
 * Writes tasks of the history into a folder as Roo Code and Zoo Code keep theirs, so that either can go on with them.
 *
 * Only new folders are written, each whole or not at all: a task that is there already stays as it is.
 */
import { ReplaceFile } from "@belay/machine"
import { type History, type HistoryError, type Import, TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import * as Legacy from "@belay/task-state/legacy"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { type Fields, fieldsOf, text } from "./internal/fields.ts"
import { parse } from "./internal/json.ts"
import * as Told from "./internal/formats/told.ts"

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

/** The programs that read what is written. */
export const targets = ["roo", "zoo"] as const

/** Names a program that reads what is written. */
export type Target = (typeof targets)[number]

/** The status as the schema of a program has it. One that nobody runs is not active there: it would be taken for a crash. */
const statusOf = ({ status }: Legacy.Projection, isChild: boolean, target: Target): string | undefined => {
  if (status === "completed" || status === "delegated") return status
  if (target === "zoo" && (status === "interrupted" || isChild)) return "interrupted"
  return isChild || status === "interrupted" ? "active" : undefined
}

const modeOf = (mode: "plan" | "act", original: Fields): string => {
  const before = text(original["mode"])
  const isPlan = before === "plan" || before === "architect" || before === "ask"
  return before !== undefined && isPlan === (mode === "plan") ? before : mode === "plan" ? "architect" : "code"
}

/** The record of a task: what it had in the program that it came from stays, where nothing here says otherwise. */
const itemOf = (
  row: History.TaskRow,
  number: number,
  prompt: string,
  costs: ReadonlyArray<Told.Cost>,
  more: Around
) => {
  const { createdAt, meta, record, updatedAt, usage } = row
  const { status: _, ...links } = Legacy.project(record)
  const status = statusOf(Legacy.project(record), links.parentTaskId !== undefined, more.target)
  const known = costs.reduce((sum, { cost }) => sum + (cost ?? 0), 0)
  const config = text(more.original["apiConfigName"])
  const before = more.original["number"]
  return {
    id: record.id,
    number: typeof before === "number" && before > 0 ? before : number,
    ts: updatedAt,
    createdAt,
    task: prompt === "" ? meta.title : prompt,
    tokensIn: usage.inputTokens,
    tokensOut: usage.outputTokens,
    cacheWrites: usage.cacheWriteTokens,
    cacheReads: usage.cacheReadTokens,
    totalCost: usage.costUsd ?? known,
    workspace: meta.workspace,
    mode: modeOf(meta.mode, more.original),
    ...(config === undefined ? {} : { apiConfigName: config }),
    ...links,
    ...(status === undefined ? {} : { status })
  }
}

interface Around {
  readonly target: Target
  /** What the program that it came from had stored. */
  readonly original: Fields
}

/** Events that are read at once. */
const eventPage = 1000

/** The conversation with its times, and what its requests cost. */
const told = (id: TaskId.TaskId) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const times = new Map<number, number>()
    const costs: Array<Told.Cost> = []
    for (let from = 1, more = true; more;) {
      const events = yield* history.events(id, from, eventPage)
      for (const event of events) {
        if (event.type === "message") times.set(event.index, event.ts)
        if (event.type !== "usage") continue
        const { cacheReadTokens, cacheWriteTokens, costUsd, inputTokens, outputTokens, ts } = event
        costs.push({
          at: ts,
          tokensIn: inputTokens,
          tokensOut: outputTokens,
          cacheReads: cacheReadTokens,
          cacheWrites: cacheWriteTokens,
          cost: costUsd
        })
      }
      more = events.length === eventPage
      from = (events.at(-1)?.seq ?? from) + 1
    }
    const turns = (yield* history.messages(id)).map(({ content, index, role }): Told.Turn => {
      return { message: { role, content }, at: times.get(index) ?? 0 }
    })
    return { turns, costs }
  })

const originalsOf = (all: ReadonlyArray<Import.Known>): ReadonlyMap<string, Fields> =>
  new Map(
    all.map(({ original, taskId }): [string, Fields] => {
      const value = parse(original)
      return [taskId, fieldsOf(Result.isSuccess(value) ? value.success : undefined)]
    })
  )

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

/** Exports every task, subtasks included, into `tasks` of a folder, as a program keeps them. */
export const run = (
  folder: string,
  target: Target = "zoo"
): Effect.Effect<Report, ExportError | HistoryError.HistoryError, TaskHistory> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const { rows, unreadable } = yield* everyTask
    const originals = originalsOf(yield* history.imported)
    const exported: Array<Exported> = []
    const skipped: Array<Report["skipped"][number]> = unreadable.map((taskId) => ({
      taskId,
      reason: "it cannot be read"
    }))
    for (const [number, row] of rows.entries()) {
      const { id } = row.record
      const place = path.join(folder, "tasks", id)
      if (existsSync(place)) {
        skipped.push({ taskId: id, reason: `it is there already (${place})` })
        continue
      }
      const { costs, turns } = yield* told(id)
      const first = turns[0]?.message.content[0]
      const prompt = first?.type === "text" ? Told.words(first.text) : ""
      const original = originals.get(id) ?? {}
      const last = row.record.status === "completed" ? "resume_completed_task" : "resume_task"
      const { seen, sent } = Told.logs(turns, costs, last)
      const done = written(place, {
        "history_item.json": itemOf(row, number + 1, prompt, costs, { target, original }),
        "api_conversation_history.json": sent,
        "ui_messages.json": seen
      })
      if (Result.isFailure(done)) {
        const reason = done.failure instanceof Error ? done.failure.message : String(done.failure)
        return yield* new ExportError({ path: folder, reason })
      }
      exported.push({ taskId: id, path: place })
    }
    return { exported, skipped }
  })
