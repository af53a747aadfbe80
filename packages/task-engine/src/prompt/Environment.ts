/**
 * What a task is told of where it works, in its first message and never again.
 *
 * It stays in the prefix of every request, so it says what holds when the task begins; what is another one later is told
 * in messages of its own.
 */
import { Machine } from "@belay/machine"
import { Message } from "@belay/message-state"
import type { Mode } from "@belay/modes"
import * as os from "node:os"

const platforms: Record<string, string> = { linux: "Linux", darwin: "macOS", win32: "Windows" }

/** What is other than in the bash and the tools that a model expects. */
const shells: Record<string, string> = {
  darwin: "bash 3.2 and BSD tools, unless others are first on PATH",
  win32: "Git Bash; write C:/folder or /c/folder, and no commands of cmd"
}

const head = "<environment>\n"
const tail = "\n</environment>"
const byTask = "\nWritten by: another task, not the user"

export interface Facts {
  /** Absolute. */
  readonly workspace: string
  /** ISO. */
  readonly day: string
  readonly mode: Mode.Mode
  /** Branch and changes of its repository; nothing where that is not known. */
  readonly git?: string
  /** What stands in its root; nothing where that may not be read, or there is nothing. */
  readonly folder?: string
  /** How commands run; nothing where that is not known. */
  readonly commands?: string
  /** What runs without asking, and who answers. */
  readonly approvals: string
  /** Who wrote the words beside it. */
  readonly author: "user" | "task"
}

export const block = (
  { approvals, author, commands, day, folder, git, mode, workspace }: Facts,
  { platform }: Machine.Machine = Machine.host
): Message.TextBlock => {
  const lines = [
    `Working directory: ${workspace}`,
    `Operating system: ${platforms[platform] ?? platform} ${os.release()}`,
    `Shell: ${shells[platform] ?? "bash"}`,
    ...(git === undefined ? [] : [`Git: ${git}`]),
    ...(folder === undefined ? [] : [`Folder: ${folder}`]),
    ...(commands === undefined ? [] : [`Commands: ${commands}`]),
    `Approvals: ${approvals}`,
    `Date: ${day}`,
    `Mode: ${mode.toUpperCase()}`
  ]
  return Message.text(`${head}${lines.join("\n")}${author === "task" ? byTask : ""}${tail}`)
}

const isBlock = (of: Message.ContentBlock): of is Message.TextBlock =>
  of.type === "text" && of.text.startsWith(head) && of.text.endsWith(tail)

const taskWrote = (of: Message.ContentBlock): of is Message.TextBlock =>
  isBlock(of) && of.text.endsWith(`${byTask}${tail}`)

/** The block when a person wrote the words beside it after all. */
export const byUser = <Block extends Message.ContentBlock>(of: Block): Block | Message.TextBlock =>
  taskWrote(of) ? Message.text(of.text.replace(`${byTask}${tail}`, tail)) : of

const lineOf = (of: Message.ContentBlock, name: string): string | undefined =>
  isBlock(of)
    ? of.text
        .split("\n")
        .findLast((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2)
    : undefined

export const modeOf = (of: Message.ContentBlock): Mode.Mode | undefined =>
  (["plan", "act"] as const).find((mode) => lineOf(of, "Mode") === mode.toUpperCase())

/** What is told once more when it has become another one. */
export type Changing = "Approvals" | "Date"

const notes: { readonly [C in Changing]: readonly [before: string, after: string] } = {
  Approvals: ["[The approvals are now: ", ".]"],
  Date: ["[It is ", " now.]"]
}

export const note = (of: Changing, now: string): Message.TextBlock => Message.text(notes[of].join(now))

/** What the block, or a note, says of it; nothing for any other one, and for what an earlier version did not say. */
export const said = (block: Message.ContentBlock, of: Changing): string | undefined => {
  const [before, after] = notes[of]
  return block.type === "text" && block.text.startsWith(before) && block.text.endsWith(after)
    ? block.text.slice(before.length, -after.length)
    : lineOf(block, of)
}
