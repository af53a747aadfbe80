/** `belay task list`: tasks by their newest event; columns only, so a long history stays fast. */
import { type History, type HistoryError, TaskHistory } from "@belay/history-store"
import { StateText } from "@belay/interaction/tasks"
import { TaskNode } from "@belay/task-engine/remote"
import { Copy, Words } from "@belay/interaction"
import type { TaskId, TaskRecord } from "@belay/task-state"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { duration, isSet, number, type Parsed, text } from "../../cli/Arguments.ts"
import { type ExitCode, type Failure, usage } from "../../cli/Failure.ts"
import * as Home from "../../settings/Home.ts"
import * as Appearance from "../../output/Appearance.ts"
import * as DeletedText from "../../tasks/DeletedText.ts"
import { linesOf, listText } from "../../tasks/ListText.ts"
import * as RecordJson from "../../tasks/RecordJson.ts"
import type { Sink } from "../../output/Sink.ts"
import { reading } from "../../tasks/Reading.ts"

type Reads<A> = Effect.Effect<A, HistoryError.HistoryError, TaskHistory>

const open = ["created", "active", "delegated", "interrupted"] as const

const statuses: ReadonlyArray<string> = [...open, "completed"]

/** Finished tasks are counted up to here; a number beyond costs more than it tells. */
const counted = 500

const queryOf = (parsed: Parsed): Effect.Effect<History.Query, Failure> =>
  Effect.gen(function* () {
    const cursor = text(parsed, "cursor")
    const cwd = text(parsed, "cwd")
    const status = text(parsed, "status")
    const since = yield* Effect.fromResult(duration(parsed, "since"))
    if (status !== undefined && !statuses.includes(status)) {
      return yield* usage(`--status cannot be "${status}"`, `Use one of ${statuses.join(", ")}.`)
    }
    if (cursor !== undefined && !/^\d+~\d+$/.test(cursor)) {
      return yield* usage(`--cursor cannot be "${cursor}"`, "Use the nextCursor of the page before.")
    }
    return {
      limit: (yield* Effect.fromResult(number(parsed, "limit"))) ?? 50,
      ...(cursor === undefined ? {} : { cursor }),
      ...(status === undefined ? {} : { status: status as TaskRecord.Status }),
      ...(cwd === undefined ? {} : { workspace: yield* Effect.fromResult(Home.workspace(cwd)) }),
      ...(since === undefined ? {} : { since: (yield* Clock.currentTimeMillis) - since }),
      ...(isSet(parsed, "root") ? { rootsOnly: true } : {})
    }
  })

/** The current folder; nothing when it is gone. */
const folder = (): string => Result.getOrElse(Home.workspace(undefined), () => "")

const isAt = ({ meta }: History.TaskRow, folder: string): number => (meta.workspace === folder ? 1 : 0)

interface Listing {
  readonly nodes: ReadonlyArray<TaskNode.TaskNode>
  readonly unreadable: ReadonlyArray<TaskId.TaskId>
  readonly nextCursor?: string
  /** What follows the rows. */
  readonly summary: string
}

const plural = (count: number, capped: boolean): string => `${Words.grouped(count)}${capped ? "+" : ""}`

/** Open tasks below their roots; a subtask whose root is finished stands by itself. */
const openTasks = (query: History.Query): Reads<Listing> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const pages = yield* Effect.forEach(open, (status) => history.list({ ...query, status }))
    const here = folder()
    // Those of this folder are shown however old they are.
    const own =
      query.workspace === undefined && pages.some((one) => one.nextCursor !== undefined)
        ? yield* Effect.forEach(open, (status) => history.list({ ...query, status, workspace: here }))
        : []
    const found = new Map([...own, ...pages].flatMap((one) => one.rows).map((row) => [row.record.id, row]))
    const rows = [...found.values()].toSorted((a, b) => isAt(b, here) - isAt(a, here) || b.updatedAt - a.updatedAt)
    const known = new Set(rows.map(({ record }) => record.id))
    const tops = rows.filter(({ record }) => !known.has(record.lineage.rootId) || record.lineage.parentId === undefined)
    const load = query.rootsOnly === true ? TaskNode.single : TaskNode.whole
    const nodes = yield* Effect.forEach(tops.slice(0, query.limit), load)
    const finished = yield* history.list({ ...query, status: "completed", limit: counted })
    const more = pages.some((page) => page.nextCursor !== undefined)
    const hidden = plural(finished.rows.length, finished.nextCursor !== undefined)
    return {
      nodes,
      unreadable: pages.flatMap((found) => found.unreadable),
      summary: `${plural(rows.length, more)} open. ${hidden} finished: belay task list --all`
    }
  })

