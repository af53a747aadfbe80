/** A task as a client program is shown it: one row of `list_tasks` and `wait_for_tasks`. */
import { type History, TaskHistory } from "@belay/history-store"
import { AskText, Words } from "@belay/interaction"
import { TaskNode } from "@belay/task-engine/remote"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { usage } from "../cli/Failure.ts"
import * as Scope from "./Scope.ts"

/** Characters of a result in a row. */
const headLength = 2000

interface Asked {
  readonly askId: string
  readonly kind: History.Ask["kind"]
  readonly question: string
  readonly options?: ReadonlyArray<string>
  /** `you`: the model that reads this answers it with answer_task; `person`: nobody but a person does. */
  readonly forWhom: "you" | "person"
}

export interface Row {
  readonly id: string
  readonly title: string
  readonly status: string
  /** What its status does not say: queued, running, orphaned, blocked, ready. */
  readonly derived: string | null
  readonly outcome: string | null
  /** Why it stopped. */
  readonly interruption: string | null
  readonly resultHead: string | null
  readonly resultLength: number
  readonly checklist: { readonly done: number; readonly total: number } | null
  readonly costUsd: number | null
  readonly requests: number
  readonly asks: ReadonlyArray<Asked>
  readonly subtasks: number
  readonly updatedAt: string
}

/** One open ask with the task that asks. */
export interface Open {
  readonly taskId: TaskId.TaskId
  readonly title: string
  readonly ask: History.Ask
}

/** Asks of the tree, that of the task itself first. */
export const openIn = (node: TaskNode.TaskNode): ReadonlyArray<Open> =>
  [node, ...TaskNode.descendants(node)].flatMap(({ openAsks, row }) =>
    openAsks.map((ask) => ({ taskId: row.record.id, title: row.meta.title, ask }))
  )

/** Questions and plans are answered in words, and give no right. */
export const isForModel = ({ kind }: History.Ask): boolean => kind === "question" || kind === "plan"

const askedOf = ({ ask }: Open): Asked => ({
  askId: ask.askId,
  kind: ask.kind,
  question: Words.printableLines(isForModel(ask) ? (ask.payload.question ?? "") : AskText.line(ask)),
  ...(ask.payload.options === undefined ? {} : { options: ask.payload.options }),
  forWhom: isForModel(ask) ? "you" : "person"
})

/** What it came to, printable; nothing while it is open. */
export const resultOf = ({ record }: History.TaskRow): string | null =>
  record.status === "completed" ? Words.printableLines(record.result) : null

export const of = (node: TaskNode.TaskNode): Row => {
  const { checklist, derived, meta, record, updatedAt } = node.row
  const result = resultOf(node.row)
  const used = TaskNode.usage(node)
  return {
    id: record.id,
    title: Words.printable(meta.title),
    status: record.status,
    derived,
    outcome: record.status === "completed" ? record.outcome : null,
    interruption: record.status === "interrupted" ? record.interruption.reason : null,
    resultHead: result === null ? null : result.slice(0, headLength),
    resultLength: result?.length ?? 0,
    checklist,
    costUsd: used.costUsd,
    requests: used.requests,
    asks: openIn(node).map(askedOf),
    subtasks: TaskNode.descendants(node).length,
    updatedAt: new Date(updatedAt).toISOString()
  }
}

/** A task that this client has asked for. Errors: one line for every other, which says nothing of it. */
export const find = (scope: Scope.Scope, id: string) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const known = Option.getOrUndefined(yield* history.queuedTask(id as TaskId.TaskId))
    const row = known?.scope === Scope.nameOf(scope) ? Option.getOrUndefined(yield* history.row(known.id)) : undefined
    if (row === undefined || row.record.deletedAt !== undefined) {
      return yield* usage(`there is no task "${Words.printable(id.slice(0, 60))}" of yours`, "See list_tasks.")
    }
    return yield* TaskNode.whole(row)
  })

/** The newest tasks of this client. */
export const list = (scope: Scope.Scope, limit: number, more: Partial<History.Query> = {}) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const { rows } = yield* history.list({ limit, scope: Scope.nameOf(scope), rootsOnly: true, ...more })
    return yield* Effect.forEach(rows, TaskNode.whole)
  })
