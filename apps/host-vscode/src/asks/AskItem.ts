/** An ask as a row: what will happen, in one line; below it, one row for each thing a person should know. */
import { TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { TaskNode } from "@belay/task-engine/outside"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import * as AskFacts from "./AskFacts.ts"
import * as TaskStore from "../tasks/TaskStore.ts"
import * as TaskActions from "../tasks/TaskActions.ts"
import type { Open } from "./NeedsYouProvider.ts"
import * as TaskItem from "../tasks/TaskItem.ts"

/** Somebody runs its task, so it can be told yes or no. */
export const isLive = ({ entry }: Open): boolean => TaskNode.isAlive(entry.node)

/** It asks for changes of files that can be reviewed. */
export const isEdit = ({ ask }: Open): boolean => ask.kind === "approval" && ask.payload.edits !== undefined

/**
 * Words with blanks around them, so that a menu's pattern finds whole words. Only a task that somebody runs can be told
 * yes or no: one that stopped asks again when it goes on. A question takes its answer either way.
 */
export const contextValue = (open: Open): string => {
  const state = isLive(open) ? "live" : "stopped"
  const resume = TaskActions.of(open.entry).includes("resume") ? "resume " : ""
  return ` ask ${open.ask.kind} ${state} ${isEdit(open) ? "edit " : ""}${resume}`
}

/** What the view of a task asks: its own, and the limit of a task above that has stopped it. */
export const shownIn = (entry: TaskStore.Entry): ReadonlyArray<Open> => {
  const own = entry.node.openAsks.map((ask) => ({ ask, entry }))
  const { record } = entry.node.row
  if (record.status !== "interrupted" || record.interruption.reason !== "budget" || own.length > 0) return own
  for (let up = entry.parent; up !== undefined; up = up.parent) {
    const ask = up.node.openAsks.find(({ kind }) => kind === "budget")
    if (ask !== undefined) return [{ ask, entry: up }]
  }
  return own
}

/** ` (subtask of Release 2.0 › Wire the CLI)`; nothing for a root. */
export const pathOf = (entry: TaskStore.Entry): string => {
  const above: Array<string> = []
  for (let up = entry.parent; up !== undefined; up = up.parent) above.unshift(TaskItem.titleOf(up))
  return above.length === 0 ? "" : ` (subtask of ${above.join(" › ")})`
}

/** What the model said when it asked. */
const said = ({ ask, entry }: Open) =>
  Effect.gen(function* () {
    if (ask.callId === null) return ""
    const messages = yield* (yield* TaskHistory).messages(entry.node.row.record.id)
    const asked = messages.findLast(({ content }) =>
      content.some((block) => block.type === "tool_use" && block.id === ask.callId)
    )
    return asked === undefined ? "" : Message.textOf(asked)
  }).pipe(Effect.orElseSucceed(() => ""))

/** Everything that is known of it. */
export const factsOf = (open: Open) =>
  Effect.map(said(open), (words) => AskFacts.of(open.ask, open.entry.node.row.meta.workspace, words))

/** `"Wire the CLI" (subtask of Release 2.0)` without the quotes. */
export const placeOf = ({ entry }: Open): string => `${TaskItem.titleOf(entry)}${pathOf(entry)}`

/** What goes on in a further line is indented, so that it passes for no other fact. */
const sentence = ({ facts, heading }: AskFacts.Facts): string =>
  [heading, ...facts.map(({ label, text }) => `${label}: ${text.replaceAll("\n", "\n    ")}`)].join("\n")

export const of = (open: Open): vscode.TreeItem => {
  const { ask, entry } = open
  const known = AskFacts.of(ask, entry.node.row.meta.workspace)
  const item = new vscode.TreeItem(known.heading, vscode.TreeItemCollapsibleState.Collapsed)
  item.id = ask.askId
  item.description = placeOf(open)
  item.iconPath = TaskItem.iconOf(entry)
  item.contextValue = contextValue(open)
  item.accessibilityInformation = { label: `Needs you: ${known.heading}, in ${item.description}` }
  // Plain text: nothing in it is a link, a picture or a command.
  item.tooltip = sentence(known)
  item.command = { command: "belay.openTask", title: "Open", arguments: [TaskStore.idOf(entry)] }
  return item
}

/** The rows below it, what the model says as the last. */
export const details = (open: Open) =>
  Effect.map(factsOf(open), ({ facts }) =>
    facts.map(({ label, text }, index) => {
      const item = new vscode.TreeItem(label)
      item.id = `${open.ask.askId}/${index}`
      item.description = text.replaceAll("\n", " ⏎ ")
      item.tooltip = `${label}\n${text}`
      item.contextValue = " fact "
      item.accessibilityInformation = { label: `${label}: ${text}` }
      return item
    })
  )
