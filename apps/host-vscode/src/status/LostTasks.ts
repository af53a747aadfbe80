/**
 * Tells once that an extension beside this one has lost subtasks. It is looked for behind what people see, and only where
 * something has changed since the last look.
 */
import { Copy } from "@belay/interaction"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import * as vscode from "vscode"
import { Bridge, perform } from "../vscode/Bridge.ts"

/** When it was looked last: ms since 1970; `told` once it was told. */
const name = "lostTasks"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { context } = yield* Bridge
    const look = Effect.gen(function* () {
      const last = context.globalState.get<number | "told">(name, 0)
      if (last === "told") return
      const { Agent, Places, Rescue } = yield* Effect.promise(() => import("@belay/history-interop"))
      const now = yield* Clock.currentTimeMillis
      const places = Places.beside(path.dirname(context.globalStorageUri.fsPath))
      const changed = places.filter((place) => Places.changedAt(place) > last)
      const looked = yield* Rescue.Look.at(changed)
      for (const { agent } of changed) {
        const tasks = Rescue.Look.report(looked).tasks.filter((task) => task.agent === agent)
        const lost = tasks.filter(Rescue.FoundText.hasLost).length
        if (lost === 0) continue
        yield* perform(() => context.globalState.update(name, "told"))
        const line = Copy.lostFound({ tasks: lost, of: Agent.names[agent] })
        void vscode.window.showInformationMessage(line, "Find lost tasks").then((answer) => {
          if (answer !== undefined) void vscode.commands.executeCommand("belay.findLostTasks")
        })
        return
      }
      yield* perform(() => context.globalState.update(name, now))
    })
    yield* Effect.forkScoped(Effect.ignore(look))
  })
)
