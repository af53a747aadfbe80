/**
 * The files that a part of a task's conversation was about, from what really happened: calls that succeeded, what its
 * commands changed where checkpoints know it, and what its subtasks did.
 */
import { Checkpoints } from "@belay/checkpoints"
import { type HistoryError, TaskHistory, type History } from "@belay/history-store"
import { FilesInPlay, Message } from "@belay/message-state"
import type { TaskId } from "@belay/task-state"
import { ToolCatalog } from "@belay/tool-executor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import * as Restoring from "./Restoring.ts"

export class InPlay extends Context.Service<
  InPlay,
  {
    /** Newest first, relative to the workspace where they are in it. */
    readonly of: (
      id: TaskId.TaskId,
      part: ReadonlyArray<Message.LoggedMessage>
    ) => Effect.Effect<FilesInPlay.FilesInPlay, HistoryError.HistoryError>
  }
>()("@belay/task-engine/InPlay") {
  static readonly layer = Layer.effect(
    InPlay,
    Effect.gen(function* () {
      const catalog = yield* ToolCatalog
      const history = yield* TaskHistory
      const checkpoints = yield* Checkpoints

      const fileCall = ({ input, name }: Message.ToolUseBlock): FilesInPlay.FileCall | undefined => {
        const use = tools.get(name)
        const tool = catalog.get(name)
        return use === undefined || tool === undefined ? undefined : { use, args: catalog.argumentsOf(tool, input) }
      }

      /** What checkpoints say of the turns with commands, tools of servers or subtasks. */
      const inTurns = Effect.fnUntraced(
        function* (row: History.TaskRow, part: ReadonlyArray<Message.LoggedMessage>) {
          // Of what calls of other tools change nothing is known but by looking.
          const opaque = new Set(
            part
              .filter((message) => Message.toolUses(message).some(({ name }) => !tools.has(name)))
              .map(({ index }) => index)
          )
          if (opaque.size === 0) return []
          const place = { taskId: row.record.id, workspace: row.meta.workspace }
          const turns = (yield* Restoring.turnsIn(checkpoints, row)).filter(({ after }) =>
            opaque.has(after.messageIndex)
          )
          const changed = yield* Effect.forEach(
            turns.slice(-newest),
            ({ after, before }) =>
              Effect.map(checkpoints.compare({ ...place, from: before.id, to: after.id }), (changes) =>
                changes.map(({ path, to }): FilesInPlay.Done => ({
                  index: after.messageIndex,
                  path,
                  use: to === undefined ? "deleted" : "changed"
                }))
              ),
            { concurrency: 4 }
          )
          return changed.flat()
        },
        Effect.catch(() => Effect.succeed<ReadonlyArray<FilesInPlay.Done>>([]))
      )

      /** The subtasks, but those of a conversation that was taken back. */
      const childrenOf = Effect.fnUntraced(function* ({ hasChildren, record: { id } }: History.TaskRow) {
        if (!hasChildren) return []
        const { edits } = yield* history.shown(id)
        const cuts = edits.filter(({ kind }) => kind === "cut")
        const calls = yield* history.calls(id)
        const isCut = (callId: string | undefined) => {
          const index = calls.find((call) => call.callId === callId)?.messageIndex ?? -1
          return cuts.some(({ from, to }) => from <= index && index <= to)
        }
        const rows = yield* history.children(id)
        return rows.filter(({ record }) => !isCut(record.lineage.originCallId))
      })

      const done = Effect.fnUntraced(function* (
        row: History.TaskRow,
        part: ReadonlyArray<Message.LoggedMessage>
      ): Effect.fn.Return<ReadonlyArray<FilesInPlay.Done>, HistoryError.HistoryError> {
        const below = yield* Effect.forEach(yield* childrenOf(row), (child) =>
          Effect.flatMap(history.shown(child.record.id), ({ messages }) => done(child, messages))
        )
        const own = [...FilesInPlay.inMessages(part, fileCall), ...(yield* inTurns(row, part))]
        return [...below.flat().filter(({ use }) => use !== "read"), ...own.toSorted((a, b) => a.index - b.index)]
      })

      const of: InPlay["Service"]["of"] = Effect.fn("InPlay.of")(function* (id, part) {
        const row = yield* history.row(id)
        if (row._tag === "None") return []
        const { workspace } = row.value.meta
        const all = yield* done(row.value, part)
        return FilesInPlay.of(all.map((each) => ({ ...each, path: nameIn(workspace, each.path) })))
      })
      return InPlay.of({ of })
    })
  )
}

const tools = new Map<string, FilesInPlay.Use>([
  ["read_file", "read"],
  ["write_to_file", "changed"],
  ["replace_in_file", "changed"],
  ["apply_patch", "changed"]
])

/** Turns that are compared, at most. */
const newest = 100

const nameIn = (workspace: string, given: string): string => {
  const inside = path.relative(workspace, path.resolve(workspace, given))
  return inside.startsWith("..") || path.isAbsolute(inside) ? given : inside.replaceAll(path.sep, "/")
}
