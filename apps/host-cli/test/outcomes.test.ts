import type { Event } from "@belay/history-store"
import { TaskId } from "@belay/task-state"
import { assert, describe, it } from "vitest"
import * as Progress from "../src/progress/Progress.ts"

const taskId = TaskId.TaskId.make("0123456789abcdef")

type Ended = Partial<Extract<Event.EventBody, { readonly type: "tool.finished" }>>

/** The lines of a call: asked for, started an hour later where it is, and ended two seconds after that. */
const lines = (name: string, args: object, text: string, end: Ended, starts = true): ReadonlyArray<string> => {
  const written: Array<string> = []
  const { take: tell } = Progress.make((line) => written.push(line.replace(/^\S+ +/, "").trimEnd()), true)
  const of = { taskId, seq: 1 }
  const began = 3_600_000
  tell({ ...of, ts: 0, type: "tool.requested", callId: "c", name, args })
  if (starts) tell({ ...of, ts: began, type: "tool.started", callId: "c", name, argsHash: "" })
  const finished = { type: "tool.finished", callId: "c", name, isError: true, state: "finished" } as const
  tell({ ...of, ts: began + 2000, ...finished, result: [{ type: "text", text }], ...end })
  return written.map((line) => line.replace(/ {2,}[0-9a-f]+ {2}/, "  "))
}

const test = { command: "npm test" }
const stopped = "Interrupted: the task was stopped while this ran, and it was ended."

describe("what a run says of a call", () => {
  it.each<readonly [string, ReadonlyArray<string>]>([
    [
      "command  npm test  exit 0  2s",
      lines("execute_command", test, "exit code 9\nok\nexit code 0", { isError: false })
    ],
    ["command  npm test  exit 1  5s", lines("execute_command", test, "broken\nexit code 1", { ms: 5000 })],
    [
      "command  npm test  timed out  2s",
      lines("execute_command", test, "timed out after 2 s", { outcome: "timedOut" })
    ],
    [
      "command  npm test  stopped  2s",
      lines("execute_command", test, stopped, { outcome: "stopped", state: "unknown" })
    ],
    ["command  npm test  interrupted  2s", lines("execute_command", test, "Interrupted: ...", { state: "unknown" })],
    [
      "denied  npm test  commands.other",
      lines("execute_command", test, "Not run: ...", { outcome: "denied", rule: "commands.other" }, false)
    ],
    ["denied  npm test", lines("execute_command", test, "Not run: an old history tells no rule.", {}, false)],
    [
      "command  (in the background) npm start",
      lines("execute_command", { command: "npm start", background: true }, "up\n[It runs ...]", { isError: false })
    ],
    [
      "failed  read_file none  none does not exist.",
      lines("read_file", { path: "none" }, "none does not exist.\nMore.", {})
    ],
    [
      "denied  write_to_file a.txt  edit",
      lines("write_to_file", { path: "a.txt" }, "Not run: ...", { outcome: "denied", rule: "edit" }, false)
    ]
  ])("%s", (expected, said) => {
    assert.deepStrictEqual(said, [expected])
  })
})
