/** What only shows something: settings, log, the next thing that needs a person, more tasks. */
import { TaskStore } from "@belay/interaction/tasks"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { Bridge, command, perform } from "../../vscode/Bridge.ts"

const own = "@ext:belay.belay"

/** Where they can be changed: most are the machine's, which in a remote window is the other one. */
export const openSettings = command("belay.openSettings", () =>
  perform(() =>
    vscode.env.remoteName === undefined
      ? vscode.commands.executeCommand("workbench.action.openSettings", own)
      : vscode.commands.executeCommand("workbench.action.openRemoteSettings", { query: own })
  )
)

export const showLog = command("belay.showLog", () => Effect.map(Bridge, ({ log }) => log.show(true)))

export const showNeedsYou = command("belay.showNeedsYou", () =>
  perform(() => vscode.commands.executeCommand("belay.needsYou.focus"))
)

export const loadMore = command("belay.loadMore", () => Effect.flatMap(TaskStore.TaskStore, ({ showMore }) => showMore))

export const openWalkthrough = command("belay.openWalkthrough", () =>
  perform(() => vscode.commands.executeCommand("workbench.action.openWalkthrough", "belay.belay#belay.start", false))
)
