/**
 * The whole extension in this process, on a history of its own and with a scripted model; `StandIn` is its editor.
 *
 * It is what a window loads when a view is looked at. `until` looks again whenever something is shown, told or asked.
 */
import type { View as Protocol } from "@belay/interaction"
import * as Preload from "@belay/history-store/unstable/preload"
import { type Scenario, ScriptedServer } from "@belay/testkit"
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import type { ExtensionContext, WebviewView } from "vscode"
import * as Main from "../../src/main.ts"
import {
  type Contributions,
  type Tree,
  type ViewId,
  viewIds,
  type Views
} from "../../src/activation/LazyContributions.ts"
import * as Package from "./Package.ts"
import * as StandIn from "./StandIn.ts"

export interface Options {
  /** What the model says, by the task's prompt. */
  readonly tasks?: Scenario.Scenario["tasks"]
  /** Settings by their full names. */
  readonly settings?: { readonly [name: string]: unknown }
  /** Makes tasks before the extension opens their history. */
  readonly before?: (home: string) => Promise<unknown>
}

/** A row, as the editor gets it. */
type Row = StandIn.TreeItem & {
  readonly id: string
  readonly description?: string
  readonly contextValue: string
  readonly tooltip?: string
  readonly iconPath?: StandIn.ThemeIcon
  readonly checkboxState?: number
  readonly accessibilityInformation?: { readonly label: string }
  readonly command?: { readonly command: string; readonly arguments: ReadonlyArray<unknown> }
}

export interface InProcess {
  readonly home: string
  readonly workspace: string
  /** What a `belay` started beside it needs to share its tasks and its model. */
  readonly env: { readonly [name: string]: string }
  readonly model: ScriptedServer.ScriptedServer
  readonly editor: typeof StandIn.editor
  readonly views: Readonly<Record<ViewId, View>>
  readonly context: ExtensionContext
  readonly tree: (id: ViewId) => Tree
  /** Runs a command and gives what it gives. */
  readonly run: (id: string, ...args: ReadonlyArray<unknown>) => Promise<any>
  /** The rows below an element, or at the top. */
  readonly rows: (id: ViewId, element?: string) => Promise<ReadonlyArray<Row>>
  /** Every row of a view by its label, from the top down. */
  readonly all: (id: ViewId) => Promise<ReadonlyMap<string, Row>>
  /** Looks again until it finds something. */
  readonly until: <A>(look: () => A | undefined | Promise<A | undefined>) => Promise<A>
  /** A row of a view once its description has this text. */
  readonly shows: (id: ViewId, label: string, description: string) => Promise<Row>
  /** The row of a task once its description has this text. */
  readonly row: (label: string, description: string) => Promise<Row>
  /** What was told, once it was. */
  readonly told: (text: string) => Promise<StandIn.Told>
  /** Lets the shown task be seen, as the Task view does: in this process it draws nothing. */
  readonly openTaskView: () => Conversation
  /** Ends the extension as the editor does when a window closes, and starts it again. */
  readonly restart: (meanwhile?: () => Promise<unknown>) => Promise<void>
  readonly close: () => Promise<void>
}

const memento = () => {
  const kept = new Map<string, unknown>()
  return {
    get: (name: string, fallback?: unknown) => kept.get(name) ?? fallback,
    update: async (name: string, value: unknown) => {
      kept.set(name, value)
      StandIn.editor.changed.fire()
    }
  }
}

const contextOf = (host: string, storage: string): ExtensionContext =>
  ({
    extension: { packageJSON: StandIn.editor.manifest },
    extensionUri: StandIn.Uri.file(Package.dist),
    globalStorageUri: StandIn.Uri.file(storage),
    storageUri: StandIn.Uri.file(storage),
    globalState: memento(),
    workspaceState: memento(),
    secrets: {
      get: async (name: string) => (name === `key:${host}` ? "test-key" : undefined),
      onDidChange: () => ({ dispose: () => undefined })
    },
    subscriptions: []
  }) as unknown as ExtensionContext

const viewOf = () => {
  const ticked = new StandIn.EventEmitter<unknown>()
  return {
    visible: true,
    selection: new Array<string>(),
    message: undefined as string | undefined,
    description: undefined as string | undefined,
    reveal: async () => undefined,
    onDidChangeVisibility: () => ({ dispose: () => undefined }),
    onDidChangeCheckboxState: ticked.event,
    ticked
  }
}

