/** Reconciliation looks at no task again that is at rest, and finds what it would find if it looked at all. */
import { TaskHistory } from "@belay/history-store"
import { TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type DatabaseSync } from "node:sqlite"
import { change, inFile, keyOf, open, reconciled, rules } from "./damaging.ts"
import { commit, completed, created, delegated, id, lifecycle, recordOf, started } from "./scenario.ts"
import { temporary } from "./temporary.ts"
import * as Hosts from "./walks/hosts.ts"
import * as Sequence from "./walks/sequence.ts"
import { Shelf } from "./walks/walk.ts"

const full = process.env["BELAY_PROOF"] !== undefined
const histories: number = full ? 400 : 8
/** Of one history, each followed by a comparison. */
const spans = 4
const stepsOfSpan = 12
const owners = 2

const rowsOf = (db: DatabaseSync) =>
  db.prepare("SELECT key, id, status, record FROM task ORDER BY key").all() as unknown as ReadonlyArray<{
    readonly key: number
    readonly id: string
    readonly status: string
    readonly record: string
  }>

type Row = ReturnType<typeof rowsOf>[number]

const put = (db: DatabaseSync, { key }: Row, record: unknown): void => {
  db.prepare("UPDATE task SET record = ? WHERE key = ?").run(JSON.stringify(record), key)
}

const fieldsOf = ({ record }: Row): Record<string, any> => {
  try {
    return JSON.parse(record)
  } catch {
    return {}
  }
}

/** What goes wrong beside the store, each by its place in this list; `one` and `other` are any two rows. */
const damages: ReadonlyArray<(db: DatabaseSync, one: Row, other: Row) => void> = [
  (db, { key }) => void db.prepare("UPDATE task SET record = '{' WHERE key = ?").run(key),
  (db, one) => put(db, one, { ...fieldsOf(one), unheardOf: true }),
  // Its log stays behind.
  (db, { key }) => db.exec(`DELETE FROM task WHERE key = ${key}; DELETE FROM task_metric WHERE task = ${key}`),
  // Nothing stays behind.
  (db, { key }) => {
    for (const table of ["task_event", "message", "tool_call", "timeline", "usage", "lease", "task_metric"]) {
      db.exec(`DELETE FROM ${table} WHERE task = ${key}`)
    }
    db.exec(`DELETE FROM task WHERE key = ${key}`)
  },
  (db, one) => {
    const { attempt = 0, awaiting: _, interruption: __, ...rest } = fieldsOf(one)
    const ended = { collected: {}, ...rest, attempt, status: "completed", outcome: "succeeded", result: "by hand" }
    put(db, one, ended)
    db.prepare("UPDATE task SET status = 'completed' WHERE key = ?").run(one.key)
  },
  (db, one, other) => {
    const fields = fieldsOf(one)
    put(db, one, { ...fields, lineage: { ...fields["lineage"], parentId: other.id } })
  },
  (db, one, other) => {
    const fields = fieldsOf(one)
    const entry = { callId: `call-${other.id}`, since: 1, wait: "foreground" }
    if ("awaiting" in fields) put(db, one, { ...fields, awaiting: { ...fields["awaiting"], [other.id]: entry } })
  },
  (db) => db.exec("DELETE FROM lease")
]

const damage = (db: DatabaseSync, next: Sequence.Random): void => {
  for (let n = Math.floor(next() * 3); n > 0; n--) {
    const rows = rowsOf(db)
    const pick = <A>(list: ReadonlyArray<A>): A | undefined => list[Math.floor(next() * list.length)]
    const [one, other, how] = [pick(rows), pick(rows), pick(damages)]
    if (one !== undefined && other !== undefined) how?.(db, one, other)
  }
}

