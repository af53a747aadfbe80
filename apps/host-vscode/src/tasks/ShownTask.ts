/** The task that this window shows: chosen by the person, remembered for the folder, never moved by itself. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Bridge } from "../vscode/Bridge.ts"

const name = "shownTask"

export class ShownTask extends Context.Service<
  ShownTask,
  {
    readonly id: () => string | undefined
    /** `null`: one that is about to begin. */
    readonly show: (id: string | null) => void
    readonly listen: (listener: () => void) => { readonly dispose: () => void }
  }
>()("@belay/host-vscode/ShownTask") {
  static readonly layer: Layer.Layer<ShownTask, never, Bridge> = Layer.effect(
    ShownTask,
    Effect.map(Bridge, ({ context: { workspaceState } }) => {
      const listeners = new Set<() => void>()
      let shown = workspaceState.get<string>(name)
      return ShownTask.of({
        id: () => shown,
        show: (id) => {
          shown = id ?? undefined
          void workspaceState.update(name, shown)
          for (const listener of listeners) listener()
        },
        listen: (listener) => {
          listeners.add(listener)
          return { dispose: () => void listeners.delete(listener) }
        }
      })
    })
  )
}
