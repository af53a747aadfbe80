/** An ask as a row: what will happen, in one line; below it, one row for each thing a person should know. */
import { AskFacts, OpenAsks, TaskActions, TaskStore } from "@belay/interaction/tasks"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import * as TaskItem from "../tasks/TaskItem.ts"

/**
 * Words with blanks around them, so that a menu's pattern finds whole words. Only a task that somebody runs can be told
 * yes or no: one that stopped asks again when it goes on. A question takes its answer either way.
 */
export const contextValue = (open: OpenAsks.Open): string => {
  const state = OpenAsks.isLive(open) ? "live" : "stopped"
  const resume = TaskActions.of(open.entry).includes("resume") ? "resume " : ""
  return ` ask ${open.ask.kind} ${state} ${OpenAsks.isEdit(open) ? "edit " : ""}${resume}`
}

/** What goes on in a further line is indented, so that it passes for no other fact. */
const sentence = ({ facts, heading }: AskFacts.Facts): string =>
  [heading, ...facts.map(({ label, text }) => `${label}: ${text.replaceAll("\n", "\n    ")}`)].join("\n")

export const of = (open: OpenAsks.Open): vscode.TreeItem => {
  const { ask, entry } = open
  const known = AskFacts.of(ask, entry.node.row.meta.workspace)
  const item = new vscode.TreeItem(known.heading, vscode.TreeItemCollapsibleState.Collapsed)
  item.id = ask.askId
  item.description = OpenAsks.placeOf(open)
  item.iconPath = TaskItem.iconOf(entry)
  item.contextValue = contextValue(open)
  item.accessibilityInformation = { label: `Needs you: ${known.heading}, in ${item.description}` }
  // Plain text: nothing in it is a link, a picture or a command.
  item.tooltip = sentence(known)
  item.command = { command: "belay.openTask", title: "Open", arguments: [TaskStore.idOf(entry)] }
  return item
}

/** The rows below it, what the model says as the last. */
export const details = (open: OpenAsks.Open) =>
  Effect.map(OpenAsks.factsOf(open), ({ facts }) =>
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
