/** The mode of one task, and of no other: of this window's by the engine, of another's by a request. */
import { TaskStore, TaskText } from "@belay/interaction/tasks"
import { TaskEngine } from "@belay/task-engine"
import { Saying } from "@belay/task-engine/remote"
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as Holders from "./Holders.ts"

export type Mode = "plan" | "act"

export const of = ({ node }: TaskStore.Entry): Mode => node.row.meta.mode

/** `Act`, or while it works `Act from the next step`. */
export const label = (entry: TaskStore.Entry, mode: Mode): string =>
  entry.text.state === "running" || entry.text.state === "elsewhere"
    ? `${Words.modes[mode]} from the next step`
    : Words.modes[mode]

/** A switch to act answers a plan that waits, with `text` where there is one. Errors: `Refusal`. */
export const switchTo = (entry: TaskStore.Entry, mode: Mode, text?: string) =>
  Effect.gen(function* () {
    const { id } = entry.node.row.record
    const engine = yield* TaskEngine
    const { refresh } = yield* TaskStore.TaskStore
    if (engine.kept().has(id)) yield* engine.switchMode(id, mode, text)
    else {
      const said = yield* Saying.say(id, { kind: "mode", mode, ...(text === undefined ? {} : { text }) })
      if (said === "unconfirmed") {
        const line = `The process that runs "${TaskText.titleOf(entry)}" has not confirmed the switch. Look at the task.`
        return yield* Holders.unconfirmed(id, "to switch", line)
      }
    }
    yield* refresh
  })
