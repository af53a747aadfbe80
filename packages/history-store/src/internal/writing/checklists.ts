/** The checklist of a task, as its model and people change it. */
import { Command, TaskRecord, type Transition } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type * as Step from "../../history/Step.ts"
import type * as History from "../../history/TaskHistory.ts"
import { fenced, type Head, head, note, type Transaction } from "./transaction.ts"

type StepOf<Tag extends Step.Step["_tag"]> = Extract<Step.Step, { readonly _tag: Tag }>

const keep = (tx: Transaction, of: Head, list: Omit<History.Checklist, "text" | "hash">) =>
  Effect.gen(function* () {
    const { by, conflict, items } = list
    const { sql } = tx
    const stored = JSON.stringify(items)
    const before = yield* sql<{ items: string; updated_by: string; conflict: string | null }>`
      SELECT items, updated_by, conflict FROM focus_chain WHERE task = ${of.key}`
    const kept = before[0]?.items === stored ? before[0].conflict : null
    const open = conflict === undefined ? kept : JSON.stringify(conflict)
    yield* sql`INSERT INTO focus_chain (task, text, hash, items, updated_by, conflict)
      VALUES (${of.key}, '', '', ${stored}, ${by}, ${open})
      ON CONFLICT (task) DO UPDATE SET items = excluded.items, updated_by = excluded.updated_by,
        conflict = excluded.conflict`
    const done = items.filter((item) => item.state === "done").length
    of.metric = { ...of.metric, checklist_done: done, checklist_total: items.length }
    // A person's edit that was told of before, and that the model learns of now.
    if (by === "user" && before[0]?.updated_by === by && before[0].items === stored) return
    note(tx, of, { type: "focus-chain.updated", total: items.length, done, items, by })
  })

/** With what the model knows of it from then on. */
export const write = (tx: Transaction, of: Head, list: History.Checklist) =>
  Effect.andThen(
    keep(tx, of, list),
    tx.sql`UPDATE focus_chain SET text = ${list.text}, hash = ${list.hash} WHERE task = ${of.key}`
  )

export const changed = (tx: Transaction, step: StepOf<"ChecklistChanged">) =>
  Effect.flatMap(fenced(tx, step), (of) => write(tx, of, step))

/** Its place in lists stays: they are ordered by what the task does. */
export const edited = (tx: Transaction, { items, taskId }: StepOf<"ChecklistEdited">) =>
  Effect.gen(function* () {
    const of = yield* head(tx, taskId)
    const refuse = (status: TaskRecord.Status | "absent", rule: Transition.Rule) =>
      Command.rejected(taskId, "ChecklistEdited", status, rule)
    if (of === undefined) return yield* refuse("absent", "NotFound")
    if (TaskRecord.isTombstone(of.record)) return yield* refuse(of.record.status, "Deleted")
    const { updated_at } = of.metric
    yield* keep(tx, of, { items, by: "user" })
    of.metric = { ...of.metric, updated_at }
  })
