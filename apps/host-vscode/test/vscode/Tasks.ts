/** Tasks made in the history without running them, by an owner that lives until it is closed. */
import { Checklist } from "@belay/focus-chain"
import { Search, type Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { type Protocol, TaskId, type TaskRecord } from "@belay/task-state"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as path from "node:path"
import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import { layerSqlite } from "../history.ts"

/** The n-th id of a test. */
export const id = (n: number): TaskId.TaskId => TaskId.fromParts(1_700_000_000_000 + n, n, n, n)

const lifecycle = (request: Protocol.Request): Step.Step => ({ _tag: "Lifecycle", request })

const describe = (n: number, title: string): Step.Step => ({
  _tag: "Describe",
  taskId: id(n),
  meta: { title, workspace: "/projects/api", mode: "act", model: "model-1", host: "test", settings: null },
  prompt: Message.user(Message.text(title))
})

const created = (n: number, title: string): ReadonlyArray<Step.Step> => [
  lifecycle({ _tag: "Create", taskId: id(n) }),
  describe(n, title)
]

export const begun = (n: number): Step.Step => lifecycle({ _tag: "Start", taskId: id(n) })

export const started = (n: number, title: string): ReadonlyArray<Step.Step> => [...created(n, title), begun(n)]

/** Subtasks that an answer asks for, in the order of its calls. */
export const fannedOut = (
  n: number,
  children: ReadonlyArray<readonly [child: number, title: string]>
): ReadonlyArray<Step.Step> => {
  const calls = children.map(([child]) => ({ callId: `call-${child}`, name: "new_task" }))
  return [
    {
      _tag: "Answer",
      taskId: id(n),
      attempt: 1,
      message: {
        role: "assistant",
        content: children.map(([child, message]) => ({
          type: "tool_use",
          id: `call-${child}`,
          name: "new_task",
          input: { message }
        }))
      },
      calls: calls.map((call) => ({ ...call, argsHash: "hash" })),
      usage: { inputTokens: 1000, outputTokens: 20, cacheReadTokens: 0, cacheWriteTokens: 0 },
      model: "model-1",
      costUsd: 0.21
    },
    lifecycle({
      _tag: "Delegate",
      taskId: id(n),
      attempt: 1,
      limits: { depth: 5, fanOut: 16 },
      children: children.map(([child]) => ({ id: id(child), callId: `call-${child}`, wait: "foreground" }))
    }),
    ...children.map(([child, title]) => describe(child, title))
  ]
}

export const delegated = (n: number, child: number, title: string): ReadonlyArray<Step.Step> =>
  fannedOut(n, [[child, title]])

/** A stopped subtask of the same call stands in for it. */
export const startedOver = (n: number, child: number, to: number, title: string): ReadonlyArray<Step.Step> => [
  lifecycle({ _tag: "Restart", taskId: id(n), child: id(child), to: id(to) }),
  describe(to, title)
]

export const ended = (n: number, outcome: TaskRecord.Outcome, attempt = 1): Step.Step =>
  lifecycle({ _tag: "Complete", taskId: id(n), attempt, outcome, result: "All done." })

export const stopped = (n: number): Step.Step =>
  lifecycle({ _tag: "Interrupt", taskId: id(n), reason: "user", attempt: 1 })

export const resumed = (n: number): Step.Step => lifecycle({ _tag: "Resume", taskId: id(n) })

/** Stopped whatever its attempt is. */
export const halted = (n: number): Step.Step => lifecycle({ _tag: "Interrupt", taskId: id(n), reason: "user" })

export const question = (n: number, text: string): Step.Step => ({
  _tag: "AskOpened",
  taskId: id(n),
  attempt: 1,
  ask: { askId: `ask-${n}`, kind: "question", question: text, options: ["yes", "no"], grants: [] }
})

/** A message of the person. */
export const said = (n: number, text: string): Step.Step => ({
  _tag: "Append",
  taskId: id(n),
  attempt: 1,
  message: Message.user(Message.text(text))
})

/** A message of the model. */
export const answered = (n: number, text: string): Step.Step => ({
  _tag: "Append",
  taskId: id(n),
  attempt: 1,
  message: { role: "assistant", content: [Message.text(text)] }
})

/** The list that the model made. */
export const listed = (n: number, text: string): Step.Step => {
  const items = Checklist.items(Checklist.parse(text))
  return { _tag: "ChecklistChanged", taskId: id(n), attempt: 1, items, text, hash: "", by: "model" }
}

/** The list of a merge in which the model wanted another one. */
export const merged = (
  n: number,
  items: ReadonlyArray<Checklist.Item>,
  theirs: ReadonlyArray<Checklist.Item>
): Step.Step => {
  const text = Checklist.render(Checklist.replaceItems(Checklist.empty, theirs))
  const conflict = { ids: theirs.map(({ id }) => id), theirs }
  return { _tag: "ChecklistChanged", taskId: id(n), attempt: 1, items, text, hash: "", by: "model", conflict }
}

/** Its question was answered, and it stopped. */
export const stoppedAsking = (n: number): ReadonlyArray<Step.Step> => [
  { _tag: "AskSettled", taskId: id(n), settled: { askId: `ask-${n}`, text: "yes", by: "user" } },
  halted(n)
]

export const deleted = (n: number): Step.Step => lifecycle({ _tag: "Delete", taskId: id(n), subtasks: "delete" })

export interface Owner {
  readonly commit: (...steps: ReadonlyArray<Step.Step | ReadonlyArray<Step.Step>>) => Promise<unknown>
  /** As if it had been done so many ms ago. */
  readonly commitAgo: (ms: number, steps: ReadonlyArray<Step.Step>) => Promise<unknown>
  /** Reads the history as it is now. */
  readonly read: <A, E>(effect: Effect.Effect<A, E, TaskHistory>) => Promise<A>
  /** What a person finds with a text, so many of it. */
  readonly search: (text: string, limit: number) => Promise<Search.Found>
  /** Its tasks are those of a dead process from now on. */
  readonly close: () => Promise<void>
}

/** The clock of some ms ago. */
const ago = (ms: number, clock: Clock.Clock): Clock.Clock => {
  const millis = () => clock.currentTimeMillisUnsafe() - ms
  return Object.assign(Object.create(clock), {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis)
  })
}

