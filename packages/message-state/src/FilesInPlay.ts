/**
 * Which files a conversation has read, changed or deleted, and the words in which a stand-in says so.
 *
 * Guarantees: only a call that succeeded counts; what an earlier stand-in names is not lost. Pure.
 */
import { type Message, textOf, type ToolUseBlock, toolUses } from "./Message.ts"

/** Describes what was done with a file. */
export type Use = "read" | "changed" | "deleted"

/** One use of one file. */
export interface Done {
  /** Of the message with the call, or of the stand-in that names it. */
  readonly index: number
  readonly path: string
  readonly use: Use
}

/** Files by what was done with them, newest first. */
export type FilesInPlay = ReadonlyArray<readonly [path: string, use: Use]>

const section = "Files in play:"

const fieldsOf = (input: unknown): Record<string, unknown> =>
  typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {}

const header = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/gmu

/** A move deletes the file that the section before it updates. */
const patched = (patch: string): ReadonlyArray<readonly [path: string, use: Use]> => {
  const found: Array<readonly [string, Use]> = []
  for (const [, kind, name = ""] of patch.matchAll(header)) {
    const before = kind === "Move to" ? found.pop() : undefined
    if (before !== undefined) found.push([before[0], "deleted"])
    found.push([name.trim(), kind === "Delete File" ? "deleted" : "changed"])
  }
  return found
}

/** What a call does with the `path` or the files of the `patch` that it has. */
const usesOf = ({ args, use }: FileCall): ReadonlyArray<readonly [path: string, use: Use]> => {
  const { patch, path } = fieldsOf(args)
  if (typeof path === "string") return path.includes("\n") ? [] : [[path, use]]
  return typeof patch === "string" ? patched(patch) : []
}

/** Files that a stand-in names, newest first. */
const listed = (text: string): FilesInPlay => {
  const at = text.lastIndexOf(`\n${section}\n`)
  if (at < 0) return []
  const [lines = ""] = text.slice(at + section.length + 2).split("\n\n")
  return lines.split("\n").flatMap((line): FilesInPlay => {
    const found = /^- (.+) \((read|changed|deleted)\)$/u.exec(line)
    return found?.[1] === undefined ? [] : [[found[1], found[2] as Use]]
  })
}

/** A call that reads or changes files: those of the `path` or of the `patch` among its arguments. */
export interface FileCall {
  readonly use: Use
  readonly args: unknown
}

/** Gives what was done, in order; `fileCall` says of a call whether it is about files. */
export const inMessages = (
  messages: ReadonlyArray<Message & { readonly index: number }>,
  fileCall: (call: ToolUseBlock) => FileCall | undefined
): ReadonlyArray<Done> => {
  const done: Array<Done> = []
  const calls = new Map<string, { readonly index: number; readonly use: ToolUseBlock }>()
  for (const message of messages) {
    const { content, index, role } = message
    if (role === "user") {
      for (const [path, use] of listed(textOf(message)).toReversed()) done.push({ index, path, use })
    }
    for (const use of toolUses(message)) calls.set(use.id, { index, use })
    for (const block of content) {
      const call = block.type === "tool_result" && block.is_error !== true ? calls.get(block.tool_use_id) : undefined
      const about = call === undefined ? undefined : fileCall(call.use)
      if (call === undefined || about === undefined) continue
      for (const [path, use] of usesOf(about)) done.push({ index: call.index, path, use })
    }
  }
  return done
}

/** Each file once, as it is after all that was done: one that was changed and then read is changed. */
export const of = (done: ReadonlyArray<Done>): FilesInPlay => {
  const files = new Map<string, Use>()
  for (const { path, use } of done) {
    const before = files.get(path)
    files.delete(path)
    files.set(path, use === "read" && before === "changed" ? before : use)
  }
  return [...files].toReversed()
}

/** Files that a stand-in names at most. */
const most = 100

/** The lines of a stand-in; `inMessages` reads them again. */
export const text = (files: FilesInPlay): string => {
  const left = files.length > most ? [`- and ${files.length - most} more`] : []
  return [section, ...files.slice(0, most).map(([path, use]) => `- ${path} (${use})`), ...left].join("\n")
}
