/**
 * The host: a list of layers, above what is seen before them (`StartupLayer.ts`). The engine is the command line's; what is
 * VS Code's own stands at the end.
 *
 * The history runs in a thread of its own, where a layer cannot travel: `historyThread.ts` composes what governs it there.
 * `TaskStateMachine` decides every change of a task, `Ownership` says who lives, for this process and its thread together,
 * and `Reconciler` says what to repair of what dead processes left. The store repairs it when the engine begins and once a
 * minute, and `StartupLayer.ts` tells of it.
 */
import { Completions, LiveRelay } from "@belay/interaction/unstable/feed"
import { LiveActivity, TaskStore } from "@belay/interaction/tasks"
import { ApprovalPolicy, ProtectedPath } from "@belay/approval-policy"
import { Checkpoints } from "@belay/checkpoints"
import { FocusChain } from "@belay/focus-chain"
import { EditorContext, ProjectContext } from "@belay/prompt-context"
import * as Engine from "@belay/task-engine"
import * as Redacting from "@belay/task-engine/unstable/redacting"
import { Deleting } from "@belay/task-engine/remote"
import { McpServers, McpTools, type TaskServers } from "@belay/tool-executor/mcp"
import { FetchUrl } from "@belay/tool-executor/web"
import * as SettingsFile from "@belay/settings/file"
import * as Trust from "@belay/settings/trust"
import {
  CommandRunner,
  HookRunner,
  OutputStore,
  type PassedVariables,
  Sandbox,
  make as workspaceTools
} from "@belay/tool-executor/workspace"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as vscode from "vscode"
import * as AlwaysNotice from "./settings/AlwaysNotice.ts"
import { CommandTerminals } from "./transcript/CommandTerminals.ts"
import * as Commands from "./Commands.ts"
import * as Attaching from "./conversation/Attaching.ts"
import * as ConversationProvider from "./conversation/ConversationProvider.ts"
import { Drafts } from "./conversation/Drafts.ts"
import { TaskRunner } from "./tasks/TaskRunner.ts"
import * as FolderTrust from "./settings/FolderTrust.ts"
import * as FixProvider from "./editor/FixProvider.ts"
import * as EditorFacts from "./editor/EditorFacts.ts"
import * as Home from "./activation/Home.ts"
import { Key } from "./settings/Key.ts"
import * as GivenServers from "./mcp/GivenServers.ts"
import * as Mcp from "./mcp/Mcp.ts"
import * as McpProvider from "./mcp/McpProvider.ts"
import * as Model from "./settings/Model.ts"
import * as LostTasks from "./status/LostTasks.ts"
import * as NewProblems from "./editor/NewProblems.ts"
import * as Notifications from "./status/Notifications.ts"
import * as OpenTexts from "./editor/OpenTexts.ts"
import * as PendingEdits from "./asks/PendingEdits.ts"
import * as Person from "./settings/Person.ts"
import * as Preferences from "./settings/Preferences.ts"
import { redaction } from "./vscode/Redaction.ts"
import { RecordedFiles } from "./checkpoints/RecordedFiles.ts"
import { Review } from "./asks/Review.ts"
import * as Ripgrep from "./editor/Ripgrep.ts"
import * as Waits from "./tasks/Waits.ts"
import * as WorkspaceFolders from "./tasks/WorkspaceFolders.ts"
import * as TranscriptProvider from "./transcript/TranscriptProvider.ts"
import { ChecklistComparison } from "./checklist/ChecklistComparison.ts"
import * as ChecklistLens from "./checklist/ChecklistLens.ts"
import * as ChecklistProvider from "./checklist/ChecklistProvider.ts"
import { ChecklistEditor } from "./checklist/ChecklistEditor.ts"
import { UserApprovals } from "./settings/UserApprovals.ts"

/** What commands of the model and hooks run with. */
interface Commands {
  readonly bash: string | undefined
  readonly rules: PassedVariables.Rules
  readonly sandbox: Sandbox.Sandbox
}

const sandboxOf = (directory: string, bash: string | undefined): Sandbox.Sandbox =>
  Sandbox.make({
    bash,
    hidden: [directory],
    journal: directory,
    told: (line) => void vscode.window.showWarningMessage(line)
  })

