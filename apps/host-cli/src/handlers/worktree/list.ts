/** `belay worktree list`: the worktrees of tasks, with what is not merged and who works there. */
import { Worktree } from "@belay/git-runner"
import { StateText } from "@belay/interaction/tasks"
import { TaskNode } from "@belay/task-engine/remote"
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import { type Parsed, text } from "../../cli/Arguments.ts"
import type { ExitCode, Failure } from "../../cli/Failure.ts"
import * as Home from "../../settings/Home.ts"
import * as Appearance from "../../output/Appearance.ts"
import type { Sink } from "../../output/Sink.ts"
import * as Table from "../../output/Table.ts"
import { reading } from "../../tasks/Reading.ts"
import * as Worktrees from "../../session/Worktrees.ts"

const columns: ReadonlyArray<Table.Column> = [
  { title: "NAME" },
  { title: "COMMITS", align: "right" },
  { title: "CHANGED", align: "right" },
  { title: "TASK", shrinksTo: 16 },
  { title: "FOLDER", drop: 1 }
]

const found = (worktree: Worktree.Worktree) =>
  Effect.gen(function* () {
    const state = yield* Effect.mapError(Worktree.state(worktree), Worktrees.failed)
    const [row] = yield* reading(Worktrees.tasksIn(worktree))
    const node = row === undefined ? undefined : yield* reading(TaskNode.single(row))
    const label = node === undefined ? "" : StateText.of(node).label
    return { ...worktree, ...state, taskId: row?.record.id ?? null, title: row?.meta.title ?? "", label }
  })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const folder = yield* Effect.fromResult(Home.workspace(text(parsed, "cwd")))
    const all = yield* Effect.mapError(Worktree.list(folder), Worktrees.failed)
    const rows = yield* Effect.forEach(all, found)
    if (text(parsed, "output") === "json") {
      const worktrees = rows.map(({ ahead, changed, label: _, title: __, ...row }) => ({
        ...row,
        commits: ahead,
        changed
      }))
      sink.data(`${JSON.stringify({ worktrees })}\n`)
      return 0 as const
    }
    const look = Appearance.of(parsed)
    if (rows.length === 0 && !look.plain) sink.err('There are no worktrees. Make one: belay run --worktree "..."\n')
    else {
      const cells = rows.map((row) =>
        [
          row.name,
          `${row.ahead}`,
          `${row.changed}`,
          row.title === "" ? "" : `${Words.printable(row.title)} (${row.label.toLowerCase()})`,
          Words.printable(row.folder)
        ].map((cell) => ({ text: cell }))
      )
      sink.out(
        Table.render(columns, cells, [], look)
          .map((line) => `${line}\n`)
          .join("")
      )
    }
    return 0 as const
  })
