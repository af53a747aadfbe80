import { CommandOutput } from "@belay/interaction/unstable/feed"
import { assert, describe, it } from "vitest"
import { TaskId } from "@belay/task-state"

type Event = Parameters<CommandOutput.CommandOutput["take"]>[0]

const of = { taskId: TaskId.TaskId.make("t"), ts: 0, seq: 1 }
const requested = (callId: string, name: string, args: unknown): Event => ({
  ...of,
  type: "tool.requested",
  callId,
  name,
  args
})
const started = (callId: string, name: string): Event => ({ ...of, type: "tool.started", callId, name, argsHash: "" })
const printed = (callId: string, chunk: string): Event => ({
  taskId: of.taskId,
  ts: 0,
  after: 1,
  n: 1,
  type: "tool.output",
  callId,
  chunk
})
const finished = (callId: string): Event => ({
  ...of,
  type: "tool.finished",
  callId,
  name: "execute_command",
  isError: false,
  result: [],
  state: "finished"
})

const begun = (): CommandOutput.CommandOutput => {
  const output = new CommandOutput.CommandOutput()
  output.take(requested("c", "execute_command", { command: "npm test" }))
  output.take(started("c", "execute_command"))
  return output
}

describe("the output of a task's commands", () => {
  it("is each command with what it prints, and after it what comes", () => {
    const output = begun()
    output.take(printed("c", "one\ntw"))
    const heard: Array<string> = []
    assert.equal(
      output.follow((text) => heard.push(text)),
      "$ npm test\r\none\r\ntw"
    )
    output.take(printed("c", "o"))
    output.take(finished("c"))
    assert.equal(heard.join(""), "o\r\n[The command has ended]\r\n")
  })

  it("is of commands alone, and of none that has ended", () => {
    const output = begun()
    output.take(requested("s", "search_files", { command: "x" }))
    output.take(started("s", "search_files"))
    for (const callId of ["s", "unknown"]) output.take(printed(callId, "not this"))
    output.take(finished("c"))
    output.take(printed("c", "late"))
    assert.equal(
      output.follow(() => undefined),
      "$ npm test\r\n[The command has ended]\r\n"
    )
  })

  it("steers no terminal, whatever the command or its output hold", () => {
    const output = new CommandOutput.CommandOutput()
    output.take(requested("c", "execute_command", { command: "printf '\u001b[2J'\u202e" }))
    output.take(started("c", "execute_command"))
    output.take(printed("c", "\u001b]52;c;eA==\u0007\rover\b\u009b31m\u{e0041}"))
    const text = output.follow(() => undefined)
    // Line breaks are the only controls.
    assert.notMatch(text.replaceAll("\r\n", ""), /[\p{Cc}\p{Cf}]/u)
    assert.include(text, "over")
  })

  it("is bounded: its end is kept", () => {
    const output = begun()
    for (let n = 0; n < 100; n += 1) output.take(printed("c", `${n} ${"x".repeat(9_999)}\n`))
    const text = output.follow(() => undefined)
    assert.isAtMost(text.length, 64_000)
    assert.include(text, "\r\n99 x")
  })
})
