/**
 * Import history: finds the folders of other agents when a person asks for them, says what an import would
 * do, and imports once they agree. Nothing is read before.
 */
import type { Agent, Import, Plan, Places } from "@belay/history-interop"
import { Copy } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as vscode from "vscode"
import { Bridge, chosen, command } from "../../vscode/Bridge.ts"
import * as Importing from "./Importing.ts"

/** A folder, and the program that made it where that is known. */
interface Chosen {
  readonly path: string
  readonly agent?: Agent.Agent
}

const named = Effect.gen(function* () {
  const [folder] = yield* chosen(() =>
    vscode.window.showOpenDialog({
      title: "The folder of another agent, such as Cline, Roo Code, Zoo Code or Claude Code, or a copy of it",
      openLabel: "Look into it",
      canSelectFiles: false,
      canSelectFolders: true
    })
  )
  const found: Chosen = { path: folder?.fsPath ?? "" }
  return found
})

/** One of the folders of this computer, or another one. */
const chooseFolder = (names: typeof Agent.names, places: ReadonlyArray<Places.Place>) =>
  Effect.gen(function* () {
    if (places.length === 0) return yield* named
    const items = places.map((place) => ({ label: names[place.agent], description: place.path, place }))
    const other = { label: "Another folder…", description: "", place: undefined }
    const { place } = yield* chosen((token) =>
      vscode.window.showQuickPick(
        [...items, other],
        { title: "Import which history?", matchOnDescription: true },
        token
      )
    )
    return place === undefined ? yield* named : (place satisfies Chosen)
  })

/** True when the person wants it; the details can be looked at first. */
const agreed = (plan: Plan.Plan, details: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const line = Copy.importFound(plan.counts)
    if (plan.tasks.length === 0) {
      void vscode.window.showInformationMessage(line)
      return false
    }
    const ask = chosen(() => vscode.window.showInformationMessage(line, "Import", "Details"))
    for (let answer = yield* ask; answer === "Details"; answer = yield* ask) yield* Importing.showDetails(line, details)
    return true
  })

const imported = (plan: Plan.Plan, run: typeof Import.run) =>
  Effect.gen(function* () {
    const options = yield* Importing.options
    return yield* Importing.inProgress("Importing", (told) =>
      run(plan, { ...options, progress: (done, total) => Effect.sync(() => told(`${done} of ${total}`)) })
    )
  })

/** An argument is the folder. Gives what was done. */
export const importHistory = command("belay.importHistory", (given) =>
  Effect.gen(function* () {
    const { Agent, Import, Places, ReportText } = yield* Importing.interop
    const { context } = yield* Bridge
    const beside = [path.dirname(context.globalStorageUri.fsPath)]
    const folder: Chosen =
      typeof given === "string" ? { path: given } : yield* chooseFolder(Agent.names, Places.find(beside))
    const plan = yield* Importing.inProgress("Reading the tasks", () => Import.plan(folder.path, folder.agent))
    if (!(yield* agreed(plan, ReportText.lines(Import.previewed(plan))))) return undefined
    const report = yield* imported(plan, Import.run)
    yield* Importing.finish(report, Agent.names[plan.folder.agent], ReportText.lines(report))
    return report
  })
)
