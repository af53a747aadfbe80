/**
 * What was said, into the clipboard: through the terminal, where it can, through the desktop, where there is one, and into
 * a file, which is there wherever the terminal is.
 */
import { ReplaceFile } from "@belay/machine"
import { TaskHistory } from "@belay/history-store"
import * as DataFolder from "@belay/history-store/data-folder"
import { Words } from "@belay/interaction"
import { TaskStore } from "@belay/interaction/tasks"
import { Message } from "@belay/message-state"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import { redaction } from "../../output/Redaction.ts"
import * as Clipboard from "../../terminal/Clipboard.ts"
import type { Around } from "./Around.ts"

const counted = (text: string): string => {
  const lines = text.trimEnd().split("\n").length
  return `${lines} ${lines === 1 ? "line" : "lines"}`
}

/** Copies a text, and says where it is. */
export const text = ({ perform, ui }: Pick<Around, "perform" | "ui">, copied: string): void => {
  const wish = Effect.gen(function* () {
    const safe = redaction.text(copied)
    const file = path.join(DataFolder.directory(), "copied.md")
    yield* Effect.try(() => ReplaceFile.write(file, safe, { mode: 0o600 }))
    const isTold = ui.clip(safe)
    const isTaken = yield* Clipboard.write(safe)
    const where = Words.printable(file)
    ui.hint(
      isTold || isTaken
        ? `Copied ${counted(safe)}, also to ${where}`
        : `${counted(safe)} in ${where}: no clipboard is known here`
    )
  })
  perform(wish)
}

/** What ends a task, or is a plan, is in the input of a call. */
const saidIn = (message: Message.Message): string => {
  const given = Message.toolUses(message).flatMap(({ input }) => {
    const { response, result } = (input ?? {}) as { readonly response?: unknown; readonly result?: unknown }
    return [result, response].filter((one) => typeof one === "string")
  })
  return [Message.textOf(message), ...given].filter((one) => one.trim() !== "").join("\n\n")
}

/** `rest`: nothing, or which answer from the end, from 1. */
export const answer = (around: Around, rest: string): void => {
  const { entry, perform, ui } = around
  const task = entry()
  if (task === undefined) return ui.hint("No task is shown.")
  if (rest !== "" && !/^[1-9]\d{0,3}$/u.test(rest)) return ui.hint("/copy, or /copy NUMBER: 1 is the last answer")
  const wish = Effect.gen(function* () {
    const messages = yield* (yield* TaskHistory).messages(TaskStore.idOf(task))
    const answers = messages.flatMap((message) => (message.role === "assistant" ? [saidIn(message)] : []))
    const said = answers.filter((one) => one !== "").at(-Number(rest || "1"))
    if (said === undefined) return ui.hint(rest === "" ? "Nothing was answered yet." : "There is no such answer.")
    text(around, said)
  })
  perform(wish)
}
