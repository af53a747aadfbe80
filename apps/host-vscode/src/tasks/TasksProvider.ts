/**
 * The tree of all tasks: subtasks under their parents, roots in groups by what they need and when they last changed.
 *
 * An element is the id of a task or of a group, so selection and expansion stay with it. A change names the elements
 * that look different; everything is fetched anew only when a group comes or goes, or the selected task changes its group.
 * Beside its title stands the machine whose tasks these are, where that is not the one in front of the person.
 */
import { TaskGroups, TaskStore, TaskText } from "@belay/interaction/tasks"
import { TaskHistory } from "@belay/history-store"
import { Words } from "@belay/interaction"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { hostname } from "node:os"
import * as vscode from "vscode"
import { Bridge, scoped, tree } from "../vscode/Bridge.ts"
import { Filter } from "./Filter.ts"
import * as TaskItem from "./TaskItem.ts"
import * as TaskTooltip from "./TaskTooltip.ts"

const more = "more"

const moreItem = (): vscode.TreeItem => {
  const item = new vscode.TreeItem("Load 100 more")
  item.id = more
  item.command = { command: "belay.loadMore", title: "Load 100 more" }
  return item
}

const groupItem = ({ id, label, more: others, roots, unreadable }: TaskGroups.Group): vscode.TreeItem => {
  const folded = id === "older" || id === "week"
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState
  const count = `${roots.length + unreadable.length}${others ? "+" : ""}`
  const item = new vscode.TreeItem(`${label} (${count})`, folded ? Collapsed : Expanded)
  item.id = id
  item.contextValue = " group "
  return item
}

/** What the tree shows of one reading. */
interface Shown extends TaskStore.Snapshot {
  readonly groups: ReadonlyArray<TaskGroups.Group>
}

const childrenOf = (shown: Shown, element: string | undefined): ReadonlyArray<string> => {
  if (element === undefined) return shown.groups.map(({ id }) => id)
  const group = shown.groups.find(({ id }) => id === element)
  if (group !== undefined)
    return [...group.unreadable, ...group.roots.map(TaskStore.idOf), ...(group.more ? [more] : [])]
  const node = shown.entries.get(element)?.node
  return [...(node?.row.unreadable ?? []), ...(node?.children ?? []).map(({ row }) => row.record.id)]
}

const besideOf = ({ answers, places }: TaskStore.Snapshot, element: string): TaskText.Beside => ({
  answer: answers.get(element),
  place: places.get(element)
})

const isBesideTheSame = (before: TaskStore.Snapshot, now: TaskStore.Snapshot, element: string): boolean =>
  before.places.get(element) === now.places.get(element) && before.answers.get(element) === now.answers.get(element)

const itemOf = (shown: Shown, element: string): vscode.TreeItem => {
  if (element === more) return moreItem()
  const group = shown.groups.find(({ id }) => id === element)
  if (group !== undefined) return groupItem(group)
  const entry = shown.entries.get(element)
  return entry === undefined ? TaskItem.unreadable(element) : TaskItem.of(entry, besideOf(shown, element))
}

/** What of an element a person can see, and what is below it. */
const lookOf = (shown: Shown, element: string): string => {
  const { accessibilityInformation, collapsibleState, contextValue, description, iconPath, label } = itemOf(
    shown,
    element
  )
  const item = [label, description, iconPath, contextValue, collapsibleState, accessibilityInformation?.label]
  return JSON.stringify([...item, ...childrenOf(shown, element)])
}

/** The elements to name for a change; undefined names all. Trees that were not read anew look as before. */
const changes = (before: Shown, now: Shown): ReadonlyArray<string> | undefined => {
  if (String(childrenOf(before, undefined)) !== String(childrenOf(now, undefined))) return undefined
  const suspects = [...now.entries].flatMap(([id, entry]) =>
    before.entries.has(id) && (before.entries.get(id) !== entry || !isBesideTheSame(before, now, id)) ? [id] : []
  )
  const groups = now.groups.map(({ id }) => id)
  return [...groups, ...suspects].filter((element) => lookOf(before, element) !== lookOf(now, element))
}

/** The elements that have something below them for the first time. */
const grown = (before: Shown, now: Shown): ReadonlyArray<string> =>
  [...now.entries].flatMap(([id, entry]) => {
    const known = before.entries.get(id)
    return known !== undefined &&
      known !== entry &&
      known.node.children?.length === 0 &&
      entry.node.children?.length !== 0
      ? [id]
      : []
  })

/** The group of a root task. */
const groupOf = ({ groups }: Shown, root: string): string | undefined =>
  groups.find(({ roots }) => roots.some((entry) => TaskStore.idOf(entry) === root))?.id

/** Whether an element is in another group than before. */
const moved = (before: Shown, now: Shown, element: string): boolean => {
  const root = now.entries.get(element)?.rootId
  return root !== undefined && groupOf(before, root) !== groupOf(now, root)
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const board = yield* TaskStore.TaskStore
    const filter = yield* Filter
    const { views } = yield* Bridge
    const clock = yield* Clock.Clock
    const context = yield* Effect.context<TaskHistory>()
    const { notice } = yield* TaskHistory
    const changed = yield* scoped(() => new vscode.EventEmitter<Array<string> | undefined>())
    const view = views["belay.tasks"]
    if (notice !== null) view.message = notice
    if (vscode.env.remoteName !== undefined) view.description = Words.printable(hostname())

    const look = (): Shown => {
      const snapshot = board.now()
      return { ...snapshot, groups: TaskGroups.of(snapshot, clock.currentTimeMillisUnsafe(), filter.text()) }
    }
    const reveal = (element: string, options: Parameters<typeof view.reveal>[1]): void => {
      if (view.visible) void view.reveal(element, options).then(undefined, () => undefined)
    }
    let shown = look()
    const update = (): void => {
      const before = shown
      const [selected] = view.selection
      shown = look()
      // The editor forgets selection and focus of a row that leaves its parent, unless everything is fetched anew.
      const leaves = selected !== undefined && moved(before, shown, selected)
      const named = leaves ? undefined : changes(before, shown)
      if (named === undefined || named.length > 0) changed.fire(named === undefined ? undefined : [...named])
      // The editor keeps a row folded that had nothing below it.
      for (const element of grown(before, shown)) {
        reveal(element, { select: false, focus: false, expand: true })
      }
    }
    board.listen(update)
    filter.listen(update)

    yield* tree("belay.tasks", {
      onDidChangeTreeData: changed.event,
      getChildren: (element) => [...childrenOf(shown, element)],
      getTreeItem: (element) => itemOf(shown, element),
      getParent: (element) => {
        const parent = shown.entries.get(element)?.parent
        if (parent !== undefined) return TaskStore.idOf(parent)
        return shown.groups.find(
          ({ id, roots }) => id !== element && roots.some((root) => TaskStore.idOf(root) === element)
        )?.id
      },
      resolveTreeItem: (item, element) => {
        const entry = shown.entries.get(element)
        if (entry === undefined) return item
        return Effect.runPromiseWith(context)(
          TaskTooltip.of(entry).pipe(
            Effect.map((tooltip) => Object.assign(item, { tooltip })),
            Effect.catch(() => Effect.succeed(item))
          )
        )
      }
    })
  })
)
