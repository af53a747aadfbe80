/**
 * What a detached run says to the command that started it: all that it prints until its task has begun, then the id.
 * Afterwards the channel is closed, and nothing that it prints goes anywhere.
 */
import type { TaskId } from "@belay/task-state"

export const variable = "BELAY_DETACHED"

/** In the process of a detached run. */
export const isHere = process.env[variable] === "1" && process.connected
// No program that its task runs is taken for one.
delete process.env[variable]

type Told = { readonly err: string } | { readonly out: string } | { readonly begun: string }

/** Nobody hears it once the task has begun. */
const tell = (told: Told, done: () => void = () => undefined): void => {
  if (process.connected && process.send !== undefined) process.send(told, done)
  else done()
}

/** What of an output stream is needed to write to it. */
export interface Stream {
  readonly write: (text: string, done: () => void) => unknown
  readonly on: (event: "error", listener: () => void) => unknown
}

const streamOf = (made: (text: string) => Told): Stream => ({
  write: (text, done) => tell(made(text), done),
  on: () => undefined
})

let hasBegun = false

// Who started it has given it up before it began.
if (isHere) process.once("disconnect", () => (hasBegun ? undefined : process.exit(130)))

/** What takes the place of stdout and stderr there; nothing in any other process. */
export const streams: { readonly out: Stream; readonly err: Stream } | undefined = isHere
  ? { out: streamOf((out) => ({ out })), err: streamOf((err) => ({ err })) }
  : undefined

/** The task is there, and what was written is sent: whoever started it is told, and has nothing more to wait for. */
export const begun = (id: TaskId.TaskId, flush: () => Promise<void>): void => {
  if (!isHere || hasBegun) return
  hasBegun = true
  void flush().then(() => tell({ begun: id }, () => process.disconnect()))
}

/** The command is over, and what was written is sent: the channel keeps no process. */
export const close = (): void => {
  if (!isHere || !process.connected) return
  hasBegun = true
  process.disconnect()
}