const tools = (directory: string, servers: TaskServers.OfTask, { bash, rules, sandbox }: Commands) => {
  const ripgrep = Ripgrep.find()
  // Beside what is bundled.
  const workerUrl = new URL("./readable.js", import.meta.url)
  const grammars = fileURLToPath(new URL("./grammars", import.meta.url))
  const ofFiles = NewProblems.telling(
    workspaceTools({
      runner: CommandRunner.make({
        rules,
        bash,
        sandbox,
        outputs: OutputStore.make({ directory }),
        pieces: redaction.pieces
      }),
      isSecret: (file) => ProtectedPath.match(file, "read") !== undefined,
      workerUrl,
      grammars,
      // Without one a search says that there is none.
      ...(ripgrep === undefined ? {} : { ripgrep })
    })
  )
  return Redacting.tools(redaction, [...ofFiles, FetchUrl.make({ workerUrl }), ...McpTools.make(servers)])
}

/** How much is kept stands in the settings that both hosts read; a file that cannot be used is told of by what needs it. */
const checkpoints = (directory: string) =>
  SettingsFile.load(path.join(directory, "settings.json")).pipe(
    Effect.orElseSucceed((): SettingsFile.Document => ({})),
    Effect.map((document) => Checkpoints.layer(SettingsFile.checkpointBounds(document))),
    Layer.unwrap
  )

/** What the engine has changed in the history is seen before anything is told of it. */
const following = Layer.effectDiscard(Effect.flatMap(TaskStore.TaskStore, ({ follow }) => follow))

/** What was deleted 30 days ago goes for good, behind what people see; what cannot be removed goes with the next deletion. */
const expiring = Layer.effectDiscard(
  Effect.forkScoped(Effect.ignore(Effect.suspend(() => Deleting.expire(Deleting.removeFiles(Home.directory())))))
)

/** What a model says here is heard in a terminal that shows the task. */
const relayed = Layer.effectDiscard(Effect.suspend(() => LiveRelay.relay(Home.directory())))

/** Everything else, for one activation. */
export const layer = () => {
  const directory = Home.directory()
  const parts = Layer.mergeAll(
    Redacting.model(redaction, Model.layer),
    ApprovalPolicy.ApprovalPolicy.layer,
    FocusChain.layer,
    checkpoints(directory),
    Person.layer,
    Mcp.layer()
  )
  const folder = Effect.map(FolderTrust.make(directory), (trust) =>
    ProjectContext.make({ home: directory, ...trust, isSecret: Trust.isSecret })
  )
  const told = Layer.merge(
    Layer.effect(ProjectContext.ProjectContext, folder),
    Layer.succeed(EditorContext.EditorContext, EditorFacts.make())
  )
  const engine = Layer.unwrap(
    Effect.gen(function* () {
      const rules = yield* Preferences.variables
      const bash = yield* Preferences.bash
      const servers = yield* GivenServers.make(yield* McpServers, { directory, rules, onSecret: redaction.add })
      const commands = { bash, rules, sandbox: sandboxOf(directory, bash) }
      return Engine.layerEngine({
        tools: tools(directory, servers, commands),
        hooks: HookRunner.make(commands),
        notices: McpTools.notices(servers),
        missing: McpTools.missing(servers),
        concurrency: Preferences.concurrency()
      }).pipe(Layer.provide([told, Waits.patience]))
    })
  )
  const views = Layer.mergeAll(
    ConversationProvider.layer,
    ChecklistLens.layer,
    FixProvider.layer,
    PendingEdits.layer,
    WorkspaceFolders.layer,
    AlwaysNotice.layer,
    Notifications.layer,
    LostTasks.layer,
    Commands.layer
  )
  return views.pipe(
    Layer.provideMerge(Layer.mergeAll(ChecklistProvider.layer, ChecklistComparison.layer, TranscriptProvider.layer)),
    Layer.provideMerge(McpProvider.layer),
    Layer.provideMerge(ChecklistEditor.layer),
    Layer.provideMerge(Layer.mergeAll(Drafts.layer, Attaching.layer, LiveActivity.AllLiveActivity.layer)),
    Layer.provideMerge(Completions.Completions.layer.pipe(Layer.provide(told))),
    Layer.provideMerge(Review.layer),
    Layer.provideMerge(Layer.merge(RecordedFiles.layer, CommandTerminals.layer)),
    Layer.provideMerge(Layer.mergeAll(following, expiring, relayed)),
    Layer.provideMerge(TaskRunner.layer),
    Layer.provideMerge(engine),
    Layer.provideMerge(Waits.Waits.layer),
    Layer.provideMerge(parts),
    Layer.provideMerge(UserApprovals.layer),
    Layer.provideMerge(Layer.merge(Key.layer, OpenTexts.layer))
  )
}
