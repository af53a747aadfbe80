/** Compare: what has changed since a turn of a task began, every file in one editor. */
import { Checkpoints } from "@belay/checkpoints"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as vscode from "vscode"
import { command, perform, Refusal } from "../Bridge.ts"
import { RecordedFiles } from "../RecordedFiles.ts"
import * as TaskItem from "../TaskItem.ts"
import * as TurnPicker from "../TurnPicker.ts"

export const compareCheckpoint = command("belay.compareCheckpoint", (given) =>
  Effect.gen(function* () {
    const question = "Compare the files of which task?"
    const { entry, row, turn } = yield* TurnPicker.choose(given, question, "Compare now with before which turn?")
    const { uri } = yield* RecordedFiles
    const checkpoints = yield* Checkpoints
    const place = { taskId: row.record.id, workspace: row.meta.workspace }
    const changes = yield* checkpoints.compare({ ...place, from: turn.before.id, to: "now" })
    const since = TurnPicker.timeOf(turn.before.at)
    if (changes.length === 0) return yield* new Refusal({ line: `Nothing has changed since ${since}.` })
    const resources = changes.map(({ from, path: name, to }) => {
      const file = vscode.Uri.file(path.join(place.workspace, name))
      return [file, from === undefined ? undefined : uri(place, name, from.blob), to === undefined ? undefined : file]
    })
    const title = `${TaskItem.titleOf(entry)} (${since} ↔ now)`
    yield* perform(() => vscode.commands.executeCommand("vscode.changes", title, resources))
  })
)
