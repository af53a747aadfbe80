/** Try the demo: a real task in a new folder of its own, with a script as the model; no key, no network. */
import * as Effect from "effect/Effect"
import { Folder } from "@belay/machine"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import * as vscode from "vscode"
import { command, EditorError, perform } from "../../vscode/Bridge.ts"
import { TaskRunner } from "../../tasks/TaskRunner.ts"
import * as DemoModel from "../../settings/DemoModel.ts"
import { ShownTask } from "../../tasks/ShownTask.ts"

const folder = Effect.try({
  try: () => Folder.canonical(mkdtempSync(path.join(tmpdir(), "belay-demo-"))),
  catch: (cause) => new EditorError({ cause })
})

export const demo = command("belay.demo", () =>
  Effect.gen(function* () {
    const runner = yield* TaskRunner
    const workspace = yield* folder
    const id = yield* runner.start({ prompt: DemoModel.prompt, workspace, mode: "act", model: DemoModel.name })
    const shown = yield* ShownTask
    shown.show(id)
    yield* perform(() => vscode.commands.executeCommand("belay.tasks.focus"))
    return id
  })
)
