/** Each step of a commit, carried out inside its transaction. */
import { Command } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type * as Step from "../Step.ts"
import * as Calls from "./calls.ts"
import { promptOf } from "./hydrate.ts"
import * as Lifecycle from "./lifecycle.ts"
import { fenced, head, note, type Transaction } from "./transaction.ts"

type StepOf<Tag extends Step.Step["_tag"]> = Extract<Step.Step, { readonly _tag: Tag }>

const describe = (tx: Transaction, step: StepOf<"Describe">) =>
  Effect.gen(function* () {
    const { sql } = tx
    const of = yield* head(tx, step.taskId)
    if (of === undefined) return yield* Command.rejected(step.taskId, "Describe", "absent", "NotFound")
    // Repeated with the command that created the task: it has been described already.
    if (of.metric.message_count > 0) return
    const { meta } = step
    yield* sql`UPDATE task SET title = ${meta.title}, workspace = ${meta.workspace}, mode = ${meta.mode},
      model = ${meta.model}, host = ${meta.host}, settings = ${JSON.stringify(meta.settings)} WHERE key = ${of.key}`
    if (step.after !== undefined) yield* Calls.copyLog(tx, of, step.after)
    const { continuesTaskId, forkedFrom, lineage } = of.record
    const { parentId } = lineage
    const created = {
      type: "task.created" as const,
      rootId: lineage.rootId,
      mode: meta.mode,
      ...(parentId === undefined ? {} : { parentId }),
      ...(continuesTaskId === undefined ? {} : { continuesTaskId }),
      ...(forkedFrom === undefined ? {} : { forkedFrom })
    }
    const at = of.metric.message_count
    note(tx, of, { ...created, prompt: promptOf(step.prompt) }, at === 0 ? created : { ...created, i: at })
    yield* Calls.append(tx, of, step.prompt)
  })

const askOpened = (tx: Transaction, step: StepOf<"AskOpened">) =>
  Effect.gen(function* () {
    const { sql } = tx
    const of = yield* fenced(tx, step)
    const { askId, kind, ...payload } = step.ask
    const opened = yield* sql`INSERT INTO ask (ask_id, task, attempt, kind, call_id, payload)
      VALUES (${askId}, ${of.key}, ${step.attempt}, ${kind}, ${payload.callId ?? null}, ${JSON.stringify(payload)})
      ON CONFLICT (ask_id) DO NOTHING RETURNING ask_id`
    if (opened.length === 0) return
    note(tx, of, { type: "ask", ...step.ask }, { askId })
  })

/** Answers match an ask once; a second answer changes nothing. */
const askSettled = (tx: Transaction, step: StepOf<"AskSettled">) =>
  Effect.gen(function* () {
    const { sql } = tx
    const { askId, by, decision, text } = step.settled
    const of = yield* head(tx, step.taskId)
    if (of === undefined) return yield* Command.rejected(step.taskId, "AskSettled", "absent", "NotFound")
    const settled = yield* sql`UPDATE ask SET open = 0, decision = ${decision ?? null}, answer = ${text ?? null},
      settled_by = ${by} WHERE ask_id = ${askId} AND task = ${of.key} AND open = 1 RETURNING ask_id`
    if (settled.length === 0) return
    note(tx, of, { type: "ask.settled", ...step.settled })
  })

const modeChanged = (tx: Transaction, step: StepOf<"ModeChanged">) =>
  Effect.gen(function* () {
    const { sql } = tx
    const of = yield* fenced(tx, step)
    const { answeredAsk, by, to } = step
    const rows = yield* sql<{ mode: "plan" | "act" }>`SELECT mode FROM task WHERE key = ${of.key}`
    const from = rows[0]?.mode ?? to
    if (from === to) return
    yield* sql`UPDATE task SET mode = ${to} WHERE key = ${of.key}`
    note(tx, of, { type: "mode.changed", from, to, by, ...(answeredAsk === undefined ? {} : { answeredAsk }) })
  })

const checklistChanged = (tx: Transaction, step: StepOf<"ChecklistChanged">) =>
  Effect.gen(function* () {
    const { sql } = tx
    const of = yield* fenced(tx, step)
    const { by, hash, items, text } = step
    const done = items.filter((item) => item.state === "done").length
    yield* sql`INSERT INTO focus_chain (task, text, hash, items, updated_by)
      VALUES (${of.key}, ${text}, ${hash}, ${JSON.stringify(items)}, ${by})
      ON CONFLICT (task) DO UPDATE SET text = excluded.text, hash = excluded.hash, items = excluded.items,
        updated_by = excluded.updated_by`
    of.metric = { ...of.metric, checklist_done: done, checklist_total: items.length }
    note(tx, of, { type: "focus-chain.updated", total: items.length, done, items, by })
  })

const failed = (tx: Transaction, step: StepOf<"Failed">) =>
  Effect.map(fenced(tx, step), (of) => {
    const { message, retryInMs, tag } = step
    note(tx, of, { type: "error", tag, message, ...(retryInMs === undefined ? {} : { retryInMs }) })
  })

/** Carries out one step. Errors: the rule that forbids it, `LeaseLost` for a runner that has lost its task. */
export const apply = (
  tx: Transaction,
  step: Step.Step
): Effect.Effect<unknown, Command.TransitionRejected | SqlError> => {
  const { sql } = tx
  switch (step._tag) {
    case "Lifecycle":
      return Lifecycle.request(tx, step.request)
    case "Describe":
      return describe(tx, step)
    case "Answer":
      return Effect.flatMap(fenced(tx, step), (of) => Calls.answer(tx, of, step))
    case "Append":
      return Effect.flatMap(fenced(tx, step), (of) => Calls.append(tx, of, step.message))
    case "Say":
      return Effect.flatMap(fenced(tx, step), (of) => Calls.say(tx, of, step))
    case "Deliver":
      return Effect.flatMap(fenced(tx, step), (of) => Calls.deliver(tx, of))
    case "CallsApproved":
      return Effect.flatMap(fenced(tx, step), (of) => Calls.advance(tx, of, step.callIds, "approved"))
    case "CallsStarted":
      return Effect.flatMap(fenced(tx, step), (of) => Calls.advance(tx, of, step.callIds, "started"))
    case "CallsSettled":
      return Effect.flatMap(fenced(tx, step), (of) => Calls.settle(tx, of, step.results, null))
    case "AskOpened":
      return askOpened(tx, step)
    case "AskSettled":
      return askSettled(tx, step)
    case "ModeChanged":
      return modeChanged(tx, step)
    case "ChecklistChanged":
      return checklistChanged(tx, step)
    case "Failed":
      return failed(tx, step)
    case "Configure":
      return Effect.flatMap(
        fenced(tx, step),
        (of) =>
          sql`UPDATE task SET settings = ${JSON.stringify(step.settings)}, model = ${step.model} WHERE key = ${of.key}`
      )
    case "RequestApplied":
      return sql`UPDATE inbox SET applied_at = ${tx.now} WHERE id = ${step.requestId} AND applied_at IS NULL`
  }
}
