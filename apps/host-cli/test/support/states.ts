/** A history in which every state that people see occurs, made by commits and owners that live or not. */
import { Inbox, type Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { type Protocol, TaskId, type TaskRecord } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { layerSqlite } from "./history.ts"

/** The n-th id of a test; its last six characters are `0000nn`. */
export const id = (n: number): TaskId.TaskId => TaskId.fromParts(1_700_000_000_000 + n, n, n, n)

const lifecycle = (request: Protocol.Request): Step.Step => ({ _tag: "Lifecycle", request })

const describe = (n: number, title: string, workspace: string): Step.Step => ({
  _tag: "Describe",
  taskId: id(n),
  meta: { title, workspace, mode: "act", model: "model-1", host: "test", settings: null },
  prompt: Message.user(Message.text(title))
})

export const created = (n: number, title: string, workspace = "/projects/api"): ReadonlyArray<Step.Step> => [
  lifecycle({ _tag: "Create", taskId: id(n) }),
  describe(n, title, workspace)
]

export const started = (n: number, title: string, workspace?: string): ReadonlyArray<Step.Step> => [
  ...created(n, title, workspace),
  lifecycle({ _tag: "Start", taskId: id(n) })
]

export const answered = (n: number, ...calls: ReadonlyArray<{ callId: string; name: string }>): Step.Step => ({
  _tag: "Answer",
  taskId: id(n),
  attempt: 1,
  message: {
    role: "assistant",
    content: [
      Message.text("next"),
      ...calls.map((call) => ({ type: "tool_use" as const, id: call.callId, name: call.name, input: {} }))
    ]
  },
  calls: calls.map((call) => ({ ...call, argsHash: "hash" })),
  usage: { inputTokens: 1000, outputTokens: 20, cacheReadTokens: 0, cacheWriteTokens: 0 },
  model: "model-1",
  costUsd: 0.21
})

export const delegated = (n: number, children: Readonly<Record<number, string>>): ReadonlyArray<Step.Step> => {
  const ids = Object.keys(children).map(Number)
  return [
    answered(n, ...ids.map((child) => ({ callId: `call-${child}`, name: "new_task" }))),
    lifecycle({
      _tag: "Delegate",
      taskId: id(n),
      attempt: 1,
      limits: { depth: 5, fanOut: 16 },
      children: ids.map((child) => ({ id: id(child), callId: `call-${child}`, wait: "foreground" }))
    }),
    ...ids.map((child) => describe(child, children[child] ?? "", "/projects/api"))
  ]
}

export const ended = (
  n: number,
  outcome: TaskRecord.Outcome,
  result = "All done.\nMore."
): ReadonlyArray<Step.Step> => [lifecycle({ _tag: "Complete", taskId: id(n), attempt: 1, outcome, result })]

export const stopped = (n: number): Step.Step =>
  lifecycle({ _tag: "Interrupt", taskId: id(n), reason: "user", attempt: 1 })

export const begin = (n: number): Step.Step => lifecycle({ _tag: "Start", taskId: id(n) })

export const question = (n: number, text: string): Step.Step => ({
  _tag: "AskOpened",
  taskId: id(n),
  attempt: 1,
  ask: { askId: `ask-${n}`, kind: "question", question: text, options: ["yes", "no"], grants: [] }
})

const checklist = (n: number): Step.Step => ({
  _tag: "ChecklistChanged",
  taskId: id(n),
  attempt: 1,
  items: [
    { id: "a", text: "read", state: "done" },
    { id: "b", text: "write", state: "open" }
  ],
  text: "- [x] read\n- [ ] write\n",
  hash: "h",
  by: "user"
})

/** A process that has tasks, until it is closed: then its lock is free, as that of a dead one. */
export const owner = async (directory: string) => {
  const scope = Effect.runSync(Scope.make())
  const context = await Effect.runPromise(
    Layer.build(layerSqlite({ directory, kind: "test" })).pipe(Effect.provideService(Scope.Scope, scope))
  )
  return {
    commit: (...steps: ReadonlyArray<Step.Step | ReadonlyArray<Step.Step>>) =>
      Effect.runPromise(
        Effect.provideContext(
          Effect.flatMap(TaskHistory, (history) => history.commit(steps.flat())),
          context
        )
      ),
    /** What other processes asked this one for, as ids and attempts. */
    pending: () =>
      Effect.runPromise(
        Effect.provideContext(
          Effect.map(
            Effect.flatMap(Inbox, (inbox) => inbox.pending),
            (requests) => requests.map(({ attempt, taskId }) => [taskId, attempt])
          ),
          context
        )
      ),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** Every state; the owner that is returned runs what runs. */
export const everyState = async (directory: string) => {
  const dead = await owner(directory)
  await dead.commit(
    started(1, "Collect the results"),
    delegated(1, { 2: "Finished part" }),
    begin(2),
    ended(2, "succeeded")
  )
  await dead.commit(started(3, "Wait for a stopped part"), delegated(3, { 4: "Stopped part" }), begin(4), stopped(4))
  await dead.commit(started(5, "Left by a dead process"))
  await dead.commit(started(6, "Upgrade eslint", "/projects/web"), stopped(6))
  await dead.commit(started(7, "Good"), ended(7, "succeeded"), started(8, "Bad"), ended(8, "failed"))
  await dead.commit(started(9, "Dropped"), ended(9, "cancelled"))
  await dead.close()
  const live = await owner(directory)
  await live.commit(created(10, "Not begun"))
  await live.commit(started(11, "Fix the flaky test"), answered(11), checklist(11))
  await live.commit(started(12, "Release 2.0"), delegated(12, { 13: "Write the parser", 14: "Publish" }))
  await live.commit(begin(13), begin(14), question(14, "Run npm publish?\nIt cannot be undone."))
  return live
}
