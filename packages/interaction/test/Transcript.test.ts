import type { Event } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { Transcript } from "@belay/interaction"
import { TaskId } from "@belay/task-state"
import { assert, describe, it } from "vitest"

const taskId = TaskId.TaskId.make("t")

let seq = 0
const event = (body: Event.EventBody): Event.StoredEvent => ({ ...body, taskId, seq: ++seq, ts: 50_530_000 })

const result = (text: string, isError = false): ReadonlyArray<Event.StoredEvent> => [
  event({ type: "tool.requested", callId: "c", name: "execute_command", args: { command: "npm test" } }),
  event({ type: "tool.started", callId: "c", name: "execute_command", argsHash: "h", rule: "commands.allow" }),
  event({
    type: "tool.finished",
    callId: "c",
    name: "execute_command",
    isError,
    result: [Message.text(text)],
    state: "finished"
  })
]

describe("the subject of a call", () => {
  it("is told by the names of other agents, too, as the call is carried out", () => {
    const told: ReadonlyArray<readonly [object, string]> = [
      [{ file_path: "a.txt", contents: "x" }, "a.txt"],
      [{ filePath: "a.txt" }, "a.txt"],
      [{ requires_approval: false, cmd: "rm a.txt" }, "rm a.txt"],
      [{ program: "rm", args: "a b" }, "rm 'a b'"],
      [{ pattern: "x+", glob: "*.ts" }, "x+"],
      [{ prompt: "Look" }, "Look"],
      [{}, ""]
    ]
    for (const [args, subject] of told) assert.strictEqual(Transcript.subjectOf(args), subject)
  })
})

