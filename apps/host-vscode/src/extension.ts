/**
 * The entry that runs when the editor starts: it opens nothing, and loads the rest when a view or a command is used.
 *
 * It follows one small file for the badge until then. Views and commands are registered here, so that the rest can come
 * later.
 */
import * as Preload from "@belay/history-store/unstable/preload"
import { fileURLToPath } from "node:url"
import { ExtensionMode, type ExtensionContext } from "vscode"
import * as Attention from "./asks/Attention.ts"
import * as Bundled from "./activation/Bundled.ts"
import * as Home from "./activation/Home.ts"
import * as LazyContributions from "./activation/LazyContributions.ts"
import * as TaskLink from "./tasks/TaskLink.ts"
import * as Walkthrough from "./activation/Walkthrough.ts"

let seats: LazyContributions.LazyContributions | undefined

/** The bundled files, with this one among them. */
const folder = new URL(".", import.meta.url)

/** The rest, which is an entry of its own. */
const rest = () => Bundled.load(fileURLToPath(folder), Home.directory(), "main.js") as typeof import("./main.ts")

export const activate = (context: ExtensionContext) => {
  seats = LazyContributions.make(context, async (views, fill) => {
    // The history is opened by its own thread while this one reads the rest.
    const ahead = Preload.start({ ...Home.history(), workerUrl: new URL("./thread.js", folder) })
    try {
      const contributions = await rest().start(context, views, fill, ahead)
      badge.dispose()
      return contributions
    } finally {
      ahead.end()
    }
  })
  const badge = Attention.follow(seats.views["belay.needsYou"])
  context.subscriptions.push(badge, TaskLink.open())
  Walkthrough.show(context)
  // What tests look at; a person's editor runs extensions in production mode.
  return context.extensionMode === ExtensionMode.Production ? undefined : { contributions: seats.contributions }
}

export const deactivate = (): Promise<void> | undefined => seats?.close()
