/**
 * What waits for a person, of every task and window, oldest first, one line each; and the badge that counts it.
 *
 * An element is the id of an ask, or of a row below it. A row is answered by its buttons or its menu, never by a key that selects it.
 */
import { OpenAsks, TaskStore, TaskText } from "@belay/interaction/tasks"
import type { TaskHistory } from "@belay/history-store"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as vscode from "vscode"
import * as AskItem from "./AskItem.ts"
import * as Attention from "./Attention.ts"
import { Bridge, scoped, tree } from "../vscode/Bridge.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const board = yield* TaskStore.TaskStore
    const { views } = yield* Bridge
    const changed = yield* scoped(() => new vscode.EventEmitter<undefined>())
    const context = yield* Effect.context<TaskHistory>()
    const details = new Map<string, vscode.TreeItem>()
    const openOf = (element: string) => OpenAsks.all(board.now()).find(({ ask }) => ask.askId === element)
    const detailsOf = async (element: string) => {
      const open = openOf(element)
      const items = open === undefined ? [] : await Effect.runPromiseWith(context)(AskItem.details(open))
      return items.map((item) => {
        const id = String(item.id)
        details.set(id, item)
        return id
      })
    }
    let shown = ""
    const look = (): void => {
      const asks = OpenAsks.all(board.now())
      const now = JSON.stringify(
        asks.map((open) => [
          open.ask.askId,
          AskItem.contextValue(open),
          OpenAsks.pathOf(open.entry),
          TaskText.titleOf(open.entry)
        ])
      )
      if (now === shown) return
      shown = now
      details.clear()
      const waiting = new Set(asks.map(({ entry }) => TaskStore.idOf(entry))).size
      Attention.show(views["belay.needsYou"], waiting)
      changed.fire(undefined)
    }
    look()
    board.listen(look)
    yield* tree("belay.needsYou", {
      onDidChangeTreeData: changed.event,
      getChildren: (element) =>
        element === undefined ? OpenAsks.all(board.now()).map(({ ask }) => ask.askId) : detailsOf(element),
      getTreeItem: (element) => {
        const open = openOf(element)
        return open === undefined ? (details.get(element) ?? new vscode.TreeItem("Answered")) : AskItem.of(open)
      },
      getParent: (element) => (element.includes("/") ? element.slice(0, element.indexOf("/")) : undefined)
    })
  })
)