describe("a transcript", () => {
  it("tells who said what, what ran by which rule, and what a person decided", () => {
    const call = (callId: string, name: string, args: object) => event({ type: "tool.requested", callId, name, args })
    const began = (callId: string, name: string, rule: string) =>
      event({ type: "tool.started", callId, name, argsHash: "h", rule })
    const ended = (callId: string, name: string, text: string) =>
      event({ type: "tool.finished", callId, name, isError: false, result: [Message.text(text)], state: "finished" })
    const question = `write_to_file ${JSON.stringify({ path: "b.txt", content: "b" })}`
    const child = TaskId.TaskId.make("child")
    const lines = Transcript.of([
      event({
        type: "message",
        index: 0,
        role: "user",
        content: [Message.text("Cut release 2.0"), Message.text("<environment>\nLinux\n</environment>")],
        from: ["user", "engine.environment"]
      }),
      event({ type: "message", index: 1, role: "assistant", content: [Message.text("I look first.")] }),
      call("r", "read_file", { path: "a.txt" }),
      began("r", "read_file", "read"),
      ended("r", "read_file", "content of a"),
      call("w", "write_to_file", { path: "b.txt", content: "b" }),
      event({
        type: "ask",
        askId: "k",
        kind: "approval",
        callId: "w",
        question,
        reason: "Edits ask.",
        rule: "edit",
        edits: [{ path: "b.txt", resolved: "/ws/b.txt", exists: true, deletes: true, added: 0, removed: 1 }],
        grants: []
      }),
      event({ type: "ask.settled", askId: "k", decision: "allow", edited: [], by: "user" }),
      began("w", "write_to_file", "edit"),
      ended("w", "write_to_file", "written"),
      event({
        type: "checkpoint",
        id: "c",
        files: 2,
        messageIndex: 1,
        leftOut: [{ path: "big.txt", reason: "tooLarge" }]
      }),
      event({ type: "checkpoint", id: "c", files: 2, messageIndex: 1, moment: "restore" }),
      event({ type: "error", tag: "CheckpointError", message: "Checkpoints are off." }),
      call("n", "new_task", { message: "Write the parser\nwith tests" }),
      event({ type: "delegation.started", children: [{ callId: "n", taskId: child, background: false }] }),
      event({ type: "delegation.collected", callId: "n", childId: child, outcome: "succeeded" }),
      event({ type: "task.completed", outcome: "succeeded", result: "All done.\nNothing is left." })
    ])
    const rows = lines.filter((line) => /^\S/.test(line)).map((line) => line.slice(10))
    assert.deepStrictEqual(rows, [
      "You",
      "Assistant",
      "read_file a.txt  ·  allowed: read",
      "Needs you",
      "You allowed it once, with changes",
      "write_to_file b.txt  ·  you allowed it once, with changes",
      "Checkpoint  ·  2 files changed",
      "Restored 2 files",
      "Checkpoints are off.",
      'Subtask "Write the parser"',
      'Subtask "Write the parser": succeeded',
      "Done"
    ])
    for (const said of [
      "    Cut release 2.0",
      "    I look first.",
      "    content of a",
      "    D b.txt  +0 −1",
      "    Why asked: Edits ask. (edit)",
      "    big.txt is in no checkpoint: it is too large.",
      "    Nothing is left."
    ]) {
      assert.include(lines, said)
    }
    assert.notInclude(lines.join("\n"), "<environment>")
  })

  it("takes what a process in the background did for a notice", () => {
    const ended =
      "[Background process 1a2b3c4d (npm run dev) has ended: exit code 1. Its last lines:\nat b [native]\nbroken]"
    const said = Message.from("engine.background", Message.text(ended))
    const lines = Transcript.of([event({ type: "message", index: 1, ...said })])
    assert.include(lines.join("\n"), "Notice to the model")
  })

  it("shortens a long result to its first 20 and last 10 lines", () => {
    const text = Array.from({ length: 100 }, (_, index) => `line ${index}`).join("\n")
    const lines = Transcript.of(result(text))
    assert.strictEqual(lines[1], "14:02:10  execute_command npm test  ·  allowed: commands.allow")
    assert.deepStrictEqual(
      lines.slice(2).map((line) => line.trim()),
      [
        ...Array.from({ length: 20 }, (_, index) => `line ${index}`),
        "… 70 lines left out …",
        ...Array.from({ length: 10 }, (_, index) => `line ${90 + index}`)
      ]
    )
  })

  it("lets nothing that is quoted steer a terminal, break its line or pass for a row", () => {
    const evil = "14:02:10  You\n\u001B[2J\u202E\u0007\r14:02:10  You allowed it once"
    const ask = { type: "ask", askId: "k", kind: "question", question: evil, options: [evil], grants: [] } as const
    const lines = Transcript.of([
      event({ type: "message", index: 0, role: "assistant", content: [Message.text(evil)] }),
      event({ type: "message", index: 1, role: "user", content: [Message.text(evil)] }),
      ...result(evil, true),
      event(ask),
      event({ type: "ask.settled", askId: "k", text: evil, by: "user" }),
      event({ type: "error", tag: "x", message: evil }),
      event({ type: "task.renamed", title: evil }),
      event({ type: "task.completed", outcome: "failed", result: evil })
    ])
    // oxlint-disable-next-line no-control-regex
    for (const line of lines) assert.notMatch(line, /[\u0000-\u001F\u202E]/)
    const rows = lines.filter((line) => /^\S/.test(line)).map((line) => line.slice(10).split(/[ :]/)[0])
    assert.deepStrictEqual(rows, ["Assistant", "You", "execute_command", "Needs", "You", "Error", "You", "Failed"])
  })

  it("says of a call that was denied that it was, and of one that failed that it did", () => {
    const [requested, started, denied] = result("Not run: it may not (rule: mcp).", true)
    const said = (...events: ReadonlyArray<Event.StoredEvent | undefined>) =>
      Transcript.of(events.filter((one) => one !== undefined)).join("\n")
    assert.include(said(requested, denied), "npm test  ·  denied")
    assert.include(said(requested, started, denied), "npm test  ·  failed")
  })

  it("says of a call whose end is not known that it was not run again", () => {
    const [requested, started] = result("")
    const unknown = {
      type: "tool.finished",
      callId: "c",
      name: "execute_command",
      isError: true,
      result: [],
      state: "unknown"
    } as const
    const lines = Transcript.of([requested, started, event(unknown)].filter((one) => one !== undefined))
    assert.include(
      lines.join("\n"),
      "npm test was running when the process ended. It is not known whether it finished."
    )
  })

  it("names the stop, the way on and the switch that answered a plan", () => {
    const status = { type: "task.status", command: "x", attempt: 1, owner: "o", rev: 1 } as const
    const lines = Transcript.of([
      event({ ...status, from: "active", to: "interrupted", reason: "user" }),
      event({ ...status, from: "interrupted", to: "active" }),
      event({ type: "mode.changed", from: "plan", to: "act", by: "user", answeredAsk: "k" }),
      event({ type: "mode.changed", from: "act", to: "plan", by: "user" })
    ])
    assert.deepStrictEqual(
      lines.filter((line) => line !== "").map((line) => line.slice(10)),
      [
        "Interrupted: you stopped it",
        "Resumed",
        "You switched to Act. That answered the plan.",
        "You switched to Plan."
      ]
    )
  })
})
