/**
 * What a task is told of where it works, in its first message and never again.
 *
 * It stays in the prefix of every request, so it says what holds when the task begins; what changes later is told in
 * messages of its own.
 */
import { Message } from "@belay/message-state"
import type { Mode } from "@belay/modes"
import * as os from "node:os"

const platforms: Record<string, string> = { linux: "Linux", darwin: "macOS", win32: "Windows" }

const head = "<environment>\n"
const tail = "\n</environment>"
const byTask = "\nWritten by: another task, not the user"

const modeLine = (mode: Mode.Mode): string => `\nMode: ${mode.toUpperCase()}`

export interface Facts {
  /** Absolute. */
  readonly workspace: string
  /** ISO. */
  readonly day: string
  readonly mode: Mode.Mode
  /** Who wrote the words beside it. */
  readonly author: "user" | "task"
}

export const block = ({ author, day, mode, workspace }: Facts): Message.TextBlock =>
  Message.text(
    `${head}Working directory: ${workspace}\nOperating system: ${platforms[process.platform] ?? process.platform} ${os.release()}\nShell: bash\nDate: ${day}${modeLine(mode)}${author === "task" ? byTask : ""}${tail}`
  )

const isBlock = (of: Message.ContentBlock): of is Message.TextBlock =>
  of.type === "text" && of.text.startsWith(head) && of.text.endsWith(tail)

const taskWrote = (of: Message.ContentBlock): of is Message.TextBlock =>
  isBlock(of) && of.text.endsWith(`${byTask}${tail}`)

/** The words of the message are a model's: those with which a task began another one. */
export const isByTask = ({ content }: Message.Message): boolean => content.some(taskWrote)

/** The block when a person wrote the words beside it after all. */
export const byUser = <Block extends Message.ContentBlock>(of: Block): Block | Message.TextBlock =>
  taskWrote(of) ? Message.text(of.text.replace(`${byTask}${tail}`, tail)) : of

/** The mode that the block says; nothing for any other block, and for one of an earlier version. */
export const modeOf = (of: Message.ContentBlock): Mode.Mode | undefined => {
  if (!isBlock(of)) return undefined
  const lines = of.text.split("\n")
  return (["plan", "act"] as const).find((mode) => lines.includes(modeLine(mode).trim()))
}
