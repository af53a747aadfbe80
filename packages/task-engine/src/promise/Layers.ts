/** The engine of a program that has promises, composed as every host composes it. */
import { ApprovalPolicy, Approvals as Policy, ProtectedPath } from "@belay/approval-policy"
import { Checkpoints } from "@belay/checkpoints"
import { FocusChain } from "@belay/focus-chain"
import { type HistoryError, layerSqlite, Ownership, type TaskHistory } from "@belay/history-store"
import type { ModelClient } from "@belay/model-client"
import { clientOf } from "@belay/model-client/promise"
import { Settings } from "@belay/settings"
import { Reconciler, TaskStateMachine } from "@belay/task-state"
import type { Tool } from "@belay/tool-executor"
import * as Workspace from "@belay/tool-executor/workspace"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { TaskEvents } from "../active/TaskEvents.ts"
import { UserPort } from "../active/UserPort.ts"
import { layerEngine } from "../layer.ts"
import type { TaskEngine } from "../lifecycle/TaskEngine.ts"
import type { Approvals, BelayOptions, Limits, Person } from "./Belay.ts"

const defaultConcurrency = 4

/** What the person's function throws is no answer: the ask stays open, and waits for one by `answer`. */
const heard = <A>(ask: (signal: AbortSignal) => Promise<A>): Effect.Effect<A> =>
  Effect.promise(ask).pipe(
    Effect.catchDefect((cause) => {
      process.emitWarning(cause instanceof Error ? cause : String(cause), { detail: "The person was not asked." })
      return Effect.never
    })
  )

const personOf = ({ answer, approve }: Person): Layer.Layer<UserPort> =>
  Layer.succeed(UserPort, {
    attended: true,
    endsWithWords: true,
    approve: (ask) =>
      approve === undefined
        ? Effect.never
        : Effect.map(
            heard((signal) => approve(ask, { signal })),
            ({ decision = "deny", ...given }) => ({ decision, ...given })
          ),
    answer: (ask) =>
      answer === undefined
        ? Effect.never
        : Effect.map(
            heard((signal) => answer(ask, { signal })),
            (text) => ({ text })
          )
  })

const workspaceTools = (directory: string): ReadonlyArray<Tool.Tool> =>
  Workspace.make({
    runner: Workspace.CommandRunner.make({
      outputs: Workspace.OutputStore.make({ directory }),
      sandbox: Workspace.Sandbox.make({ hidden: [directory], journal: directory })
    }),
    isSecret: (file) => ProtectedPath.match(file, "read") !== undefined
  })

/** Everything that runs tasks. `directory` is absolute and resolved. */
export const layerOf = (
  options: BelayOptions,
  directory: string
): Layer.Layer<TaskEngine | TaskEvents | TaskHistory, HistoryError.HistoryError> => {
  const { concurrency = defaultConcurrency, kind = "program", model, person = {}, tools = [] } = options
  const history = layerSqlite({ directory }).pipe(
    Layer.provide(Layer.merge(TaskStateMachine.layer, Reconciler.layer)),
    Layer.provideMerge(Ownership.layerFile({ directory, kind }))
  )
  const parts = Layer.mergeAll(
    // Made by `anthropic` or `defineModel`, and by nobody else.
    clientOf(model) as Layer.Layer<ModelClient.ModelClient>,
    ApprovalPolicy.ApprovalPolicy.layer,
    person === "nobody" ? UserPort.layerUnattended : personOf(person),
    TaskEvents.layer,
    Layer.merge(FocusChain.layer, Checkpoints.layer()).pipe(Layer.provideMerge(history))
  )
  const own = tools.map((tool) => tool["~belay"] as Tool.Tool)
  const all = options.workspaceTools === false ? own : [...workspaceTools(directory), ...own]
  return layerEngine({ tools: all, concurrency }).pipe(Layer.provideMerge(parts))
}

/** The settings of a task; a tool says what holds where the approvals do not name it. */
export const settingsOf = Effect.fnUntraced(function* (
  { model, tools = [] }: BelayOptions,
  approvals: Approvals,
  limits: Limits = {}
) {
  const decoded = yield* Policy.decode(approvals)
  const said = tools.flatMap(({ approval, name }) => (approval === undefined ? [] : [[name, approval] as const]))
  const named = { ...Object.fromEntries(said), ...decoded.tools }
  const { maxCostUsd = null, maxDurationMinutes = null, maxRequests = null, maxTokens = null } = limits
  return {
    ...Settings.defaults(said.length === 0 ? decoded : { ...decoded, tools: named }, model.id),
    maxCostUsd,
    maxDurationMinutes,
    maxRequests,
    maxTokens
  }
})