const page = (query: History.Query, below: boolean): Reads<Listing> =>
  Effect.gen(function* () {
    const { nextCursor, rows, unreadable } = yield* (yield* TaskHistory).list(query)
    const nodes = yield* Effect.forEach(rows, below ? TaskNode.whole : TaskNode.single)
    return nextCursor === undefined
      ? { nodes, unreadable, summary: "" }
      : { nodes, unreadable, nextCursor, summary: `More: belay task list --all --cursor ${nextCursor}` }
  })

const listing = (parsed: Parsed, query: History.Query): Reads<Listing> => {
  if (query.status !== undefined) {
    const again = `--status ${query.status}`
    return Effect.map(page(query, false), (found) => ({ ...found, summary: found.summary.replace("--all", again) }))
  }
  return isSet(parsed, "all") ? page({ ...query, rootsOnly: true }, !isSet(parsed, "root")) : openTasks(query)
}

/** What needs a person first, in this folder and then elsewhere. */
const byRank = (nodes: ReadonlyArray<TaskNode.TaskNode>, here: string) =>
  nodes.toSorted(
    (a, b) => isAt(b.row, here) - isAt(a.row, here) || StateText.rank(StateText.of(a)) - StateText.rank(StateText.of(b))
  )

/** What can be taken back, instead of what is there. */
const listDeleted = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const found = yield* reading(Effect.flatMap(TaskHistory, (history) => history.deleted))
    const now = yield* Clock.currentTimeMillis
    if (text(parsed, "output") === "json") {
      sink.data(`${JSON.stringify({ deleted: found.map((one) => DeletedText.object(one, now)) })}\n`)
      return 0 as const
    }
    const look = Appearance.of(parsed)
    if (found.length > 0 || look.plain) sink.out(`${DeletedText.lines(found, now, look).join("\n")}\n`)
    const summary = found.length === 0 ? "No deleted task can be taken back." : "Take one back: belay task undelete ID"
    ;(look.plain || found.length === 0 ? sink.err : sink.out)(`${summary}\n`)
    return 0 as const
  })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    if (isSet(parsed, "deleted")) return yield* listDeleted(parsed, sink)
    const query = yield* queryOf(parsed)
    if (text(parsed, "output") === "json") {
      const { nextCursor, rows, unreadable } = yield* reading(
        Effect.flatMap(TaskHistory, (history) => history.list(query))
      )
      const tasks = rows.map(RecordJson.listed)
      const found = { tasks, ...(unreadable.length === 0 ? {} : { unreadable }) }
      sink.data(`${JSON.stringify(nextCursor === undefined ? found : { ...found, nextCursor })}\n`)
      return 0 as const
    }
    const look = Appearance.of(parsed)
    const { nodes, summary, unreadable } = yield* reading(listing(parsed, query))
    const lines = byRank(nodes, folder()).flatMap(linesOf)
    const now = yield* Clock.currentTimeMillis
    if (lines.length > 0 || look.plain) sink.out(`${listText(lines, now, look).join("\n")}\n`)
    for (const id of unreadable) sink.out(`? ${Copy.unreadableRow(look.plain ? id : Words.shortId(id))}\n`)
    if (lines.length + unreadable.length === 0 && summary.startsWith("0 open. 0 "))
      sink.err('No tasks yet. Start one: belay run "what to do"\n')
    else if (summary !== "") (look.plain ? sink.err : sink.out)(`${summary}\n`)
    return 0 as const
  })
