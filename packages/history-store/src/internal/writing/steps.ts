/** Each step of a commit, carried out inside its transaction. */
import { Command, type LegalDecision, TaskRecord, type Transition } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type * as Step from "../../history/Step.ts"
import * as Dialect from "../database/dialect.ts"
import * as Answerer from "../records/answerer.ts"
import * as Calls from "./calls.ts"
import * as Checklists from "./checklists.ts"
import * as Context from "./context.ts"
import * as Files from "./files.ts"
import { promptOf } from "../records/hydrate.ts"
import * as Imported from "./imported.ts"
import * as Lifecycle from "./lifecycle.ts"
import * as Hooks from "./hooks.ts"
import * as Queue from "./queue.ts"
import * as Reservations from "./reservations.ts"
import * as Sessions from "./sessions.ts"
import type { TaskColumns } from "../records/rows.ts"
import { fenced, type Head, head, note, type Transaction } from "./transaction.ts"

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
    // With what no later event says, so that the record can be told from the journal.
    const origin = { id: of.id, lineage, createdBy: of.record.createdBy }
    const stored = { ...created, origin, ...(at === 0 ? {} : { i: at }) }
    note(tx, of, { ...created, prompt: promptOf(step.prompt) }, stored)
    if (meta.planning !== undefined) note(tx, of, { type: "planning.changed", from: null, to: meta.planning })
    yield* Calls.append(tx, of, step.prompt)
    if (step.checklist !== undefined) yield* Checklists.write(tx, of, { ...step.checklist, by: "model" })
  })

const askOpened = (tx: Transaction, step: StepOf<"AskOpened">) =>
  Effect.gen(function* () {
    const { sql } = tx
    const of = yield* fenced(tx, step)
    const { askId, kind, ...payload } = step.ask
    const opened = yield* sql`INSERT INTO ask (ask_id, task, attempt, kind, call_id, payload)
      VALUES (${askId}, ${of.key}, ${step.attempt}, ${kind}, ${payload.callId ?? null}, ${JSON.stringify(payload)})
      ON CONFLICT DO NOTHING RETURNING ask_id`
    if (opened.length === 0) return
    note(tx, of, { type: "ask", ...step.ask }, { askId })
  })

/** Answers match an ask once; a second answer changes nothing. */
const askSettled = (tx: Transaction, step: StepOf<"AskSettled">) =>
  Effect.gen(function* () {
    const { sql } = tx
    const { attempt, requestId, settled: given, taskId } = step
    const { askId, by, decision, text } = given
    const of = yield* attempt === undefined ? head(tx, taskId) : fenced(tx, { taskId, attempt })
    if (of === undefined) return yield* Command.rejected(step.taskId, "AskSettled", "absent", "NotFound")
    const settled = yield* sql`UPDATE ask SET open = 0, decision = ${decision ?? null}, answer = ${text ?? null},
      settled_by = ${by} WHERE ask_id = ${askId} AND task = ${of.key} AND open = 1 RETURNING ask_id`
    if (settled.length === 0) return
    const rows =
      requestId === undefined
        ? []
        : yield* sql.unsafe<{ readonly process: string | null }>(
            `SELECT ${Dialect.of(sql).field("payload", "process")} AS process FROM inbox WHERE id = ?`,
            [requestId]
          )
    const [request] = rows
    const process = request === undefined ? tx.process : Answerer.read(request.process)
    note(tx, of, { type: "ask.settled", ...given, ...(process === null ? {} : { process }) })
  })

type ModeChange = Pick<StepOf<"ModeChanged">, "to" | "by" | "answeredAsk" | "model">

const setMode = (tx: Transaction, of: Head, change: ModeChange) =>
  Effect.gen(function* () {
    const { sql } = tx
    const { answeredAsk, by, model, to } = change
    const rows = yield* sql<{ mode: "plan" | "act" }>`SELECT mode FROM task WHERE key = ${of.key}`
    const from = rows[0]?.mode ?? to
    if (from === to) return
    yield* sql`UPDATE task SET mode = ${to}, model = coalesce(${model ?? null}, model) WHERE key = ${of.key}`
    note(tx, of, { type: "mode.changed", from, to, by, ...(answeredAsk === undefined ? {} : { answeredAsk }) })
  })

