/**
 * What waits for a person, of every task and window, oldest first, one line each; and the badge that counts it.
 *
 * An element is the id of an ask, or of a row below it. A row is answered by its buttons or its menu, never by a key that selects it.
 */
import { type History, TaskHistory } from "@belay/history-store"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as vscode from "vscode"
import * as AskItem from "./AskItem.ts"
import * as Attention from "./Attention.ts"
import * as TaskStore from "../tasks/TaskStore.ts"
import { Bridge, scoped, tree } from "../vscode/Bridge.ts"
import * as TaskItem from "../tasks/TaskItem.ts"

export interface Open {
  readonly ask: History.Ask
  readonly entry: TaskStore.Entry
}

/** Ids grow with time, so their order is the order in which people were asked. */
export const openAsks = ({ entries }: TaskStore.Snapshot): ReadonlyArray<Open> =>
  [...entries.values()]
    .flatMap((entry) => entry.node.openAsks.map((ask) => ({ ask, entry })))
    .sort((left, right) => (left.ask.askId < right.ask.askId ? -1 : 1))

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const board = yield* TaskStore.TaskStore
    const { views } = yield* Bridge
    const changed = yield* scoped(() => new vscode.EventEmitter<undefined>())
    const context = yield* Effect.context<TaskHistory>()
    const details = new Map<string, vscode.TreeItem>()
    const openOf = (element: string) => openAsks(board.now()).find(({ ask }) => ask.askId === element)
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
      const asks = openAsks(board.now())
      const now = JSON.stringify(
        asks.map((open) => [
          open.ask.askId,
          AskItem.contextValue(open),
          AskItem.pathOf(open.entry),
          TaskItem.titleOf(open.entry)
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
        element === undefined ? openAsks(board.now()).map(({ ask }) => ask.askId) : detailsOf(element),
      getTreeItem: (element) => {
        const open = openOf(element)
        return open === undefined ? (details.get(element) ?? new vscode.TreeItem("Answered")) : AskItem.of(open)
      },
      getParent: (element) => (element.includes("/") ? element.slice(0, element.indexOf("/")) : undefined)
    })
  })
)
