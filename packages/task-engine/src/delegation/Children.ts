/** The subtasks that a delegation is about to make: who they are, what they are told, and what ties them to their parent. */
import { Approvals } from "@belay/approval-policy"
import { type Step } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { ProjectContext } from "@belay/prompt-context"
import { TaskId, TaskRecord } from "@belay/task-state"
import { type Pipeline } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import * as Agents from "../context/Agents.ts"
import { Checklists } from "../checklist/Checklists.ts"
import type * as EngineTools from "../tools/EngineTools.ts"
import * as Prompt from "../prompt/Prompt.ts"
import * as ReportText from "../prompt/ReportText.ts"
import { fence, type ActiveTask } from "../active/ActiveTask.ts"
import { Settings } from "@belay/settings"
import { Surroundings } from "../context/Surroundings.ts"
import * as Title from "../prompt/Title.ts"

/** What children are made with. */
export interface Parts {
  readonly checklists: Checklists["Service"]
  readonly surroundings: Surroundings["Service"]
  readonly folder: (typeof ProjectContext.ProjectContext)["Service"]
}

export interface Child {
  readonly id: TaskId.TaskId
  readonly call: Pipeline.Call
  readonly args: typeof EngineTools.NewTask.Type
  readonly wait: TaskRecord.Awaited["wait"]
  readonly title: string
  readonly environment: Message.TextBlock
  readonly settings: Settings.TaskSettings
  readonly agent?: ProjectContext.Agent
  readonly checklist?: Step.FirstChecklist
}

/** Those that a delegation may name; they are looked at only when it names one. */
export const agentsFor = ({ folder }: Parts, running: ActiveTask, calls: ReadonlyArray<Pipeline.Ready>) =>
  calls.some(({ args }) => args.agent !== undefined)
    ? Effect.map(folder.content(running.workspace), ({ agents }) => agents)
    : Effect.succeed([])

export const childOf: (
  parts: Parts,
  running: ActiveTask,
  ready: Pipeline.Ready,
  agents: ReadonlyArray<ProjectContext.Agent>
) => Effect.Effect<Child> = Effect.fnUntraced(function* ({ surroundings }, running, { args, call }, agents) {
  const id = yield* TaskId.make
  const given: typeof EngineTools.NewTask.Type = args
  const { workspace } = running
  const agent = agents.find(({ name }) => name === given.agent)
  const settings = agent === undefined ? running.settings : Agents.applied(running.settings, agent)
  const wait = given.background === true ? "background" : "foreground"
  const mode = given.mode ?? "act"
  const environment = yield* surroundings.block({ id, workspace, mode, settings, author: "task" })
  const title = Title.of(given.message)
  return { id, call, args: given, wait, title, environment, settings, ...(agent === undefined ? {} : { agent }) }
})

const describe = (running: ActiveTask, child: Child): Step.Step => {
  const { agent, args, checklist, environment, id, title } = child
  const { resultSchema: _, ...settings } = child.settings
  const mode = args.mode ?? "act"
  const preset = agent === undefined ? [] : [Agents.told(agent)]
  const todos = args.todos === undefined ? [] : [Prompt.checklist(args.todos)]
  return {
    _tag: "Describe",
    taskId: id,
    meta: {
      title,
      workspace: running.workspace,
      mode,
      model: Settings.modelFor(settings, mode),
      host: running.host,
      settings: {
        ...settings,
        // Looked up above when they are asked for.
        grants: [],
        ...Settings.noLimits,
        ...args.budget,
        approvals: Approvals.narrow(settings.approvals, settings.approvals)
      }
    },
    prompt: Message.joined(
      Message.from("task", Message.text(args.message)),
      Message.from("engine.environment", environment),
      Message.from("engine.subtask", ReportText.subtask),
      Message.from("engine.agent", ...preset),
      Message.from("engine.firstChecklist", ...todos)
    ),
    ...(checklist === undefined ? {} : { checklist })
  }
}

/** With the list that it begins with; the steps tell why it has none. */
export const withChecklist = ({ checklists }: Parts, running: ActiveTask, child: Child) => {
  const { todos } = child.args
  return todos === undefined || !running.settings.focusChain.enabled
    ? Effect.succeed({ child, steps: [] })
    : Effect.map(checklists.first(child, todos, fence(running)), ({ steps, ...list }) => ({
        child: { ...child, ...list },
        steps
      }))
}

/** Edges and first words of the children; background edges first, because a waiting task takes no more of them. */
export const edges = (running: ActiveTask, children: ReadonlyArray<Child>): ReadonlyArray<Step.Step> => {
  const { depth, fanOut } = running.settings
  const limits = { depth, fanOut }
  const waiting = (wait: Child["wait"], _tag: "Delegate" | "DelegateBackground"): ReadonlyArray<Step.Step> => {
    const some = children.filter((child) => child.wait === wait)
    const edgesOf = some.map(({ call, id }) => ({ id, callId: call.callId, wait }))
    const request = { _tag, ...fence(running), children: edgesOf, limits }
    return some.length === 0 ? [] : [{ _tag: "Lifecycle", request }]
  }
  return [
    ...waiting("background", "DelegateBackground"),
    ...waiting("foreground", "Delegate"),
    ...children.map((child) => describe(running, child))
  ]
}
