/** Stop, Stop all: at once, without a question, because a stop is not a loss. */
import { TaskActions, TaskStore, TaskTrees } from "@belay/interaction/tasks"
import { Copy } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { chosen, command } from "../../vscode/Bridge.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"
import { stopped } from "../../tasks/TaskStop.ts"

/** ms that the sentence stays in the status bar. */
const shownFor = 10_000

const canStop = (entry: TaskStore.Entry): boolean => TaskActions.of(entry).some((choice) => choice.startsWith("stop"))

const stopOne = (given: unknown) =>
  Effect.gen(function* () {
    const entry = yield* TaskChoice.of(given, { title: "Stop which task?", none: "No task runs here.", fits: canStop })
    const [, ...below] = TaskTrees.withBelow(entry, (yield* TaskStore.TaskStore).now())
    const n = below.filter(({ node }) => !["completed", "interrupted"].includes(node.row.record.status)).length
    yield* stopped(entry)
    vscode.window.setStatusBarMessage(Copy.stopTree({ task: entry.node.row.meta.title, n }), shownFor)
  })

export const stop = command("belay.stop", stopOne)

/** The same, under the name that says what goes with it. */
export const stopTree = command("belay.stopTree", stopOne)

/** Asks once, with the number. */
export const stopAll = command("belay.stopAll", () =>
  Effect.gen(function* () {
    const board = yield* TaskStore.TaskStore
    const running = board.now().roots.filter(canStop)
    if (running.length === 0) return
    const options = { modal: true, detail: "Nothing is lost: each can be resumed." }
    const title = running.length === 1 ? "Stop 1 task?" : `Stop ${running.length} tasks?`
    yield* chosen(() => vscode.window.showWarningMessage(title, options, "Stop all"))
    yield* Effect.forEach(running, stopped, { concurrency: "unbounded" })
  })
)
