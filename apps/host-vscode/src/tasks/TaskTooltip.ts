/** What a row says when a person rests on it: read then and not before; text only, without links that do something. */
import { TaskText, TaskTrees } from "@belay/interaction/tasks"
import { type HistoryError, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { TaskNode } from "@belay/task-engine/remote"
import { Copy, Words } from "@belay/interaction"
import { TaskRecord } from "@belay/task-state"
import * as Effect from "effect/Effect"
import { hostname } from "node:os"
import * as vscode from "vscode"

const moment = (ms: number): string => new Date(ms).toLocaleString()

const byPeople = new Set<string>(["user", "task", "user.refusal"])

/** What somebody has said: nothing of what the model is told beside. */
const wordsOf = (message: Message.Message): string =>
  message.role === "assistant"
    ? Message.textOf(message)
    : message.content
        .flatMap((block, at) =>
          block.type === "text" && byPeople.has(Message.originOf(message, at)) ? [block.text] : []
        )
        .join("\n")

/** The last line that was said. */
const lastLine = (entry: TaskTrees.Entry): Effect.Effect<string, HistoryError.HistoryError, TaskHistory> =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.messages(TaskTrees.idOf(entry))),
    (messages) => {
      const said = messages.map((message) => wordsOf(message).trim()).findLast((text) => text !== "")
      return said?.split("\n").at(-1)?.trim() ?? ""
    }
  )

const waitsFor = ({ node }: TaskTrees.Entry): string => {
  const awaited = new Set<string>(TaskRecord.awaitedIds(node.row.record))
  const titles = (node.children ?? []).filter(({ row }) => awaited.has(row.record.id)).map(({ row }) => row.meta.title)
  return titles.map((title) => `"${title}"`).join(", ")
}

const cost = ({ node }: TaskTrees.Entry): string => {
  const own = Words.money(node.row.usage.costUsd)
  return (node.children ?? []).length === 0 ? own : `${own}, ${Words.money(TaskNode.usage(node).costUsd)} with subtasks`
}

export const of = (
  entry: TaskTrees.Entry
): Effect.Effect<vscode.MarkdownString, HistoryError.HistoryError, TaskHistory> =>
  Effect.map(lastLine(entry), (said) => {
    const { createdAt, meta, updatedAt } = entry.node.row
    const facts = [
      ["State", TaskText.stateOf(entry)],
      ["Mode", Words.modes[meta.mode]],
      ["Phase", meta.mode === "plan" && meta.planning !== undefined ? Copy.planning(meta.planning) : ""],
      ["Model", meta.model],
      ["Folder", meta.workspace],
      ["Machine", vscode.env.remoteName === undefined ? "" : hostname()],
      ["Cost", cost(entry)],
      ["Waits for", waitsFor(entry)],
      ["Started", moment(createdAt)],
      ["Changed", moment(updatedAt)],
      ["Last", said]
    ] as const
    const text = new vscode.MarkdownString()
    text.appendMarkdown("**").appendText(TaskText.titleOf(entry)).appendMarkdown("**\n\n")
    for (const [name, value] of facts) {
      if (value !== "") text.appendMarkdown(`${name}: `).appendText(Words.printable(value)).appendMarkdown("  \n")
    }
    return text
  })
