/**
 * What the policy says about one call, by the very function that the executor uses, and what a user could change.
 *
 * Nothing is run, created or asked. A call that cannot be read is denied, as it would be in a task.
 */
import {
  ApprovalPolicy,
  Approvals,
  CommandRule,
  type Decision,
  type Grant,
  type NetworkRule
} from "@belay/approval-policy"
import { EngineTools } from "@belay/task-engine"
import * as FolderGrants from "@belay/task-engine/unstable/folder-grants"
import { TaskId } from "@belay/task-state"
import { Looked } from "@belay/approval-policy/facts"
import { type Confinement, Pipeline, Tool, ToolCatalog, ToolExecutor } from "@belay/tool-executor"
import { Hook, HookCall, HookMatcher } from "@belay/tool-executor/hooks"
import { FetchUrl } from "@belay/tool-executor/web"
import { CommandRunner, Manifests, OutputStore, Sandbox, make as workspaceTools } from "@belay/tool-executor/workspace"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as DataFolder from "@belay/history-store/data-folder"

export interface Question {
  readonly tool: string
  readonly args: unknown
  readonly mode: "plan" | "act"
  readonly approvals: Approvals.Approvals
  /** As a task of this workspace would have them. */
  readonly sandboxSetting: Confinement.Setting
  readonly allowedDomains: NetworkRule.AllowedDomains
  readonly strictPlanMode: boolean
  /** Commands of entries that a person has not confirmed for one folder. */
  readonly unconfirmed: ReadonlyArray<string>
  /** Tools that there are none of. */
  readonly withoutTools?: ReadonlyArray<string>
  /** Absolute and resolved. */
  readonly workspace: string
  readonly attended: boolean
  /** Of a task that would begin there. */
  readonly hooks?: ReadonlyArray<Hook.Hook>
  /** What is known of the file system from other questions that were given together with this one. */
  readonly looked?: Looked.Looked
}

export interface Explanation {
  readonly decision: Decision.Setting
  readonly rule: string
  readonly reason: string
  readonly resolved: Decision.Resolved
  /** Of the workspace, where a command would run without asking. */
  readonly sandbox: Confinement.State
  /** Where it is confined and hosts are open: which. */
  readonly network?: NetworkRule.AllowedDomains
  /** The hooks that would look at the call, each as people see it; none where it is denied before. */
  readonly hooks?: ReadonlyArray<string>
}

const never = () => Effect.succeed(Tool.failure("Nothing is run."))

const directory = DataFolder.directory()
const sandbox = Sandbox.make({ hidden: [directory] })
const outputs = OutputStore.make({ directory })

const tools = () => [
  ...workspaceTools({ runner: CommandRunner.make({ sandbox, outputs }) }),
  FetchUrl.make(),
  ...EngineTools.flowTools,
  EngineTools.listTasks(never)
]

/** What an approval binds to has no part in a decision, and nothing is approved here. */
const judged = ({ identity: _, ...tool }: Tool.Tool): Tool.Tool => tool

/** The catalogue and the executor of a task, without anything that could run one. */
export const layer = ToolExecutor.layer.pipe(
  Layer.provideMerge(Layer.merge(ToolCatalog.layer(tools().map(judged)), ApprovalPolicy.ApprovalPolicy.layer))
)

const stated = (
  decision: Decision.Decision,
  { allowedDomains, args, attended, hooks = [], tool, workspace }: Question
): Effect.Effect<Explanation> =>
  Effect.map(sandbox.state(workspace), (state) => {
    const { decision: setting, reason, resolved, rule } = attended ? decision : ApprovalPolicy.unattended(decision)
    const { sandbox: _, ...targets } = resolved
    const isOpen = state._tag === "Confined" && allowedDomains.length > 0
    const network = isOpen ? { network: allowedDomains } : {}
    const names = HookCall.namesOf(tool, HookCall.of(tool, args, workspace))
    const looking = decision.decision === "deny" ? [] : HookMatcher.looking(hooks, "PreToolUse", names)
    const asked = looking.length === 0 ? {} : { hooks: looking.map(Hook.named) }
    return { decision: setting, rule, reason, resolved: targets, sandbox: state, ...network, ...asked }
  })

export const denied = (reason: string): Explanation => ({
  decision: "deny",
  rule: "invalid",
  reason,
  resolved: {},
  sandbox: { _tag: "Unavailable", reason: "The call cannot be read." }
})