/** What a reconciliation says and leaves; moments and the process that does it are left out. */
const outcome = (directory: string): Promise<string> =>
  Effect.gen(function* () {
    const { reconcile } = yield* TaskHistory
    const said = yield* reconcile(new Set())
    const left = inFile(directory, (db) => [
      rowsOf(db),
      db.prepare("SELECT task, seq, type, data FROM task_event ORDER BY task, seq").all(),
      db.prepare("SELECT task, message_idx, call_id, state, result FROM tool_call").all()
    ])
    const text = JSON.stringify([said, left], undefined, 1)
    return text.replaceAll(/[0-9a-f]{32}/g, "owner").replaceAll(/(at|since|takenAt|foundAt)(\\?"): ?\d+/g, "$1$2:0")
  }).pipe(Effect.provide(open(directory)), Effect.runPromise)

/** Reconciles two copies of a history, one of which has no marks, twice each; they have to be the same. */
const compare = async (root: string, directory: string, next: Sequence.Random): Promise<number> => {
  const [marked, unmarked] = [join(root, "marked"), join(root, "unmarked")]
  for (const copy of [marked, unmarked]) cpSync(directory, copy, { recursive: true })
  const seed = Math.floor(next() * 2 ** 32)
  for (const copy of [marked, unmarked]) inFile(copy, (db) => damage(db, Sequence.random(seed)))
  const marks = inFile(marked, (db) => db.prepare("SELECT count(*) AS n FROM task WHERE reconciled <> 0").get())
  for (let n = 0; n < 2; n++) {
    change(unmarked, "UPDATE task SET reconciled = 0")
    assert.strictEqual(await outcome(marked), await outcome(unmarked))
  }
  for (const copy of [marked, unmarked]) rmSync(copy, { recursive: true })
  return Number(marks?.["n"])
}

const walk = async (seed: number): Promise<number> => {
  const root = mkdtempSync(join(tmpdir(), "belay-rest-"))
  const directory = join(root, "history")
  const names = Array.from({ length: owners }, (_, slot) => `owner ${slot}`)
  const shelf = new Shelf(names, [await Hosts.file(directory, names)])
  const next = Sequence.random(seed)
  let marks = 0
  try {
    for (let span = 0; span < spans; span++) {
      for (let n = 0; n < stepsOfSpan; n++) {
        const action = Sequence.draw(shelf.memory, shelf.owners, shelf.used, `${seed}`, next)
        if (action !== undefined) await shelf.do(action)
      }
      await shelf.do({ _tag: "Reconcile", slot: 0 })
      marks += await compare(root, directory, next)
    }
    return marks
  } finally {
    await shelf.close()
    rmSync(root, { recursive: true, force: true })
  }
}

const marksOf = (directory: string) =>
  inFile(directory, (db) =>
    Object.fromEntries(
      db
        .prepare("SELECT id, reconciled FROM task")
        .all()
        .map((row) => [row["id"], row["reconciled"]])
    )
  )

const stop = (taskId: string) => lifecycle({ _tag: "Interrupt", taskId: id(taskId), reason: "user" })

/** A stopped task that waits for a stopped one. */
const waits = (parent: string, child: string) => [
  started(parent),
  delegated(parent, 1, [child]),
  [stop(child), stop(parent)]
]

describe("tasks at rest", () => {
  it.live(
    "are left out of reconciliation, which says and leaves what it would if it looked at all, whatever has become of the history",
    () =>
      Effect.promise(async () => {
        let marks = 0
        for (let seed = 1; seed <= histories; seed++) marks += await walk(seed)
        assert.isAbove(marks, histories)
      }),
    0
  )

  it.live("are stopped tasks and those that wait for one; what is open otherwise is looked at each time", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        yield* commit(created("new"), started("on"), started("p"), delegated("p", 1, ["a", "b"]))
        yield* commit(lifecycle({ _tag: "Start", taskId: id("a") }), stop("a"), stop("b"), stop("p"))
        yield* commit(started("done"), completed("done", 1))
        yield* TaskHistory.use((history) => history.reconcile(new Set([id("on")])))
        assert.deepStrictEqual(marksOf(directory), { new: 0, on: 0, p: 2, a: 1, b: 1, done: 0 })
        yield* commit(lifecycle({ _tag: "Resume", taskId: id("a") }))
        assert.deepStrictEqual(marksOf(directory), { new: 0, on: 0, p: 0, a: 0, b: 1, done: 0 })
      }).pipe(Effect.provide(open(directory)))
    })
  )

  it.live("are looked at again when a child has completed, and when a child or the parent is gone", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        yield* commit(...waits("p", "a"), ...waits("q", "b"), ...waits("r", "c"))
        assert.deepStrictEqual(yield* rules, [])
      }).pipe(Effect.provide(open(directory)))
      change(
        directory,
        ...["b", "r"].flatMap((gone) => [
          `DELETE FROM task_event WHERE task = ${keyOf(gone)}`,
          `DELETE FROM message WHERE task = ${keyOf(gone)}`,
          `DELETE FROM task_metric WHERE task = ${keyOf(gone)}`,
          `DELETE FROM task WHERE id = '${gone}'`
        ])
      )
      yield* Effect.gen(function* () {
        yield* commit(lifecycle({ _tag: "Close", taskId: id("a"), outcome: "cancelled", note: "" }))
        assert.deepStrictEqual((yield* rules).toSorted(), ["childCompleted p", "childLost q"])
        assert.deepStrictEqual(TaskRecord.awaitedIds(yield* recordOf("p")), [])
        assert.deepStrictEqual((yield* reconciled).repairs, [])
      }).pipe(Effect.provide(open(directory)))
    })
  )

  it.live("bring a parent back whose record is gone while its log is there", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.andThen(commit(...waits("p", "a")), reconciled).pipe(Effect.provide(open(directory)))
      change(directory, `DELETE FROM task_metric WHERE task = ${keyOf("p")}`, "DELETE FROM task WHERE id = 'p'")
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* rules, ["recordMissing p"])
      }).pipe(Effect.provide(open(directory)))
    })
  )

  it.live("are known with whom they belong to, when another task claims one", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        yield* commit(...waits("p", "a"), started("r"), stop("r"))
        yield* reconciled
        assert.deepStrictEqual(marksOf(directory), { p: 2, a: 1, r: 1 })
        const claim = '{"a":{"callId":"call","since":1,"wait":"foreground"}}'
        change(directory, `UPDATE task SET record = json_set(record, '$.awaiting', json('${claim}')) WHERE id = 'r'`)
        assert.deepStrictEqual(yield* rules, ["childOfAnother r"])
      }).pipe(Effect.provide(open(directory)))
    })
  )
})
