/** What a turn of a task changed, or what has changed since: every file in one editor, with both of its sides. */
import { TaskText } from "@belay/interaction/tasks"
import { type Checkpoint, Checkpoints } from "@belay/checkpoints"
import type { History } from "@belay/history-store"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as vscode from "vscode"
import { perform, Refusal } from "../vscode/Bridge.ts"
import { RecordedFiles } from "./RecordedFiles.ts"
import * as TurnPicker from "./TurnPicker.ts"

/** Errors: `Refusal` when there is no difference. */
export const show = (
  { entry, row }: Pick<TurnPicker.Chosen, "entry" | "row">,
  from: Checkpoint,
  to: Checkpoint | "now"
) =>
  Effect.gen(function* () {
    const { uri } = yield* RecordedFiles
    const checkpoints = yield* Checkpoints
    const place = { taskId: row.record.id, workspace: row.meta.workspace }
    const changes = yield* checkpoints.compare({ ...place, from: from.id, to: to === "now" ? to : to.id })
    const since = TurnPicker.timeOf(from.at)
    if (changes.length === 0) return yield* new Refusal({ line: `Nothing has changed since ${since}.` })
    const resources = changes.map(({ from: before, path: name, to: after }) => {
      const file = vscode.Uri.file(path.join(place.workspace, name))
      const recorded = (side: { readonly blob: string } | undefined) =>
        side === undefined ? undefined : uri(place, name, side.blob)
      return [file, recorded(before), after !== undefined && to === "now" ? file : recorded(after)]
    })
    const until = to === "now" ? to : TurnPicker.timeOf(to.at)
    const title = `${TaskText.titleOf(entry)} (${since} ↔ ${until})`
    yield* perform(() => vscode.commands.executeCommand("vscode.changes", title, resources))
  })

/** The checkpoints of a turn, by the message of its calls. Errors: `Refusal` when they are not kept any more. */
export const ofTurn = (row: History.TaskRow, message: number) =>
  Effect.flatMap(TurnPicker.turnsOf(row), (turns) => {
    const found = turns.find(({ after }) => after.messageIndex === message)
    const line = "This checkpoint is not kept any more. Choose a later one."
    return found === undefined ? Effect.fail(new Refusal({ line })) : Effect.succeed(found)
  })
