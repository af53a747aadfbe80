/**
 * What is loaded when a view or a command is used: one runtime for the activation, built from one list of layers.
 *
 * Its trees are there first; the engine is loaded behind them.
 */
import type { Preload } from "@belay/history-store/unstable/preload"
import * as DataFolder from "@belay/history-store/data-folder"
import { Copy } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as vscode from "vscode"
import { Bridge, Refusal } from "./vscode/Bridge.ts"
import * as Home from "./activation/Home.ts"
import type { Contributions, Tree, ViewId, Views } from "./activation/LazyContributions.ts"
import * as StartupLayer from "./StartupLayer.ts"

const missing = (cause: unknown) =>
  new Refusal({
    line: `A part of Belay cannot be loaded (${cause instanceof Error ? cause.message : String(cause)}). Reload the window, or install the extension again.`
  })

/** Read while the thread of the history opens it. */
const engine = () => {
  const loading = import("./composition.ts")
  loading.catch(() => undefined)
  return Layer.unwrap(
    Effect.gen(function* () {
      // The editor is given the rows first.
      yield* Effect.yieldNow
      const { layer } = yield* Effect.tryPromise({ try: () => loading, catch: missing })
      return layer()
    })
  )
}

/** `ahead`: the thread of the history. Rejects with one plain line when the history cannot be opened. */
export const start = async (
  context: vscode.ExtensionContext,
  views: Views,
  fill: (id: ViewId, tree: Tree) => void,
  ahead: Preload
): Promise<Contributions> => {
  const log = vscode.window.createOutputChannel("Belay", { log: true })
  const home = Home.directory()
  const kept = DataFolder.keepPrivate(home)
  if (kept !== "private") void vscode.window.showWarningMessage(Copy.openedFolder(home, kept))
  const trees = new Map<ViewId, Tree>()
  const bridge = Bridge.of({
    context,
    views,
    log,
    commands: new Map(),
    fill: (id, tree) => {
      trees.set(id, tree)
      fill(id, tree)
    },
    surfaces: {}
  })
  const layer = engine().pipe(Layer.provideMerge(StartupLayer.layer(Layer.succeed(Bridge, bridge), ahead)))
  const runtime = ManagedRuntime.make(layer)
  const close = async () => {
    await runtime.dispose()
    log.dispose()
  }
  await runtime.runPromise(Effect.void).catch(async (error: unknown) => {
    await close()
    throw error
  })
  void vscode.commands.executeCommand("setContext", "belay.loaded", true)
  return {
    command: async (id, args) => bridge.commands.get(id)?.(args),
    tree: (id) => {
      const found = trees.get(id)
      if (found === undefined) throw new Error(`nothing fills the view ${id}`)
      return found
    },
    view: (view) => bridge.surfaces.view?.(view),
    panel: (panel, state) => bridge.surfaces.panel?.(panel, state),
    close
  }
}
