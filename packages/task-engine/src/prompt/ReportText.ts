/** What a subtask and the task that asked for it are told of each other. */
import { type FilesInPlay, Message } from "@belay/message-state"

const named = 20

/** Names of files on one line; 20 at most, and how many more there are. */
export const names = (paths: ReadonlyArray<string>): string => {
  const more = paths.length > named ? ` and ${paths.length - named} more files` : ""
  const shown = paths.slice(0, named).map((name) => JSON.stringify(name).slice(1, -1))
  return `${shown.join(", ")}${more}`
}

/** What a subtask is told beside the words of its task. */
export const subtask: Message.TextBlock = Message.text(
  "[You are a subtask. What you give to attempt_completion, or say without a call, is all that the parent task gets. Others may be changing files in this folder: touch only what is yours.]"
)

/** What a subtask did, as a part of a line: its requests, the files that it changed and deleted. */
export const did = (requests: number, files: FilesInPlay.FilesInPlay): string => {
  const of = (wanted: FilesInPlay.Use) => files.flatMap(([path, use]) => (use === wanted ? [path] : []))
  const parts = (["changed", "deleted"] as const).flatMap((use) => {
    const paths = of(use)
    return paths.length === 0 ? [] : [`${use} ${names(paths)}`]
  })
  return `${requests} ${requests === 1 ? "request" : "requests"}; ${parts.join("; ")}`
}

/** How a subtask ended and what it did, before what it says. */
export const report = (id: string, outcome: string, what: string | undefined, summary: string): string =>
  `[task ${id}: ${outcome}${what === undefined ? "" : `, ${what}`}] ${summary}`
