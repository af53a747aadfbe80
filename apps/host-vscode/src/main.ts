/** What is loaded when a view or a command is used: one runtime for the activation, built from one list of layers. */
import type { Ahead } from "@belay/history-store/ahead"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as vscode from "vscode"
import { Bridge } from "./Bridge.ts"
import { layer } from "./composition.ts"
import type { Contributions, Views } from "./Seats.ts"

/** `ahead`: the thread of the history. Rejects with one plain line when the history cannot be opened. */
export const start = async (context: vscode.ExtensionContext, views: Views, ahead: Ahead): Promise<Contributions> => {
  const log = vscode.window.createOutputChannel("Belay", { log: true })
  const bridge = Bridge.of({ context, views, log, commands: new Map(), trees: new Map(), surfaces: {} })
  const runtime = ManagedRuntime.make(layer(Layer.succeed(Bridge, bridge), ahead))
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
      const found = bridge.trees.get(id)
      if (found === undefined) throw new Error(`nothing fills the view ${id}`)
      return found
    },
    view: (view) => bridge.surfaces.view?.(view),
    panel: (panel, state) => bridge.surfaces.panel?.(panel, state),
    close
  }
}
