/** The conversation of the shown task in the side bar, and of any task in an editor; each view keeps its task. */
import { SeenTasks } from "@belay/interaction/tasks"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as vscode from "vscode"
import { Bridge, tell } from "../vscode/Bridge.ts"
import { ShownTask } from "../tasks/ShownTask.ts"
import * as Conversation from "./Conversation.ts"
import * as WebviewHtml from "./page/WebviewHtml.ts"
import type { WebviewSurface } from "./page/WebviewSurface.ts"
import { Watchdog } from "./page/Watchdog.ts"

type Opened = (conversation: Conversation.Conversation) => unknown

/** The task that an editor was left with. */
const taskOf = (state: unknown): string | null =>
  state instanceof Object && "task" in state && typeof state.task === "string" ? state.task : null

type PanelPlace = Parameters<typeof vscode.window.createWebviewPanel>[2]

const create = (title: string, where: PanelPlace): vscode.WebviewPanel =>
  vscode.window.createWebviewPanel("belay.conversation", title, where, { enableFindWidget: true })

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const bridge = yield* Bridge
    const shown = yield* ShownTask
    const seen = yield* SeenTasks.SeenTasks
    const scope = yield* Effect.scope
    const services = yield* Effect.context<Effect.Services<ReturnType<typeof Conversation.open>>>()

    /** A view lives until it is disposed of, or the extension ends. */
    const attach = (
      surface: WebviewSurface,
      onGone: (listener: () => void) => vscode.Disposable,
      opened: Opened = () => undefined
    ): void => {
      surface.webview.options = WebviewHtml.options(bridge.context.extensionUri)
      const own = Effect.runSync(Scope.fork(scope))
      const places = [seen.add(surface), surface.onVisibility(seen.changed), surface.onTask(seen.changed)]
      onGone(() => {
        for (const place of places) place.dispose()
        void Effect.runFork(Scope.close(own, Exit.void))
      })
      const opening = Conversation.open(surface).pipe(
        Effect.map(opened),
        Effect.provideService(Scope.Scope, own),
        Effect.catchCause((cause) => Effect.sync(() => tell(bridge.log, cause)))
      )
      Effect.runForkWith(services)(opening)
    }

    let beside: Conversation.Conversation | undefined
    /** Where to go in the side bar, once its view is there. */
    let wanted: "composer" | "dock" | undefined
    let found: readonly [task: string, message: number] | undefined

    /** A view that is not there has no frame; one that is there again has a new one, in the same place. */
    const setGone = (gone: boolean): void =>
      void vscode.commands.executeCommand("setContext", "belay.taskViewIsGone", gone)
    setGone(false)
    // Its container has nothing else, and went with it.
    const comesBack = (): void => {
      setGone(false)
      void vscode.commands.executeCommand("belay.task.focus", { preserveFocus: true })
    }
    const watchdog = new Watchdog()

    const inSideBar = (view: vscode.WebviewView): void =>
      attach(
        {
          watchdog,
          renew: () => {
            view.onDidDispose(comesBack)
            setGone(true)
          },
          webview: view.webview,
          isVisible: () => view.visible,
          onVisibility: (listener) => view.onDidChangeVisibility(listener),
          task: () => shown.id() ?? null,
          onTask: (listener) => shown.listen(listener),
          show: (id) => shown.show(id),
          name: (task) => Object.assign(view, { description: task?.title ?? "" })
        },
        (listener) => view.onDidDispose(listener),
        (conversation) => {
          view.onDidDispose(() => (beside = beside === conversation ? undefined : beside))
          beside = conversation
          if (wanted !== undefined) conversation.focus(wanted)
          if (found !== undefined) conversation.reveal(...found)
          wanted = undefined
          found = undefined
        }
      )

    const panels = new Map<vscode.WebviewPanel, () => string | null>()
    const inEditor = (panel: vscode.WebviewPanel, state: unknown, opened?: Opened, watchdog = new Watchdog()): void => {
      let task = taskOf(state)
      const changed = new vscode.EventEmitter<void>()
      panels.set(panel, () => task)
      panel.onDidDispose(() => panels.delete(panel))
      attach(
        {
          watchdog,
          renew: () => {
            const { title, viewColumn = vscode.ViewColumn.Active } = panel
            panel.dispose()
            inEditor(create(title, { viewColumn, preserveFocus: true }), { task }, undefined, watchdog)
          },
          webview: panel.webview,
          isVisible: () => panel.visible,
          onVisibility: (listener) => panel.onDidChangeViewState(listener),
          task: () => task,
          onTask: changed.event,
          show: (id) => {
            task = id
            changed.fire()
          },
          name: (task) => {
            panel.title = task === undefined ? "New task" : `${task.glyph} ${task.title}`
          }
        },
        (listener) => panel.onDidDispose(listener),
        opened
      )
    }
    bridge.surfaces.view = inSideBar
    bridge.surfaces.panel = (panel, state) => inEditor(panel, state)
    bridge.surfaces.inEditor = (task, title) => {
      const [open] = [...panels].find(([, shows]) => shows() === task) ?? []
      if (open !== undefined) return open.reveal()
      const panel = create(title, vscode.ViewColumn.Active)
      // A person who begins a task goes on with writing.
      inEditor(panel, { task }, (conversation) => task === null && conversation.focus("composer"))
    }
    bridge.surfaces.reveal = (task, message) => {
      if (beside === undefined) found = [task, message]
      else beside.reveal(task, message)
    }
    bridge.surfaces.focus = (what) => {
      if (beside === undefined) wanted = what
      else beside.focus(what)
    }
  })
)
