/** Processes in the background, and what calls that were cut off had put out, as the model reads them. */
import type { NetworkRule } from "@belay/approval-policy"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type * as Tool from "../../tool/Tool.ts"
import { failure, output } from "../../tool/Tool.ts"
import type { BackgroundProcess, BackgroundProcesses, News } from "./BackgroundProcesses.ts"
import * as CommandEnd from "./CommandEnd.ts"
import type { Page } from "../output/OutputPage.ts"
import type { OutputStore } from "../output/OutputStore.ts"
import * as PlainText from "../text/PlainText.ts"

export const usual = 16_000
/** Bytes of what a cut off call, or a process that has ended, had put out last. */
const leftShown = 12_000
const lastShown = 2000
const longestCommand = 80

/** How long a read waits for a process that has put out nothing new. */
const patience = "15 seconds"

const shortOf = (command: string): string => {
  const [line = ""] = command.trim().split("\n")
  const cut = line !== command.trim() || line.length > longestCommand
  return PlainText.name(cut ? `${line.slice(0, longestCommand)}...` : line)
}

const running = "It is running."

/** The output says that its process goes on: the same read may bring more. */
export const isRunning = (text: string): boolean => /\n\[[^\n]*It is running\.\]$/.test(text)

const stateOf = (process: BackgroundProcess): string => {
  const end = process.end()
  return end === undefined ? running : `It has ended: ${CommandEnd.ending(end)}.`
}

interface Read {
  readonly text: string
  readonly page: Page
}

const empty: Page = { text: "", from: 0, to: 0, size: 0 }

/** What came since it was read last. */
const readOn = Effect.fnUntraced(function* (process: BackgroundProcess, outputs: OutputStore, limit: number) {
  process.listen()
  yield* process.flushed
  const page = (yield* outputs.page(process.taskId, process.id, process.at, limit)) ?? empty
  process.at = page.to
  // An unfinished line, such as a prompt or a bar, comes again when it is whole.
  const held = page.to === page.size ? process.held() : ""
  const isNews = page.text !== "" || held !== process.shown
  process.shown = held
  return { text: isNews ? PlainText.output(page.text + held) : "", page } satisfies Read
})

const tell = (process: BackgroundProcess): void => {
  if (process.end() !== undefined) process.told()
}

const lastLine = (text: string): string => (text === "" ? "" : `${text.replace(/\n$/, "")}\n`)

/** The result of the call that started it. */
export const started = Effect.fnUntraced(function* (
  process: BackgroundProcess,
  outputs: OutputStore,
  allowedDomains: NetworkRule.AllowedDomains
): Effect.fn.Return<Tool.ToolOutput> {
  const { page, text } = yield* readOn(process, outputs, usual)
  const end = process.end()
  const more =
    page.to < page.size ? [`[${page.size - page.to} bytes more: read_command_output with id ${process.id}]`] : []
  if (end === undefined) {
    const how = `[It runs in the background with id ${process.id}: read_command_output reads on, stop_command ends it, and so does the end of the task.]`
    return output([text === "" ? "(no output yet)" : text.replace(/\n$/, ""), ...more, how].join("\n"))
  }
  process.told()
  const failed = CommandEnd.hasFailed(end)
  const notes = CommandEnd.notes(end, { allowedDomains, end, failed })
  const said = [text === "" ? "(no output)" : text.replace(/\n$/, ""), ...more, ...notes, CommandEnd.ending(end)].join(
    "\n"
  )
  return failed || end.setAside.length > 0 ? failure(said) : output(said)
})

/** What came since the last read, and how it is with it; waits a while for what comes. */
export const next = Effect.fnUntraced(function* (
  process: BackgroundProcess,
  outputs: OutputStore,
  limit: number
): Effect.fn.Return<Tool.ToolOutput> {
  let read = yield* readOn(process, outputs, limit)
  if (read.text === "" && process.end() === undefined) {
    yield* Effect.timeoutOption(process.news, patience)
    read = yield* readOn(process, outputs, limit)
  }
  const { page, text } = read
  const more = page.to < page.size ? " Call it again for what follows." : ""
  const state = stateOf(process)
  tell(process)
  return output(
    `${text === "" ? "(nothing new)\n" : lastLine(text)}[Bytes ${page.from} to ${page.to} of ${page.size}.${more} ${state}]`
  )
})

/** The state of a process whose output was read in another way. */
export const state = (process: BackgroundProcess): string => {
  const text = stateOf(process)
  tell(process)
  return text
}

export const stopped = Effect.fnUntraced(function* (process: BackgroundProcess, outputs: OutputStore) {
  const was = process.end()
  const end = was ?? (yield* process.stop)
  process.told()
  const { text } = yield* readOn(process, outputs, usual)
  const notes = CommandEnd.notes({ ...end, leftovers: false }, { allowedDomains: [], end, failed: false })
  const how = was === undefined ? `Stopped ${shortOf(process.command)}.` : `It had ended: ${CommandEnd.ending(was)}.`
  return output([...(text === "" ? [] : [text.replace(/\n$/, "")]), ...notes, how].join("\n"))
})

/** What a call that was cut off had put out: the end of it, and where the whole is. */
export const left = (outputs: OutputStore, taskId: TaskId.TaskId, callId: string): Effect.Effect<string | undefined> =>
  Effect.map(outputs.left(taskId, callId, leftShown), (found) => {
    if (found === undefined || found.page.size === 0) return undefined
    const { id, page } = found
    const text = PlainText.output(page.text).replace(/\n$/, "")
    return page.from === 0
      ? text
      : `[... ${page.from} bytes left out: read_command_output with id ${id} reads them ...]\n${text}`
  })

const newsOf = (outputs: OutputStore, taskId: TaskId.TaskId, { command, end, id, told }: News) =>
  Effect.gen(function* () {
    const about = `[Background process ${id} (${shortOf(command)})`
    if (end === undefined)
      return { text: `${about} ended when the task stopped. Start it again if you need it.]`, told }
    const page = yield* outputs.page(taskId, id, 0, 1)
    const last = yield* outputs.page(taskId, id, Math.max(0, (page?.size ?? 0) - lastShown), lastShown)
    const lines = PlainText.output(last?.text ?? "")
      .trimEnd()
      .split("\n")
      .slice(-10)
    const notes = CommandEnd.notes(end, { allowedDomains: [], end, failed: false })
    const said = lines.join("") === "" ? " It printed nothing." : ` Its last lines:\n${lines.join("\n")}`
    return { text: [`${about} has ended: ${CommandEnd.ending(end)}.${said}`, ...notes].join("\n") + "]", told }
  })

export const hooks = (
  background: BackgroundProcesses,
  outputs: OutputStore
): Required<Pick<Tool.Tool, "news" | "release">> => ({
  news: (taskId) => Effect.forEach(background.news(taskId), (news) => newsOf(outputs, taskId, news)),
  release: background.release
})