/** A view of a conversation as its host has it: all that it was told, and what its person does in it. */
interface Conversation {
  readonly heard: ReadonlyArray<Protocol.ToView>
  readonly say: (message: Protocol.FromView) => void
}

/** The Task view, seen. */
const taskView = () => {
  const listening = () => ({ dispose: () => undefined })
  const heard: Array<Protocol.ToView> = []
  const said = new StandIn.EventEmitter<Protocol.FromView>()
  const webview = {
    options: {},
    html: "",
    cspSource: "",
    asWebviewUri: (uri: unknown) => uri,
    postMessage: async (message: Protocol.ToView) => {
      heard.push(message)
      StandIn.editor.changed.fire()
      return true
    },
    onDidReceiveMessage: said.event
  }
  const place = { visible: true, webview, onDidDispose: listening, onDidChangeVisibility: listening }
  const conversation: Conversation = { heard, say: (message) => said.fire(message) }
  return { place: place as unknown as WebviewView, conversation }
}

type View = ReturnType<typeof viewOf> & Pick<Views["belay.needsYou"], "badge">

export const open = async ({ before, settings = {}, tasks = [] }: Options = {}): Promise<InProcess> => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "belay-process-")))
  const home = path.join(folder, "home")
  const workspace = path.join(folder, "workspace")
  for (const made of [home, workspace]) mkdirSync(made, { mode: 0o700 })
  await before?.(home)
  const model = await ScriptedServer.startServer({ tasks })
  const editor = StandIn.renew()
  editor.folders.push({ name: "workspace", uri: StandIn.Uri.file(workspace) })
  const given = {
    "belay.completion": "auto",
    "belay.history.home": home,
    "belay.model.baseUrl": model.url,
    ...settings
  }
  for (const [name, value] of Object.entries(given)) editor.settings.set(name, value)
  const views = Object.fromEntries(viewIds.map((id) => [id, viewOf()])) as unknown as Readonly<Record<ViewId, View>>
  const context = contextOf(new URL(model.url).host, path.join(folder, "storage"))

  const start = async (): Promise<Contributions> => {
    const workerUrl = pathToFileURL(path.join(Package.dist, "thread.js"))
    const ahead = Preload.start({ directory: home, kind: "vscode", workerUrl })
    const started = await Main.start(context, views as unknown as Views, () => undefined, ahead)
    ahead.end()
    for (const id of viewIds) started.tree(id).onDidChangeTreeData?.(() => editor.changed.fire())
    return started
  }
  let contributions = await start()
  const run = (id: string, args: ReadonlyArray<unknown>) => contributions.command(id, args)
  editor.run = run

  const until: InProcess["until"] = async (look) => {
    for (;;) {
      const next = Promise.withResolvers<void>()
      const listening = editor.changed.event(() => next.resolve())
      const found = await look()
      if (found === undefined) await next.promise
      listening.dispose()
      if (found !== undefined) return found
    }
  }
  const rows: InProcess["rows"] = async (id, element) => {
    const tree = contributions.tree(id)
    const below = (await tree.getChildren(element)) ?? []
    return below.map((child) => tree.getTreeItem(child) as unknown as Row)
  }
  const all: InProcess["all"] = async (id) => {
    const found = new Map<string, Row>()
    const visit = async (element?: string): Promise<void> => {
      for (const row of await rows(id, element)) {
        found.set(row.label, row)
        await visit(row.id)
      }
    }
    await visit()
    return found
  }
  const shows: InProcess["shows"] = (id, label, description) =>
    until(async () => {
      const row = (await all(id)).get(label)
      return row?.description?.includes(description) === true ? row : undefined
    })
  return {
    home,
    workspace,
    env: { BELAY_HOME: home, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test-key" },
    model,
    editor,
    views,
    context,
    tree: (id) => contributions.tree(id),
    run: (id, ...args) => run(id, args),
    rows,
    all,
    until,
    shows,
    row: (label, description) => shows("belay.tasks", label, description),
    told: (text) => until(() => editor.told.findLast(({ line }) => line.includes(text))),
    openTaskView: () => {
      const { conversation, place } = taskView()
      contributions.view(place)
      return conversation
    },
    restart: async (meanwhile) => {
      await contributions.close()
      await meanwhile?.()
      contributions = await start()
    },
    close: async () => {
      await contributions.close()
      await model.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}
