/**
 * Two tasks that may write in one folder at the same time: each run says it once of each other one, wherever that runs.
 *
 * Nothing is stopped. Subtasks work in the folder of their task, and share it by what they are.
 */
import { type HistoryError, type History, TaskHistory } from "@belay/history-store"
import { Words } from "@belay/interaction"
import { Sharing as Shared } from "@belay/task-engine/remote"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { Sink } from "../output/Sink.ts"

const atWork = ["active", "delegated"] as const

/** Tasks at work in this folder. */
const beside = ({ meta: { workspace } }: History.TaskRow) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const query = { limit: 50, workspace, rootsOnly: true }
    const pages = yield* Effect.forEach(atWork, (status) => history.list({ ...query, status }))
    return pages.flatMap(({ rows }) => rows)
  })

const line = ({ meta, record }: History.TaskRow): string =>
  `"${Words.printable(meta.title)}" (${Words.shortId(record.id)}) works in this folder, too: each may write over what the other wrote. To keep tasks apart: belay run --worktree "..."\n`

/** Looks now, and whenever another process has written, as long as the scope is open. */
export const watch = (
  row: History.TaskRow,
  sink: Sink
): Effect.Effect<void, HistoryError.HistoryError, TaskHistory | Scope.Scope> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const said = new Set<string>()
    let seen: number | undefined
    const look = Effect.gen(function* () {
      const version = yield* history.version
      if (version === seen) return
      seen = version
      const found = (yield* beside(row)).filter(({ record }) => !said.has(record.id))
      const own = found.length === 0 ? Option.none() : yield* history.row(row.record.id)
      if (Option.isNone(own)) return
      for (const one of found.filter((other) => Shared.share(own.value, other))) {
        said.add(one.record.id)
        sink.err(line(one))
      }
    })
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(look), Schedule.spaced("1 second")))
  })