export const owner = async (directory: string): Promise<Owner> => {
  const scope = Effect.runSync(Scope.make())
  const layer = layerSqlite({ directory, kind: "test" })
  const context = await Effect.runPromise(Layer.build(layer).pipe(Effect.provideService(Scope.Scope, scope)))
  const commit = (steps: ReadonlyArray<Step.Step>) => Effect.flatMap(TaskHistory, (history) => history.commit(steps))
  const run = <A, E>(effect: Effect.Effect<A, E, TaskHistory>) =>
    Effect.runPromise(Effect.provideContext(effect, context))
  return {
    read: run,
    search: (text, limit) => run(Effect.flatMap(TaskHistory, (history) => history.search(Search.parse(text), limit))),
    commit: (...steps) => run(commit(steps.flat())),
    commitAgo: (ms, steps) =>
      run(Effect.flatMap(Clock.Clock, (clock) => Effect.provideService(commit(steps), Clock.Clock, ago(ms, clock)))),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** Makes what is stored of a task unreadable. */
export const damage = (directory: string, n: number): void => {
  const database = new DatabaseSync(path.join(directory, "belay.db"), { timeout: 30_000 })
  database.prepare("UPDATE task SET record = '{' WHERE id = ?").run(id(n))
  database.close()
}

const insert = (database: DatabaseSync, table: string, row: Readonly<Record<string, SQLInputValue>>): void => {
  const names = Object.keys(row)
  const places = names.map(() => "?").join(", ")
  database.prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${places})`).run(...Object.values(row))
}

/** A finished task with no subtasks, many times more; `named` gives each its own id and title. */
export const copies = (
  directory: string,
  n: number,
  named: ReadonlyArray<readonly [n: number, title: string]>
): void => {
  const database = new DatabaseSync(path.join(directory, "belay.db"), { timeout: 30_000 })
  const { key, ...task } = database.prepare("SELECT * FROM task WHERE id = ?").get(id(n)) ?? {}
  const metric = database.prepare("SELECT * FROM task_metric WHERE task = ?").get(key ?? null) ?? {}
  const next = Number(database.prepare("SELECT max(key) AS last FROM task").get()?.["last"]) + 1
  database.exec("BEGIN")
  named.forEach(([other, title], at) => {
    const record = String(task["record"]).replaceAll(id(n), id(other))
    insert(database, "task", { ...task, key: next + at, id: id(other), root_id: id(other), record, title })
    insert(database, "task_metric", { ...metric, task: next + at })
  })
  database.exec("COMMIT")
  database.close()
}
