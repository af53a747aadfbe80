/** What the tree of tasks is narrowed to: a part of a title; empty shows everything. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { commands } from "vscode"
import { Bridge } from "../vscode/Bridge.ts"

export class Filter extends Context.Service<
  Filter,
  {
    readonly text: () => string
    readonly set: (text: string) => void
    readonly listen: (listener: () => void) => void
  }
>()("@belay/host-vscode/Filter") {
  static readonly layer: Layer.Layer<Filter, never, Bridge> = Layer.effect(
    Filter,
    Effect.map(Bridge, ({ views }) => {
      const listeners = new Set<() => void>()
      let text = ""
      return Filter.of({
        text: () => text,
        set: (given) => {
          text = given.trim()
          const view = views["belay.tasks"]
          view.description = text === "" ? "" : `"${text}"`
          void commands.executeCommand("setContext", "belay.tasksFiltered", text !== "")
          for (const listener of listeners) listener()
        },
        listen: (listener) => void listeners.add(listener)
      })
    })
  )
}
