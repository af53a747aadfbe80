/** Stop, Stop all: at once, without a question, because a stop is not a loss. */
import { TaskEngine } from "@belay/task-engine"
import { Interruption } from "@belay/task-engine/outside"
import { Copy } from "@belay/task-engine/protocol"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import * as Board from "../Board.ts"
import { chosen, command } from "../Bridge.ts"
import * as Choices from "../Choices.ts"
import { withBelow } from "../Forest.ts"
import * as Holders from "../Holders.ts"
import * as TaskChoice from "../TaskChoice.ts"
import * as TaskItem from "../TaskItem.ts"

/** ms that the sentence stays in the status bar. */
const shownFor = 10_000

/**
 * Stops a task with everything below it; what is stopped already stays as it is. Errors: `Refusal` when its process was
 * asked and has not confirmed.
 */
export const stopped = (entry: Board.Entry) =>
  Effect.gen(function* () {
    const id = Board.idOf(entry)
    const engine = yield* TaskEngine
    const { refresh } = yield* Board.Board
    const confirmed = yield* engine.running().has(id)
      ? Effect.as(engine.interrupt(id, "user"), true)
      : Interruption.interrupt(id)
    yield* refresh
    if (confirmed) return
    const title = TaskItem.titleOf(entry)
    const line = `"${title}" was asked to stop and has not confirmed. Look at the task.`
    return yield* Holders.unconfirmed(id, "to stop it", line)
  })

const canStop = (entry: Board.Entry): boolean => Choices.of(entry).some((choice) => choice.startsWith("stop"))

const stopOne = (given: unknown) =>
  Effect.gen(function* () {
    const entry = yield* TaskChoice.of(given, { title: "Stop which task?", none: "No task runs here.", fits: canStop })
    const [, ...below] = withBelow(entry, (yield* Board.Board).now())
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
    const board = yield* Board.Board
    const running = board.now().roots.filter(canStop)
    if (running.length === 0) return
    const options = { modal: true, detail: "Nothing is lost: each can be resumed." }
    const title = running.length === 1 ? "Stop 1 task?" : `Stop ${running.length} tasks?`
    yield* chosen(() => vscode.window.showWarningMessage(title, options, "Stop all"))
    yield* Effect.forEach(running, stopped, { concurrency: "unbounded" })
  })
)