const setPlanning = (tx: Transaction, of: Head, { to }: Pick<StepOf<"PlanningChanged">, "to">) =>
  Effect.gen(function* () {
    const { sql } = tx
    const rows = yield* sql.unsafe<Pick<TaskColumns, "planning">>(
      `SELECT ${Dialect.of(sql).field("data", "to")} AS planning
        FROM task_event WHERE task = ? AND type = 'planning.changed' ORDER BY seq DESC LIMIT 1`,
      [of.key]
    )
    const from = rows[0]?.planning ?? null
    if (from === to) return
    note(tx, of, { type: "planning.changed", from, to })
  })

const switchAtRest = (tx: Transaction, { model, planning, said, taskId, to }: StepOf<"SwitchAtRest">) =>
  Effect.gen(function* () {
    const refuse = (status: TaskRecord.Status | "absent", rule: Transition.Rule) =>
      Command.rejected(taskId, "SwitchAtRest", status, rule)
    const of = yield* head(tx, taskId)
    if (of === undefined) return yield* refuse("absent", "NotFound")
    const { attempt, status } = of.record
    if (status === "completed") return yield* refuse(status, TaskRecord.isTombstone(of.record) ? "Deleted" : "Terminal")
    if (of.lease !== undefined && tx.alive(of.lease.ownerId)) return yield* refuse(status, "Owned")
    yield* setMode(tx, of, { to, by: "user", ...(model === undefined ? {} : { model }) })
    if (planning !== undefined) yield* setPlanning(tx, of, { to: planning })
    for (const one of said) yield* Calls.say(tx, of, { _tag: "Say", taskId, attempt, ...one, queued: true })
  })

const configureAtRest = (tx: Transaction, { settings, taskId }: StepOf<"ConfigureAtRest">) =>
  Effect.gen(function* () {
    const { sql } = tx
    const of = yield* head(tx, taskId)
    if (of === undefined || of.record.status === "completed") return
    if (of.lease !== undefined && of.lease.ownerId !== tx.me && tx.alive(of.lease.ownerId)) return
    yield* sql`UPDATE task SET settings = ${JSON.stringify(settings)} WHERE key = ${of.key}`
  })

const failed = (tx: Transaction, step: StepOf<"Failed">) =>
  Effect.map(fenced(tx, step), (of) => {
    const { message, retryInMs, tag } = step
    note(tx, of, { type: "error", tag, message, ...(retryInMs === undefined ? {} : { retryInMs }) })
  })

/** Its place in lists stays: nothing happened to the task. */
const timeSkipped = (tx: Transaction, of: Head, ms: number): void => {
  const { updated_at } = of.metric
  note(tx, of, { type: "time.skipped", ms })
  of.metric = { ...of.metric, updated_at }
}

/** Only of a task that nothing but a process is missing to; one that still waits for a subtask says nothing. */
const leftReady = (tx: Transaction, { message, taskId }: StepOf<"LeftReady">) =>
  Effect.map(head(tx, taskId), (of) => {
    if (of?.record.status !== "interrupted" || of.record.interruption.reason !== "ready") return
    note(tx, of, { type: "error", tag: "LeftReady", message })
  })

/** Its place in lists stays: they are ordered by what the task does, not by what it is called. */
const rename = (tx: Transaction, { taskId, title }: StepOf<"Rename">) =>
  Effect.gen(function* () {
    const { sql } = tx
    const of = yield* head(tx, taskId)
    if (of === undefined) return yield* Command.rejected(taskId, "Rename", "absent", "NotFound")
    if (TaskRecord.isTombstone(of.record)) return yield* Command.rejected(taskId, "Rename", of.record.status, "Deleted")
    const renamed =
      yield* sql`UPDATE task SET title = ${title} WHERE key = ${of.key} AND title <> ${title} RETURNING key`
    if (renamed.length === 0) return
    const { updated_at } = of.metric
    note(tx, of, { type: "task.renamed", title })
    of.metric = { ...of.metric, updated_at }
  })

const filesRestored = (tx: Transaction, { note: restored, said, taskId }: StepOf<"FilesRestored">) =>
  Effect.gen(function* () {
    const refuse = (status: TaskRecord.Status | "absent", rule: Transition.Rule) =>
      Command.rejected(taskId, "FilesRestored", status, rule)
    const of = yield* head(tx, taskId)
    if (of === undefined) return yield* refuse("absent", "NotFound")
    const { attempt, status } = of.record
    if (TaskRecord.isTombstone(of.record)) return yield* refuse(status, "Deleted")
    if (of.lease !== undefined && tx.alive(of.lease.ownerId)) return yield* refuse(status, "StopFirst")
    note(tx, of, { type: "checkpoint", ...restored })
    if (said !== undefined) yield* Calls.say(tx, of, { _tag: "Say", taskId, attempt, ...said, queued: true })
  })

