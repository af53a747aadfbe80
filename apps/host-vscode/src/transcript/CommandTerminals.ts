/**
 * The commands of a task that runs here in a terminal that is only looked at: no key reaches a command, closing it stops
 * nothing, and it never takes the focus.
 */
import { CommandOutput } from "@belay/interaction/unstable/feed"
import { TaskStore, TaskText } from "@belay/interaction/tasks"
import { LiveEvent, TaskEvents } from "@belay/task-engine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as vscode from "vscode"
import { Refusal } from "../vscode/Bridge.ts"

const terminalOf = (title: string, output: CommandOutput.CommandOutput, closed: () => void): vscode.Terminal => {
  const written = new vscode.EventEmitter<string>()
  const write = (text: string): void => written.fire(text)
  return vscode.window.createTerminal({
    name: `Belay: ${title}`,
    iconPath: new vscode.ThemeIcon("eye"),
    isTransient: true,
    pty: {
      onDidWrite: written.event,
      open: () => write(output.follow(write)),
      close: () => {
        output.leave(write)
        written.dispose()
        closed()
      }
    }
  })
}

/** Of one task. */
interface Kept {
  readonly output: CommandOutput.CommandOutput
  terminal?: vscode.Terminal
  /** Nobody runs the task: it is kept as long as its terminal is open. */
  ended: boolean
}

/** Nobody runs it any longer. */
const ends = (event: LiveEvent.TaskEvent): boolean =>
  event.type === "task.deleted" ||
  (event.type === "task.status" && (event.to === "completed" || event.to === "interrupted"))

export class CommandTerminals extends Context.Service<
  CommandTerminals,
  {
    /** Errors: `Refusal` for a task that has run no command in this window since it began or went on. */
    readonly show: (entry: TaskStore.Entry) => Effect.Effect<void, Refusal>
  }
>()("@belay/host-vscode/CommandTerminals") {
  static readonly layer: Layer.Layer<CommandTerminals, never, TaskEvents> = Layer.effect(
    CommandTerminals,
    Effect.gen(function* () {
      const all = new Map<string, Kept>()
      const forget = (id: string): void => {
        const kept = all.get(id)
        if (kept?.ended === true && kept.terminal === undefined) all.delete(id)
      }
      yield* (yield* TaskEvents).listen((event) => {
        const begins = event.type === "tool.requested" || event.type === "tool.started"
        const kept =
          all.get(event.taskId) ?? (begins ? { output: new CommandOutput.CommandOutput(), ended: false } : undefined)
        if (kept === undefined) return
        kept.output.take(event)
        kept.ended = ends(event) || (kept.ended && !begins)
        all.set(event.taskId, kept)
        forget(event.taskId)
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => all.forEach(({ terminal }) => terminal?.dispose())))
      const shown = (id: string, title: string, kept: Kept): vscode.Terminal =>
        (kept.terminal ??= terminalOf(title, kept.output, () => {
          delete kept.terminal
          forget(id)
        }))
      return CommandTerminals.of({
        show: (entry) =>
          Effect.gen(function* () {
            const title = TaskText.titleOf(entry)
            const kept = all.get(TaskStore.idOf(entry))
            if (kept === undefined || kept.output.isEmpty) {
              return yield* new Refusal({ line: `"${title}" has run no command in this window since it began here.` })
            }
            shown(TaskStore.idOf(entry), title, kept).show(true)
          })
      })
    })
  )
}
