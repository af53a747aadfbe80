/**
 * The tasks that a long history consists of, made through the store: of each kind one tree, with what was said, called and
 * asked in it. A copy has another text in the place of the mark, and nothing else that is different.
 */
import { Message } from "../../../packages/message-state/src/index.ts"
import { Step } from "../../../packages/history-store/src/index.ts"
import { type Protocol, TaskId, type TaskRecord } from "../../../packages/task-state/src/index.ts"

/** Stands in every id of a model. */
export const mark = "5eed5eed5eed"

/** The folder of every model; copies are in folders of this name with a number behind it. */
export const folderOf = (projects: string): string => `${projects}/project-`

export interface Model {
  readonly name: string
  readonly ids: ReadonlyArray<TaskId.TaskId>
  readonly steps: (workspace: string) => ReadonlyArray<ReadonlyArray<Step.Step>>
}

const id = (kind: number, task: number): TaskId.TaskId =>
  TaskId.TaskId.make(`019aa${kind}${task}0-0000-7000-8000-${mark}`)

const said = (words: string, count: number): string => `${words} of note ${mark}. `.repeat(count).trim()

const title = (of: TaskId.TaskId): string => `Old task ${of.slice(5, 7)} ${mark}`

const created = (of: TaskId.TaskId, workspace: string): ReadonlyArray<Step.Step> => [
  Step.request({ _tag: "Create", taskId: of }),
  described(of, workspace),
  Step.request({ _tag: "Start", taskId: of })
]

const described = (of: TaskId.TaskId, workspace: string): Step.Step =>
  Step.describe(of, said(`${title(of)}: read the sources and say what they do`, 2), {
    title: title(of),
    workspace,
    model: "model-1",
    host: "cli",
    settings: { approvals: { edits: "ask" }, maxRequests: 250 }
  })

const answer = (of: TaskId.TaskId, use: Message.ToolUseBlock): ReadonlyArray<Step.Step> => [
  {
    _tag: "Answer",
    taskId: of,
    attempt: 1,
    message: { role: "assistant", content: [Message.text(said("Next I look at the file", 4)), use] },
    calls: [{ callId: use.id, name: use.name, argsHash: mark }],
    usage: { inputTokens: 1200, outputTokens: 90, cacheReadTokens: 800, cacheWriteTokens: 100 },
    model: "model-1",
    costUsd: 0.02
  },
  { _tag: "CallsStarted", taskId: of, attempt: 1, callIds: [use.id], rules: { [use.id]: "read" } }
]

/** A turn that reads a file. */
const turn = (of: TaskId.TaskId, at: number): ReadonlyArray<Step.Step> => {
  const callId = `call-${of}-${at}`
  const input = { path: `src/file-${at}-${mark}.ts` }
  return [
    ...answer(of, { type: "tool_use", id: callId, name: "read_file", input }),
    {
      _tag: "CallsSettled",
      taskId: of,
      attempt: 1,
      results: [
        { callId, content: [Message.text(said("a line of a source file", 6))], isError: false, state: "finished" }
      ]
    }
  ]
}

const ended = (of: TaskId.TaskId): Step.Step =>
  Step.request({ _tag: "Complete", taskId: of, attempt: 1, outcome: "succeeded", result: said("All is read", 2) })

const stopped = (of: TaskId.TaskId, reason: TaskRecord.InterruptReason): Step.Step =>
  Step.request({ _tag: "Interrupt", taskId: of, reason, attempt: 1 })

const delegated = (of: TaskId.TaskId, child: TaskId.TaskId, workspace: string): ReadonlyArray<Step.Step> => {
  const callId = `call-${child}`
  const request: Protocol.Request = {
    _tag: "Delegate",
    taskId: of,
    attempt: 1,
    limits: { depth: 5, fanOut: 16 },
    children: [{ id: child, callId, wait: "foreground" }]
  }
  return [
    ...answer(of, { type: "tool_use", id: callId, name: "new_task", input: { message: said("Read a part", 2) } }),
    Step.request(request),
    described(child, workspace)
  ]
}

const collected = (of: TaskId.TaskId, child: TaskId.TaskId): Step.Step =>
  Step.request({ _tag: "Collect", taskId: of, attempt: 1, children: [child] })

const started = (of: TaskId.TaskId): Step.Step => Step.request({ _tag: "Start", taskId: of })

/** A root that has had the report of its subtask. */
const reported = (kind: number, workspace: string): ReadonlyArray<ReadonlyArray<Step.Step>> => {
  const [root, child] = [id(kind, 0), id(kind, 1)]
  return [
    [...created(root, workspace), ...turn(root, 1)],
    delegated(root, child, workspace),
    [started(child), ...turn(child, 1), ended(child)],
    [collected(root, child)]
  ]
}

export const finished: Model = {
  name: "a finished root",
  ids: [id(1, 0)],
  steps: (workspace) => [[...created(id(1, 0), workspace), ...turn(id(1, 0), 1), ...turn(id(1, 0), 2), ended(id(1, 0))]]
}

export const finishedTree: Model = {
  name: "a finished root with a finished subtask",
  ids: [id(2, 0), id(2, 1)],
  steps: (workspace) => [...reported(2, workspace), [ended(id(2, 0))]]
}

export const deleted: Model = {
  name: "a deleted root that can be taken back",
  ids: [id(3, 0)],
  steps: (workspace) => [
    [...created(id(3, 0), workspace), ...turn(id(3, 0), 1), ended(id(3, 0))],
    [Step.request({ _tag: "Delete", taskId: id(3, 0), subtasks: "delete" })]
  ]
}

export const stoppedRoot: Model = {
  name: "a stopped root",
  ids: [id(4, 0)],
  steps: (workspace) => [
    [...created(id(4, 0), workspace), ...turn(id(4, 0), 1), ...turn(id(4, 0), 2), stopped(id(4, 0), "user")]
  ]
}

export const stoppedReported: Model = {
  name: "a stopped root with a finished subtask",
  ids: [id(5, 0), id(5, 1)],
  steps: (workspace) => [...reported(5, workspace), [stopped(id(5, 0), "user")]]
}

export const stoppedTree: Model = {
  name: "a stopped root that waits for a stopped subtask",
  ids: [id(6, 0), id(6, 1)],
  steps: (workspace) => [
    [...created(id(6, 0), workspace), ...turn(id(6, 0), 1)],
    delegated(id(6, 0), id(6, 1), workspace),
    [started(id(6, 1)), ...turn(id(6, 1), 1)],
    [stopped(id(6, 1), "parent"), stopped(id(6, 0), "user")]
  ]
}

export const asking: Model = {
  name: "a stopped root whose question is open",
  ids: [id(7, 0)],
  steps: (workspace) => [
    [
      ...created(id(7, 0), workspace),
      ...turn(id(7, 0), 1),
      {
        _tag: "AskOpened",
        taskId: id(7, 0),
        attempt: 1,
        ask: {
          askId: `ask-${id(7, 0)}`,
          kind: "question",
          question: said("Go on?", 1),
          options: ["yes", "no"],
          grants: []
        }
      },
      stopped(id(7, 0), "unattended")
    ]
  ]
}

export const all: ReadonlyArray<Model> = [
  finished,
  finishedTree,
  deleted,
  stoppedRoot,
  stoppedReported,
  stoppedTree,
  asking
]
