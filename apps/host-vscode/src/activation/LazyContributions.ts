/**
 * The places of the manifest's views and commands, taken at start-up by stand-ins for what is loaded later.
 *
 * A tree loads the rest when it is looked at, a command when it is run; both then are what the rest brought. A tree that
 * is there before all of the rest is shown at once.
 */
import {
  commands,
  type Event,
  EventEmitter,
  type ExtensionContext,
  type TreeDataProvider,
  TreeItem,
  type TreeView,
  type WebviewPanel,
  type WebviewView,
  window
} from "vscode"

export const viewIds = ["belay.needsYou", "belay.tasks", "belay.checklist", "belay.mcp"] as const
export type ViewId = (typeof viewIds)[number]

/** Every element is named by a text that stays the same while the element does. */
export type Tree = TreeDataProvider<string>

export type Views = Readonly<Record<ViewId, TreeView<string>>>

/** The conversation of a task, in the side bar or in an editor. */
export interface Surfaces {
  view: (view: WebviewView) => void
  /** `state`: what the view kept of itself. */
  panel: (panel: WebviewPanel, state: unknown) => void
  /** Goes to a part of the view in the side bar, as soon as it is there. */
  focus: (what: "composer" | "dock") => void
  /** Goes to where a message stands, in the view in the side bar. */
  reveal: (task: string, message: number) => void
  /** Shows a task in an editor of its own, the one that it has; `null`: one that is about to begin. */
  inEditor: (task: string | null, title: string) => void
}

/** What the rest brings. */
export interface Contributions extends Omit<Surfaces, "focus" | "reveal" | "inEditor"> {
  readonly command: (id: string, args: ReadonlyArray<unknown>) => Promise<unknown>
  readonly tree: (id: ViewId) => Tree
  readonly close: () => Promise<void>
}

/** Loads the rest. A tree that is filled before all of it is there is shown then. */
export type Start = (views: Views, fill: (id: ViewId, tree: Tree) => void) => Promise<Contributions>

/** The rest, on its way or there. */
interface Loading {
  readonly rest: Promise<Contributions>
  readonly tree: (id: ViewId) => Promise<Tree>
}

const begin = (views: Views, start: Start): Loading => {
  const filled = new Map(viewIds.map((id) => [id, Promise.withResolvers<Tree>()]))
  const rest = start(views, (id, tree) => filled.get(id)?.resolve(tree))
  const later = async (id: ViewId) => (await rest).tree(id)
  return { rest, tree: (id) => Promise.race([later(id), filled.get(id)?.promise ?? later(id)]) }
}

export interface LazyContributions {
  readonly views: Views
  readonly contributions: () => Promise<Contributions>
  /** Ends the rest, where it was loaded. */
  readonly close: () => Promise<void>
}

/** ms after which a person is told what is waited for. */
const patience = 300

const reading = "Reading tasks…"

/** Says what is read while that takes its time, unless something else is to be said. */
const said = async <A>(view: () => TreeView<string>, work: Promise<A>): Promise<A> => {
  const say = (message: string | undefined): void => void Object.assign(view(), { message })
  say(undefined)
  const timer = setTimeout(() => view().message === undefined && say(reading), patience)
  try {
    return await work
  } finally {
    clearTimeout(timer)
    if (view().message === reading) say(undefined)
  }
}

const standIn = (id: ViewId, load: () => Loading, view: () => TreeView<string>): Tree => {
  const changed = new EventEmitter<string | ReadonlyArray<string> | undefined>()
  let real: Tree | undefined
  let source: Loading | undefined
  const tree = async (): Promise<Tree> => {
    const loading = load()
    // One of a rest that failed is left when it is looked at again.
    if (real !== undefined && source === loading) return real
    const arriving = loading.tree(id)
    const found = await (id === "belay.tasks" ? said(view, arriving) : arriving)
    if (found !== real) found.onDidChangeTreeData?.((elements) => changed.fire(elements as string | undefined))
    real = found
    source = loading
    return found
  }
  return {
    onDidChangeTreeData: changed.event as Event<string | undefined>,
    getChildren: async (element) => (await tree()).getChildren(element),
    // Elements come from the real tree only.
    getTreeItem: (element) => real?.getTreeItem(element) ?? new TreeItem(element),
    getParent: (element) => real?.getParent?.(element),
    resolveTreeItem: (item, element, token) => real?.resolveTreeItem?.(item, element, token) ?? item
  }
}

const contributed = (context: ExtensionContext): ReadonlyArray<string> => {
  const { contributes } = context.extension.packageJSON
  return contributes.commands.map(({ command }: { readonly command: string }) => command)
}

export const make = (context: ExtensionContext, start: Start): LazyContributions => {
  let loading: Loading | undefined
  const fail = (error: unknown): void => {
    // It is tried again when it is wanted again.
    loading = undefined
    const line = error instanceof Error ? error.message : String(error)
    Object.assign(views["belay.tasks"], { message: line })
    void window.showErrorMessage(line)
  }
  const load = (): Loading => {
    if (loading !== undefined) return loading
    const begun = begin(views, start)
    begun.rest.catch(fail)
    return (loading = begun)
  }
  const contributions = () => load().rest
  const made = viewIds.map((id) => {
    const view: TreeView<string> = window.createTreeView(id, {
      treeDataProvider: standIn(id, load, () => view),
      showCollapseAll: false,
      // A box shows what its file says, which is not always what was ticked.
      manageCheckboxStateManually: true
    })
    context.subscriptions.push(view)
    return [id, view] as const
  })
  const views = Object.fromEntries(made) as Views
  for (const id of contributed(context)) {
    const run = (...args: ReadonlyArray<unknown>) => contributions().then(({ command }) => command(id, args))
    context.subscriptions.push(commands.registerCommand(id, run))
  }
  context.subscriptions.push(
    window.registerWebviewViewProvider("belay.task", {
      resolveWebviewView: async (view) => (await contributions()).view(view)
    }),
    window.registerWebviewPanelSerializer("belay.conversation", {
      deserializeWebviewPanel: async (panel, state: unknown) => (await contributions()).panel(panel, state)
    })
  )
  const close = async () => (await loading?.rest.catch(() => undefined))?.close()
  return { views, contributions, close }
}