/** Carries out one step. Errors: the rule that forbids it, `LeaseLost` for a runner that has lost its task. */
export const apply = (
  tx: Transaction,
  step: Step.Step
): Effect.Effect<unknown, Command.TransitionRejected | LegalDecision.IllegalDecision | SqlError> => {
  const { sql } = tx
  switch (step._tag) {
    case "Lifecycle":
      return Lifecycle.request(tx, step.request, step.did)
    case "Describe":
      return describe(tx, step)
    case "Answer":
      return Effect.flatMap(fenced(tx, step), (of) => Calls.answer(tx, of, step))
    case "Spent":
      return Effect.flatMap(fenced(tx, step), (of) => Calls.spent(tx, of, step))
    case "Reserve":
      return Effect.map(Reservations.reserve(tx, step), (reserved) => (tx.reserved = reserved))
    case "Unanswered":
      return Reservations.unanswered(tx, step)
    case "Condensed":
      return Effect.flatMap(fenced(tx, step), (of) => Context.condense(tx, of, step))
    case "ConversationCut":
      return Context.cut(tx, step)
    case "ConversationUncut":
      return Context.uncut(tx, step)
    case "Append":
      return Effect.flatMap(fenced(tx, step), (of) => Calls.append(tx, of, step.message))
    case "Say":
      return Effect.flatMap(fenced(tx, step), (of) => Calls.say(tx, of, step))
    case "Deliver":
      return Effect.flatMap(fenced(tx, step), (of) => Calls.deliver(tx, of))
    case "CallsApproved":
      return Effect.flatMap(fenced(tx, step), (of) => Calls.advance(tx, of, step.callIds, "approved"))
    case "CallsStarted":
      return Effect.flatMap(fenced(tx, step), (of) => Calls.advance(tx, of, step.callIds, "started", step))
    case "CallsSettled":
      return Effect.flatMap(fenced(tx, step), (of) => Calls.settle(tx, of, step.results, null))
    case "FilesTold":
      return Effect.flatMap(fenced(tx, step), (of) => Files.keep(tx, of, of.metric.message_count, step.files, true))
    case "FilesShown":
      return Effect.flatMap(fenced(tx, step), (of) => Files.keep(tx, of, of.metric.message_count, step.files))
    case "AskOpened":
      return askOpened(tx, step)
    case "AskSettled":
      return askSettled(tx, step)
    case "ModeChanged":
      return Effect.flatMap(fenced(tx, step), (of) => setMode(tx, of, step))
    case "PlanningChanged":
      return Effect.flatMap(fenced(tx, step), (of) => setPlanning(tx, of, step))
    case "ChecklistChanged":
      return Checklists.changed(tx, step)
    case "ChecklistEdited":
      return Checklists.edited(tx, step)
    case "Checkpointed":
      return Effect.map(fenced(tx, step), (of) => note(tx, of, { type: "checkpoint", ...step.note }))
    case "FilesRestored":
      return filesRestored(tx, step)
    case "Failed":
      return failed(tx, step)
    case "TimeSkipped":
      return Effect.map(fenced(tx, step), (of) => timeSkipped(tx, of, step.ms))
    case "LeftReady":
      return leftReady(tx, step)
    case "Configure":
      return Effect.flatMap(
        fenced(tx, step),
        (of) =>
          sql`UPDATE task SET settings = ${JSON.stringify(step.settings)}, model = ${step.model} WHERE key = ${of.key}`
      )
    case "ConfigureAtRest":
      return configureAtRest(tx, step)
    case "Rename":
      return rename(tx, step)
    case "SwitchAtRest":
      return switchAtRest(tx, step)
    case "Import":
      return Imported.take(tx, step.task)
    case "HooksRun":
      return Effect.flatMap(fenced(tx, step), (of) => Hooks.keep(tx, of, step.runs))
    case "ReserveSession":
      return Sessions.reserve(tx, step.session)
    case "ForgetSession":
      return Sessions.forget(tx, step.id)
    case "Queue":
      return Queue.add(tx, step.taskId, step.scope)
    case "QueueTried":
      return Queue.tried(tx, step.taskId)
    case "Unqueue":
      return Queue.remove(tx, step.taskId)
    case "RequestAccepted":
      return sql`UPDATE inbox SET accepted_at = ${tx.now} WHERE id = ${step.requestId} AND accepted_at IS NULL`
    case "RequestApplied":
      return sql`UPDATE inbox SET applied_at = ${tx.now}, refusal = ${step.refusal ?? null}
        WHERE id = ${step.requestId} AND applied_at IS NULL`
  }
}
