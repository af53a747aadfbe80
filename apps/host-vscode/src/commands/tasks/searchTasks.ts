/**
 * Search tasks: by the words of titles and messages, narrowed by prefixes; Filter tasks: the tree alone.
 *
 * What is listed follows the history, whoever changes it.
 */
import { Search, TaskHistory } from "@belay/history-store"
import { Copy, Words } from "@belay/interaction"
import { StateText, TaskStore } from "@belay/interaction/tasks"
import { TaskNode } from "@belay/task-engine/remote"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as path from "node:path"
import * as vscode from "vscode"
import { chosen, command, events, perform, scoped } from "../../vscode/Bridge.ts"
import { Filter } from "../../tasks/Filter.ts"
import * as IconText from "../../vscode/IconText.ts"
import { redaction } from "../../vscode/Redaction.ts"
import * as Searching from "../../vscode/Searching.ts"

/** Rows that are shown at once. */
const page = 50

interface Row extends vscode.QuickPickItem {
  readonly hit?: Search.Hit
  /** What the box has when it is chosen. */
  readonly value?: string
}

const openButton: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("go-to-file"), tooltip: "Open in editor" }
const resumeButton: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("debug-continue"), tooltip: "Resume" }

const more: Row = { label: "$(ellipsis) 50 more", alwaysShow: true }

const rowOf = (hit: Search.Hit, text: StateText.StateText, now: number): Row => {
  const { meta, updatedAt, usage } = hit.row
  const facts = [text.label, Words.money(usage.costUsd), `${Words.age(now - updatedAt)} ago`]
  const snippet = IconText.plain(Words.printable(hit.snippet))
  const folder = IconText.plain(Words.printable(path.basename(meta.workspace)))
  return {
    hit,
    label: IconText.plain(Words.printable(meta.title)),
    description: [`$(folder) ${folder}`, ...facts].join(" · "),
    ...(snippet === "" ? {} : { detail: snippet }),
    iconPath: new vscode.ThemeIcon(text.sign.codiconStill ?? text.sign.codicon),
    buttons: text.sign.action === "Resume" ? [resumeButton, openButton] : [openButton],
    // The editor's own filter would hide what ours has found.
    alwaysShow: true
  }
}

/** What a prefix at the end of the text can go on with. */
const completions = (text: string): ReadonlyArray<Row> => {
  const at = text.lastIndexOf(" ") + 1
  return Search.completions(text.slice(at)).map((word) => ({
    label: `$(filter) ${word}`,
    value: `${text.slice(0, at)}${word}`,
    alwaysShow: true
  }))
}

const titleOf = (text: string, { covered, hits, total }: Search.Found): string => {
  const progress = covered < total ? Copy.searchCovers({ covered, total }) : undefined
  // One that is being typed goes on.
  const [wrong] = completions(text).length === 0 ? Search.misread(text) : []
  const none =
    wrong !== undefined
      ? `"${Words.printable(wrong.part)}" is no filter: ${wrong.takes}`
      : text.trim() !== "" && hits.length === 0
        ? Copy.searchNone(text)
        : undefined
  return [none ?? "Search tasks", ...(progress === undefined ? [] : [progress])].join(" · ")
}

const rowsOf = ({ hits }: Search.Found) =>
  Effect.gen(function* () {
    const { me } = yield* TaskHistory
    const now = yield* Clock.currentTimeMillis
    return yield* Effect.forEach(hits, (hit) =>
      Effect.map(TaskNode.single(hit.row), (node) => rowOf(hit, StateText.of(node, me), now))
    )
  })

const search = Effect.gen(function* () {
  const history = yield* TaskHistory
  const board = yield* TaskStore.TaskStore
  const pick = yield* scoped(() => vscode.window.createQuickPick<Row>())
  let limit = page
  pick.title = "Search tasks"
  pick.placeholder = `Words of titles and messages, ${Search.prefixes.map((prefix) => `${prefix}:`).join(" ")}`

  let shown = ["", ""]
  /** The row that a person is at stays it, where nothing was typed; rows that are the same are left alone. */
  const show = (text: string, rows: ReadonlyArray<Row>): void => {
    const now = [text, JSON.stringify(rows.map(({ description, detail, label }) => [label, description, detail]))]
    const [active] = text === shown[0] ? pick.activeItems : []
    if (now.join() === shown.join()) return
    shown = now
    pick.items = rows
    const same = rows.find((row) => active?.hit !== undefined && row.hit?.row.record.id === active.hit.row.record.id)
    if (same !== undefined) pick.activeItems = [same]
  }

  /** Shows what is found, again as long as a further search covers more. */
  const find = (text: string) =>
    Effect.gen(function* () {
      pick.busy = true
      for (let before = -1; ;) {
        const found = redaction.deep(yield* history.search(Search.parse(text), limit))
        pick.title = titleOf(text, found)
        show(text, [...completions(text), ...(yield* rowsOf(found)), ...(found.more ? [more] : [])])
        if (found.covered === found.total || found.covered === before) break
        before = found.covered
      }
      pick.busy = false
    })

  const typed = events(pick.onDidChangeValue).pipe(Stream.tap(() => Effect.sync(() => (limit = page))))
  const again = yield* scoped(() => new vscode.EventEmitter<string>())
  yield* scoped(() => board.listen(() => again.fire(pick.value)))
  yield* Effect.forkScoped(Searching.follow({ typed, again: events(again.event), find }))
  pick.show()
  return yield* chosen(
    () =>
      new Promise<{ readonly command: string; readonly hit: Search.Hit } | undefined>((resolve) => {
        pick.onDidHide(() => resolve(undefined))
        pick.onDidTriggerItemButton(({ button, item: { hit } }) => {
          if (hit === undefined) return
          resolve({ command: button === resumeButton ? "belay.resume" : "belay.openTaskInEditor", hit })
        })
        pick.onDidAccept(() => {
          const [row] = pick.selectedItems
          if (row?.hit !== undefined) return resolve({ command: "belay.openTask", hit: row.hit })
          if (row === more) limit += page
          else if (row?.value !== undefined) pick.value = row.value
          again.fire(pick.value)
        })
      })
  )
}).pipe(Effect.scoped)

export const searchTasks = command("belay.searchTasks", () =>
  Effect.flatMap(search, ({ command: name, hit: { messageIndex, row } }) =>
    perform(() => vscode.commands.executeCommand(name, row.record.id, messageIndex ?? undefined))
  )
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
