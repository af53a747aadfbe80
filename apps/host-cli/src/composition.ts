/** The host: a list of layers. What loads late is imported here, at the moment it is used. */
import { ApprovalPolicy, ProtectedPath } from "@belay/approval-policy"
import { Checkpoints, type CheckpointsOptions } from "@belay/checkpoints"
import { FocusChain } from "@belay/focus-chain"
import { Ownership, TaskHistory } from "@belay/history-store"
import { LiveRelay } from "@belay/interaction/unstable/feed"
import { ModelClient, Proxies } from "@belay/model-client"
import * as ModelServers from "@belay/model-client/servers"
import * as Reach from "@belay/model-client/reach"
import { ProjectContext } from "@belay/prompt-context"
import * as Engine from "@belay/task-engine"
import * as Trust from "@belay/settings/trust"
import * as Redacting from "@belay/task-engine/unstable/redacting"
import { Reconciler, TaskStateMachine } from "@belay/task-state"
import { Failpoint } from "@belay/task-state/unstable"
import { McpServers, McpTools, type ServerFile, type Servers, TaskServers } from "@belay/tool-executor/mcp"
import { FetchUrl } from "@belay/tool-executor/web"
import {
  CommandRunner,
  HookRunner,
  OutputStore,
  type PassedVariables,
  Sandbox,
  make as workspaceTools
} from "@belay/tool-executor/workspace"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { fileURLToPath } from "node:url"
import * as History from "./tasks/History.ts"
import * as Key from "./settings/Key.ts"
import * as Mcp from "./settings/Mcp.ts"
import { redaction } from "./output/Redaction.ts"

export interface Options {
  readonly directory: string
  readonly ways: Key.Ways
  readonly concurrency: number
  readonly person: Layer.Layer<Engine.UserPort>
  /** How long checkpoints are kept, and how much of them. */
  readonly bounds: Pick<CheckpointsOptions, "maxAge" | "maxBytes">
  /** Which variables commands and servers see, by the user's settings. */
  readonly variables: PassedVariables.Rules
  /** The bash that the user's settings name. */
  readonly bash?: string | undefined
  /** Where a new task begins: whether commands are confined there is found out while the rest is loaded. */
  readonly workspace?: string | undefined
  /** MCP servers of this run alone. */
  readonly servers?: ServerFile.ServerFile | undefined
  /** Which servers a task has, of a host whose tasks have some of their own; the same for all otherwise. */
  readonly serversOf?: (all: Servers.Servers, history: TaskHistory["Service"]) => TaskServers.OfTask
  readonly failpoints: { readonly hit: (name: Failpoint.Failpoint) => void } | undefined
}

/** Beside what is bundled. */
const workerUrl = new URL("./readable.js", import.meta.url)
const grammars = fileURLToPath(new URL("./grammars", import.meta.url))

const sandboxOf = ({ bash, directory }: Pick<Options, "bash" | "directory">): Sandbox.Sandbox =>
  Sandbox.make({
    bash,
    hidden: [directory],
    journal: directory,
    told: (line) => void process.stderr.write(`belay: ${line}\n`)
  })

const tools = (
  { bash, directory, variables: rules }: Pick<Options, "bash" | "directory" | "variables">,
  sandbox: Sandbox.Sandbox,
  servers: TaskServers.OfTask
) =>
  Redacting.tools(redaction, [
    ...workspaceTools({
      runner: CommandRunner.make({
        rules,
        bash,
        sandbox,
        outputs: OutputStore.make({ directory }),
        pieces: redaction.pieces
      }),
      isSecret: (file) => ProtectedPath.match(file, "read") !== undefined,
      workerUrl,
      grammars
    }),
    FetchUrl.make({ workerUrl }),
    ...McpTools.make(servers)
  ])

/** The client of a server; of one without a key it only says so. */
const reached = ({ access, server }: Key.Way, directory: string) =>
  Result.match(access, {
    onFailure: () => Effect.succeed(ModelClient.keyless(server.host, Key.told(server), Key.advice(server))),
    onSuccess: (found) => {
      const env = process.env
      const layer = Reach.layer({ ...found, server, directory, env, proxies: Proxies.ofEnvironment(env) })
      return Effect.map(Layer.build(layer), (context) => {
        const client = Context.get(context, ModelClient.ModelClient)
        return ModelServers.isCloud(server) ? client : ModelClient.advised(client, Key.advice(server, "another "))
      })
    }
  })

const model = ({ act, plan }: Key.Ways, directory: string) =>
  Layer.effect(
    ModelClient.ModelClient,
    Effect.gen(function* () {
      const acting = yield* reached(act, directory)
      return plan === act ? acting : ModelClient.byMode({ act: acting, plan: yield* reached(plan, directory) })
    })
  )

/**
 * The history, and the three services that govern it. `TaskStateMachine` decides every change of a task: the store writes
 * nothing that it refuses. `Ownership` says who lives, by a lock of each process: a lease of a task stands as long as its
 * owner does. `Reconciler` says what to repair of what dead processes left, which the store does when the engine begins and
 * once a minute; `RepairNotice` tells of it.
 */
const history = (directory: string) =>
  History.layerUngoverned(directory).pipe(
    Layer.provide(Layer.merge(TaskStateMachine.layer, Reconciler.layer)),
    Layer.provideMerge(Ownership.layerFile({ directory, kind: "cli" }))
  )

/** What a folder says to its tasks, as far as it is trusted. */
export const folderContext = (directory: string) =>
  Layer.succeed(
    ProjectContext.ProjectContext,
    ProjectContext.make({
      home: directory,
      isTrusted: (workspace, hash) => Trust.isTrusted(directory, workspace, hash),
      trustedBelow: (workspace) => Trust.below(directory, workspace),
      isSecret: Trust.isSecret
    })
  )

/** Everything that runs tasks. */
export const running = (options: Options) => {
  const { bounds, concurrency, directory, failpoints, person, servers, variables, ways, workspace } = options
  const sandbox = sandboxOf(options)
  const tried = workspace === undefined ? Effect.void : Effect.forkScoped(sandbox.lastState(workspace))
  const engine = Layer.unwrap(
    Effect.gen(function* () {
      const all = yield* McpServers
      const servers = options.serversOf?.(all, yield* TaskHistory) ?? TaskServers.same(all)
      return Engine.layerEngine({
        tools: tools(options, sandbox, servers),
        notices: McpTools.notices(servers),
        missing: McpTools.missing(servers),
        hooks: HookRunner.make({ sandbox, rules: variables, bash: options.bash }),
        concurrency
      })
    })
  )
  const parts = Layer.mergeAll(
    // It waits for a program: first of all.
    Layer.effectDiscard(tried),
    Redacting.model(redaction, model(ways, directory)),
    ApprovalPolicy.ApprovalPolicy.layer,
    Layer.merge(FocusChain.layer, Checkpoints.layer(bounds)).pipe(Layer.provideMerge(history(directory))),
    person,
    Engine.TaskEvents.layer,
    Mcp.layer(directory, { given: servers, rules: variables })
  )
  const named = failpoints === undefined ? Layer.empty : Layer.succeed(Failpoint.Failpoints, failpoints)
  const relayed = Layer.effectDiscard(LiveRelay.relay(directory))
  return Layer.merge(engine, relayed).pipe(
    Layer.provideMerge(parts),
    Layer.provide(Layer.merge(named, folderContext(directory)))
  )
}
