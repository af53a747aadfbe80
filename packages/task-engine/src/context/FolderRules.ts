/**
 * Rules of folders below the workspace, given once something below such a folder was read, edited or listed.
 *
 * What was touched is known from the stored contents of files and from the calls that the model is shown, and what was
 * given from the messages: so it is given once, also after a restart, and again when it was condensed away. A file that the
 * model could not read without asking is not given.
 */
import { ContextMessage, LogFold, type Message } from "@belay/message-state"
import type { ProjectContext } from "@belay/prompt-context"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import type { ActiveTask } from "../active/ActiveTask.ts"

/** Characters of one file, and of all that are given at once. */
const longest = 16_000
const most = 32_000

const listing: ReadonlySet<string> = new Set(["list_files", "list_code_definition_names"])

const pathIn = (input: unknown): string | undefined => {
  const value: unknown =
    typeof input === "object" && input !== null ? Object.getOwnPropertyDescriptor(input, "path")?.value : undefined
  return typeof value === "string" ? value : undefined
}

/** The paths that calls have listed, by call; those of calls that failed are gone. */
const listings = LogFold.make<Message.Message, Map<string, string>>(
  () => new Map(),
  (paths, message) => {
    for (const block of message.content) {
      if (block.type === "tool_result" && block.is_error === true) paths.delete(block.tool_use_id)
      const given = block.type === "tool_use" && listing.has(block.name) ? pathIn(block.input) : undefined
      if (given !== undefined && block.type === "tool_use") paths.set(block.id, given)
    }
    return paths
  }
)

/** What calls that are answered have listed. */
const listed = ({ conversation: { messages }, workspace }: ActiveTask): ReadonlyArray<string> =>
  messages.at(-1)?.role === "assistant"
    ? []
    : [...listings(messages).values()].map((given) => path.resolve(workspace, given))

/** Below the workspace, relative to it, with `/`. */
const touched = (running: ActiveTask): ReadonlyArray<string> => {
  const files = [...running.conversation.files.keys()].map((file) => path.dirname(file))
  const folders = new Set([...files, ...listed(running)])
  return [...folders].flatMap((folder) => {
    const inside = path.relative(running.workspace, folder)
    const isBelow = inside !== "" && inside !== ".." && !inside.startsWith(`..${path.sep}`) && !path.isAbsolute(inside)
    return isBelow ? [inside.replaceAll(path.sep, "/")] : []
  })
}

const shortened = (text: string, source: string, room: number): string =>
  text.length <= room
    ? text
    : `${text.slice(0, room).trimEnd()}\n[${text.length - room} more characters of ${source} are left out. Read it before you work there.]`

/** `mayRead`: whether a read of the file would run without asking. */
export const blocks = (
  running: ActiveTask,
  folder: (typeof ProjectContext.ProjectContext)["Service"],
  mayRead: (file: string) => Effect.Effect<boolean>
): Effect.Effect<ReadonlyArray<Message.TextBlock>> =>
  Effect.gen(function* () {
    const rules = yield* folder.below(running.workspace, touched(running))
    const given: Array<Message.TextBlock> = []
    let room = most
    for (const rule of rules) {
      if (ContextMessage.has(running.conversation.messages, "rules", rule.source, rule.folder)) continue
      if (!(yield* mayRead(rule.source))) continue
      const limit = Math.min(longest, room)
      const text = shortened(rule.text, rule.source, limit)
      room -= Math.min(rule.text.length, limit)
      given.push(ContextMessage.element("rules", rule.source, text, rule.folder))
    }
    return given
  })
