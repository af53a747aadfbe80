/** What commands share that take tasks of other programs over: progress, settings, and what is told at the end. */
import { TaskStore } from "@belay/interaction/tasks"
import type { Import } from "@belay/history-interop"
import { Settings } from "@belay/settings"
import { TaskEngine } from "@belay/task-engine"
import { Copy, Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as vscode from "vscode"
import { perform } from "../../vscode/Bridge.ts"
import * as Home from "../../activation/Home.ts"
import * as Preferences from "../../settings/Preferences.ts"

/** Loaded when it is needed. */
export const interop = Effect.promise(() => import("@belay/history-interop"))

type Told = (message: string) => void

/** Work that a person waits for, with what it is at. */
export const inProgress = <A, E, R>(title: string, work: (told: Told) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const services = yield* Effect.context<R>()
    const run = Effect.runPromiseExitWith(services)
    return yield* yield* perform(() =>
      vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, (progress) =>
        run(work((message) => progress.report({ message })))
      )
    )
  })

export const showDetails = (line: string, lines: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const content = [line, "", ...lines.map((one) => Words.printable(one)), ""].join("\n")
    const document = yield* perform(() => vscode.workspace.openTextDocument({ content, language: "plaintext" }))
    yield* perform(() => vscode.window.showTextDocument(document, { preview: true }))
  })

/** The settings of imported tasks, and where copies of damaged files go. */
export const options = Effect.gen(function* () {
  const settings = yield* Preferences.forTask
  const given: Import.Options = {
    quarantine: path.join(Home.directory(), "quarantine"),
    settings: (mode) => ({ settings, model: Settings.modelFor(settings, mode) }),
    running: new Set((yield* TaskEngine).running())
  }
  return given
})

/** Shows what was imported, and says it. */
export const finish = (report: Import.Report, of: string, lines: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* (yield* TaskStore.TaskStore).refresh
    const line = Copy.importDone({ imported: report.imported.length, of })
    void vscode.window.showInformationMessage(line, ...(lines.length === 0 ? [] : ["Details"])).then((answer) => {
      if (answer === "Details") void Effect.runPromise(Effect.ignore(showDetails(line, lines)))
    })
  })
