/** Export: a task's conversation as Markdown, or its record and events as JSON, into a file that the person names. */
import { TaskExport } from "@belay/interaction/unstable/feed"
import { TaskText } from "@belay/interaction/tasks"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as vscode from "vscode"
import { chosen, command, perform } from "../../vscode/Bridge.ts"
import { redaction } from "../../vscode/Redaction.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"

/** Gives the file. */
export const exportTask = command("belay.exportTask", (given) =>
  Effect.gen(function* () {
    const entry = yield* TaskChoice.of(given, {
      title: "Export which task?",
      none: "There are no tasks yet.",
      fits: () => true
    })
    const name = path.join(entry.node.row.meta.workspace, `${TaskExport.fileName(entry)}.md`)
    const file = yield* chosen(() =>
      vscode.window.showSaveDialog({
        title: `Export "${TaskText.titleOf(entry)}"`,
        saveLabel: "Export",
        defaultUri: vscode.Uri.file(name),
        filters: { "Markdown, to read": ["md"], "JSON, every event": ["json"] }
      })
    )
    const text = redaction.text(yield* TaskExport.text(entry, file.path.endsWith(".json") ? "json" : "markdown"))
    yield* perform(() => vscode.workspace.fs.writeFile(file, Buffer.from(text, "utf8")))
    return file
  })
)
