/** Copy id, Copy link. A link opens the task in the editor that it is given to, and does nothing else. */
import { TaskStore } from "@belay/interaction/tasks"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { command, perform } from "../../vscode/Bridge.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"
import * as TaskLink from "../../tasks/TaskLink.ts"

const copying = (title: string, textOf: (entry: TaskStore.Entry) => string) => (given: unknown) =>
  Effect.flatMap(TaskChoice.of(given, { title, none: "There are no tasks yet.", fits: () => true }), (entry) =>
    perform(() => vscode.env.clipboard.writeText(textOf(entry)))
  )

export const copyId = command("belay.copyId", copying("Copy the id of which task?", TaskStore.idOf))

export const copyLink = command(
  "belay.copyLink",
  copying("Copy the link of which task?", (entry) => TaskLink.of(TaskStore.idOf(entry)))
)
