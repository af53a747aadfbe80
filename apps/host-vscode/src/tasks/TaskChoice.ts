/** The task that a command is about: the row it was used on, else the one that the person picks by its title. */
import { TaskActions, TaskStore, TaskText } from "@belay/interaction/tasks"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { chosen, type Dismissed, type EditorError, Refusal } from "../vscode/Bridge.ts"
import * as IconText from "../vscode/IconText.ts"
import * as TaskItem from "./TaskItem.ts"

interface Pick extends vscode.QuickPickItem {
  readonly entry: TaskStore.Entry
}

const pickOf = (entry: TaskStore.Entry): Pick =>
  IconText.row({
    entry,
    label: TaskText.titleOf(entry),
    description: TaskText.stateOf(entry),
    iconPath: TaskItem.iconOf(entry)
  })

export interface Question {
  /** Such as `Stop which task?` */
  readonly title: string
  /** Such as `No task runs here.` */
  readonly none: string
  readonly fits: (entry: TaskStore.Entry) => boolean
  /** The id of the task that stands first. */
  readonly first?: string | undefined
}

/** Tasks to which a choice is open. */
export const allows =
  (choice: TaskActions.Choice) =>
  (entry: TaskStore.Entry): boolean =>
    TaskActions.of(entry).includes(choice)

/** A task that is finished is looked for less. */
const isOver = ({ text: { state } }: TaskStore.Entry): number => (ends.has(state) ? 1 : 0)

const ends: ReadonlySet<string> = new Set(["done", "failed", "cancelled"])

/** Those that are open first, the last changed first. Errors: `Refusal` when there is none that fits. */
export const pick = (
  question: Question
): Effect.Effect<TaskStore.Entry, Dismissed | EditorError | Refusal, TaskStore.TaskStore> =>
  Effect.gen(function* () {
    const { entries } = (yield* TaskStore.TaskStore).now()
    const fitting = [...entries.values()]
      .filter(question.fits)
      .toSorted((left, right) => isOver(left) - isOver(right) || right.node.row.updatedAt - left.node.row.updatedAt)
    if (fitting.length === 0) return yield* new Refusal({ line: question.none })
    const isFirst = (entry: TaskStore.Entry): boolean => TaskStore.idOf(entry) === question.first
    const picks = [...fitting.filter(isFirst), ...fitting.filter((entry) => !isFirst(entry))].map(pickOf)
    const options = { title: question.title, matchOnDescription: true }
    const { entry } = yield* chosen((token) => vscode.window.showQuickPick(picks, options, token))
    return entry
  })

/** `given`: the element of the row, which is the id of a task, or of an ask of one. */
export const of = (given: unknown, question: Question) =>
  Effect.gen(function* () {
    if (typeof given !== "string") return yield* pick(question)
    const board = yield* TaskStore.TaskStore
    const asks = ({ node }: TaskStore.Entry): boolean => node.openAsks.some(({ askId }) => askId === given)
    const entry = TaskId.isTaskId(given) ? yield* board.find(given) : [...board.now().entries.values()].find(asks)
    return entry ?? (yield* new Refusal({ line: "This task is not there any more. It may have been deleted." }))
  })
