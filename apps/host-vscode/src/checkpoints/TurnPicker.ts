/** Which of the turns that changed files is meant. */
import { TaskStore, TaskText } from "@belay/interaction/tasks"
import { type History, TaskHistory } from "@belay/history-store"
import { Words } from "@belay/interaction"
import * as Restoring from "@belay/task-engine/unstable/restoring"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as vscode from "vscode"
import { chosen, Refusal } from "../vscode/Bridge.ts"
import * as IconText from "../vscode/IconText.ts"
import * as TaskChoice from "../tasks/TaskChoice.ts"

/** `14:01`, where the person is. */
export const timeOf = (ms: number): string =>
  new Date(ms).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" })

export const filesText = (count: number): string => `${count} file${count === 1 ? "" : "s"}`

export interface Chosen {
  readonly entry: TaskStore.Entry
  readonly row: History.TaskRow
  readonly turn: Restoring.Turn
}

/** A task as it is stored now. */
export const rowOf = (entry: TaskStore.Entry) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.row(TaskStore.idOf(entry))),
    Option.getOrElse(() => entry.node.row)
  )

/** The turns that changed files, and can be compared or taken back. */
export const turnsOf = Restoring.turns

/** `given`: the row that the command was used on. The newest turn stands first. */
export const choose = (given: unknown, question: string, placeHolder: string) =>
  Effect.gen(function* () {
    const entry = yield* TaskChoice.of(given, { title: question, none: "There is no task.", fits: () => true })
    const title = TaskText.titleOf(entry)
    const row = yield* rowOf(entry)
    const turns = yield* turnsOf(row)
    if (turns.length === 0) {
      return yield* new Refusal({ line: `"${title}" has no checkpoint: it has changed no files, or they are off.` })
    }
    const prompts = yield* (yield* TaskHistory).outline(row.record.id)
    const saidBefore = (to: number): string => prompts.findLast(({ messageIndex }) => messageIndex <= to)?.text ?? ""
    const picks = turns.toReversed().map((turn) => ({
      turn,
      label: `$(history) ${timeOf(turn.before.at)}`,
      description: `${filesText(turn.after.files)} changed`,
      detail: IconText.plain(Words.printable(saidBefore(turn.to)))
    }))
    const { turn } = yield* chosen((token) => vscode.window.showQuickPick(picks, { title, placeHolder }, token))
    return { entry, row, turn } satisfies Chosen
  })
