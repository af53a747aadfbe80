import { Backup } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { run } from "./processes.ts"
import { commit, created, id, started } from "./scenario.ts"
import { temporary } from "./temporary.ts"
import { layerSqlite } from "./history.ts"

const turns = 60

/** What a backup holds, each task with the numbers of its events. */
const contentOf = (file: string) => {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const rows = db.prepare(`SELECT t.id, m.last_seq, count(e.seq) AS events, max(e.seq) AS highest
      FROM task t JOIN task_metric m ON m.task = t.key JOIN task_event e ON e.task = t.key GROUP BY t.key`)
    return { verdict: db.prepare("PRAGMA integrity_check").get()?.["integrity_check"], tasks: rows.all() }
  } finally {
    db.close()
  }
}

describe("a backup", () => {
  it.live("holds every commit that was answered before it, and whole ones only, while another process writes", () =>
    Effect.gen(function* () {
      const directory = join(yield* temporary, "home")
      yield* Effect.gen(function* () {
        yield* commit(started("shared"))
        for (let n = 0; n < turns; n++) {
          const ask = { askId: `busy-${n}`, kind: "question" as const, grants: [] }
          yield* commit({ _tag: "AskOpened", taskId: id("shared"), attempt: 1, ask })
        }
        const writer = yield* run("writer", [directory, "busy", String(turns)])
        yield* writer.line("ready")
        writer.child.stdin?.write("go\n")
        const before = new Array<string>()
        const sizes = new Set<unknown>()
        for (let n = 0; writer.child.exitCode === null || n === 0; n++) {
          yield* commit(created(`before-${n}`))
          before.push(`before-${n}`)
          const { path } = yield* Backup.run(directory, join(directory, "..", `${n}.db`))
          const { tasks, verdict } = contentOf(path)
          assert.strictEqual(verdict, "ok")
          for (const { events, highest, last_seq } of tasks) {
            assert.deepStrictEqual([events, highest], [last_seq, last_seq])
          }
          assert.includeMembers(
            tasks.map(({ id }) => id),
            before
          )
          sizes.add(tasks.find(({ id }) => id === "busy")?.["last_seq"])
        }
        assert.deepStrictEqual(yield* writer.ended, { code: 0, output: "ready" })
        assert.isAbove(sizes.size, 1, "it was written meanwhile")
      }).pipe(Effect.provide(layerSqlite({ directory, kind: "test" })))
    })
  )
})
