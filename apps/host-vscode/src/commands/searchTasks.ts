/**
 * Search tasks: the titles of every task of the history, the last changed first; Filter tasks: the tree alone.
 *
 * The history is read page by page while the person types, columns only.
 */
import { type History, TaskHistory } from "@belay/history-store"
import { StateText, TaskNode } from "@belay/task-engine/outside"
import { Words } from "@belay/task-engine/protocol"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as vscode from "vscode"
import { chosen, command, perform, scoped } from "../Bridge.ts"
import { Filter } from "../Filter.ts"

/** Rows that are read at once, and rows that are shown at once. */
const page = 500
const shown = 50

interface Hit extends vscode.QuickPickItem {
  readonly id?: string
  readonly title: string
}

const more: Hit = { label: "$(ellipsis) 50 more", alwaysShow: true, title: "" }

const hitOf = (node: TaskNode.TaskNode, me: string, now: number): Hit => {
  const { meta, record, updatedAt, usage } = node.row
  const title = Words.printable(meta.title)
  const text = StateText.of(node, me)
  const facts = [text.label, Words.money(usage.costUsd), `${Words.age(now - updatedAt)} ago`]
  return {
    id: record.id,
    title: title.toLowerCase(),
    label: title,
    description: [`$(folder) ${Words.printable(path.basename(meta.workspace))}`, ...facts].join(" · "),
    iconPath: new vscode.ThemeIcon(text.sign.codiconStill ?? text.sign.codicon),
    // The editor's own filter would hide what ours has found.
    alwaysShow: true
  }
}

/** Every word that was typed is in the title, in any order. */
const matching = (hits: ReadonlyArray<Hit>, text: string): ReadonlyArray<Hit> => {
  const words = text.toLowerCase().split(/\s+/)
  return hits.filter(({ title }) => words.every((word) => title.includes(word)))
}

/** All tasks as far as they were read; each page is told. */
const reading = (hits: Array<Hit>, told: () => void) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const now = yield* Clock.currentTimeMillis
    let query: History.Query | undefined = { limit: page }
    while (query !== undefined) {
      const { nextCursor, rows }: History.Page = yield* history.list(query)
      for (const row of rows) hits.push(hitOf(yield* TaskNode.single(row), history.me, now))
      told()
      query = nextCursor === undefined ? undefined : { limit: page, cursor: nextCursor }
    }
  })

const search = Effect.gen(function* () {
  const hits: Array<Hit> = []
  const pick = yield* scoped(() => vscode.window.createQuickPick<Hit>())
  let limit = shown
  const show = (): void => {
    const found = matching(hits, pick.value)
    pick.items = found.length > limit ? [...found.slice(0, limit), more] : found
    pick.title =
      found.length === 0 && !pick.busy ? `No task matches "${pick.value}". Titles were searched.` : "Search tasks"
  }
  pick.placeholder = "A part of a title"
  pick.busy = true
  yield* scoped(() =>
    pick.onDidChangeValue(() => {
      limit = shown
      show()
    })
  )
  pick.show()
  const read = Effect.ensuring(
    reading(hits, show),
    Effect.sync(() => {
      pick.busy = false
      show()
    })
  )
  yield* Effect.forkScoped(read)
  return yield* chosen(
    () =>
      new Promise<string | undefined>((resolve) => {
        pick.onDidHide(() => resolve(undefined))
        pick.onDidAccept(() => {
          const [hit] = pick.selectedItems
          if (hit === more) {
            limit += shown
            show()
          } else if (hit?.id !== undefined) resolve(hit.id)
        })
      })
  )
}).pipe(Effect.scoped)

export const searchTasks = command("belay.searchTasks", () =>
  Effect.flatMap(search, (id) => perform(() => vscode.commands.executeCommand("belay.openTask", id)))
)

export const filterTasks = command("belay.filterTasks", () =>
  Effect.gen(function* () {
    const filter = yield* Filter
    const options = {
      title: "Show the tasks with this in their title",
      prompt: "Empty shows all",
      value: filter.text()
    }
    filter.set(yield* chosen((token) => vscode.window.showInputBox(options, token)))
  })
)

export const clearFilter = command("belay.clearFilter", () => Effect.map(Filter, (filter) => filter.set("")))