/** As for a task that begins now: its manifests are those that are there, once for all questions of one folder. */
const manifestsOf = ({ approvals, looked = Looked.never, workspace }: Question) =>
  approvals.commands.checks === "allow"
    ? { manifests: looked.once(["manifests", workspace], () => Manifests.read(workspace)) }
    : {}

const contextOf = (question: Question): Pipeline.TaskContext => ({
  ...manifestsOf(question),
  taskId: TaskId.TaskId.make("explain"),
  mode: question.mode,
  workspace: question.workspace,
  approvals: question.approvals,
  progress: () => Effect.void,
  strictPlanMode: question.strictPlanMode,
  sandbox: question.sandboxSetting,
  allowedDomains: question.allowedDomains,
  home: directory,
  ...(question.looked === undefined ? {} : { looked: question.looked })
})

/** Tools of other catalogues, such as those of MCP servers, whose category the policy knows by their name. */
const categories = { use_mcp_tool: "mcp", access_mcp_resource: "mcp" } as const

const textIn = (args: unknown, name: string): string | undefined => {
  const value: unknown =
    typeof args === "object" && args !== null ? Object.getOwnPropertyDescriptor(args, name)?.value : undefined
  return typeof value === "string" ? value : undefined
}

/** With what the person has allowed always in the folder. */
const granted = (decision: Decision.Decision, call: Grant.Judged, { unconfirmed }: Question) =>
  FolderGrants.decide(FolderGrants.make(DataFolder.directory()), { folderGrants: true, unconfirmed }, decision, call)

/** What the user has marked; no server is started to see what it has. */
const markOf = ({ args, tool }: Question) =>
  Effect.gen(function* () {
    const resource = tool === "access_mcp_resource"
    const [server, name] = [textIn(args, "server"), textIn(args, resource ? "uri" : "tool")]
    if (server === undefined || name === undefined) return {}
    const { Servers, UserMarks } = yield* Effect.promise(() => import("@belay/tool-executor/mcp"))
    const mcp = yield* UserMarks.factOf(Servers.userFile(DataFolder.directory()), { server, name, resource })
    return { mcp: mcp ?? { server, name, resource, readOnly: false, approved: true } }
  })

/** A tool that the catalogue does not have. */
const foreign = Effect.fnUntraced(function* (question: Question) {
  const { approvals, args, mode, tool, workspace } = question
  const category = Object.hasOwn(categories, tool) ? categories[tool as keyof typeof categories] : undefined
  const marked = category === undefined ? {} : yield* markOf(question)
  const facts = { paths: [], ...marked }
  const decision = ApprovalPolicy.decide({
    tool,
    args,
    mode,
    approvals,
    workspace,
    strictPlanMode: question.strictPlanMode,
    category: category ?? "internal",
    known: category !== undefined,
    readOnly: false,
    facts
  })
  return yield* granted(decision, { tool, args, category: category ?? "internal", facts, workspace }, question)
})

const textOf = ({ content }: Tool.ToolOutput): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("")

export const explain = Effect.fn("Explain.explain")(function* (question: Question) {
  const catalog = yield* ToolCatalog
  if (question.withoutTools?.includes(question.tool) === true) return denied("There is no such tool for the task.")
  if (catalog.get(question.tool) === undefined) return yield* stated(yield* foreign(question), question)
  const prepare = (yield* ToolExecutor).prepare
  const call = { callId: "explain", name: question.tool, input: question.args }
  const prepared = yield* prepare(call, contextOf(question))
  if (prepared._tag === "Ready") {
    const { args, decision, facts, tool } = prepared
    const { workspace } = question
    const call = { args, facts: Pipeline.judgedFacts(facts), tool: tool.name, category: tool.category, workspace }
    return yield* stated(yield* granted(decision, call, question), question)
  }
  return prepared.decision === undefined ? denied(textOf(prepared.output)) : yield* stated(prepared.decision, question)
})

/** Entries for the approvals after which the call would not ask for want of one. */
export const suggestions = Effect.fn("Explain.suggestions")(function* (question: Question) {
  const tool = (yield* ToolCatalog).get("execute_command")
  if (tool === undefined || question.tool !== tool.name) return []
  const facts = yield* tool.facts(question.args, { ...contextOf(question), callId: "explain" })
  return facts.command === undefined ? [] : CommandRule.suggestions(facts.command, question.approvals)
})
