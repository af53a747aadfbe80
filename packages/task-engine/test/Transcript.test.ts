import { Approvals } from "@belay/approval-policy"
import { type Event, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { Transcript } from "@belay/task-engine/protocol"
import { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { UserPort } from "../src/index.ts"
import { calls, completes, make, recorded, run, script } from "./world.ts"

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
  it.live("tells who said what, what ran by which rule, and what a person decided, as it happens and afterwards", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "Cut release 2.0",
          {
            content: [
              { type: "text", text: "I look first." },
              ...(calls(["read_file", { path: "a.txt" }]).content ?? [])
            ]
          },
          calls(["write_to_file", { path: "b.txt", content: "b" }, "w"]),
          calls(["new_task", { message: "Write the parser\nwith tests" }, "n"]),
          completes("All done.\nNothing is left.")
        ),
        script("Write the parser", completes("Parsed."))
      ])
      world.write("a.txt", "content of a")
      const person = Layer.succeed(UserPort, {
        attended: true,
        approve: () => Effect.succeed({ decision: "allow" as const }),
        answer: () => Effect.never
      })
      const { incremental, lines } = yield* world.session(
        Effect.gen(function* () {
          const seen = yield* recorded
          const { id } = yield* run(world.task("Cut release 2.0", {}, { approvals: Approvals.ask }))
          const stored = yield* Effect.flatMap(TaskHistory, (history) => history.events(id, 1, 1000))
          return { incremental: Transcript.of(seen.filter((one) => one.taskId === id)), lines: Transcript.of(stored) }
        }),
        { person }
      )
      assert.deepStrictEqual(incremental, lines)
      const ended =
        "[Background process 1a2b3c4d (npm run dev) has ended: exit code 1. Its last lines:\nat b [native]\nbroken]"
      assert.strictEqual(Transcript.speakerOf(ended, "engine.background"), "notice")
      const rows = lines.filter((line) => /^\S/.test(line)).map((line) => line.slice(10).replace(/  ·  \D*\$.*/, ""))
      assert.deepStrictEqual(rows, [
        "You",
        "Assistant",
        "read_file a.txt  ·  allowed: read",
        "Needs you",
        "You allowed it once",
        "write_to_file b.txt  ·  you allowed it once",
        'Subtask "Write the parser"',
        'Subtask "Write the parser": succeeded',
        "new_task Write the parser  ·  allowed: delegate",
        "Done"
      ])
      const text = lines.join("\n")
      for (const said of [
        "    Cut release 2.0",
        "    I look first.",
        "content of a",
        "    Parsed.",
        "    Nothing is left."
      ]) {
        assert.include(text, said)
      }
      assert.match(text, /    Why asked: .*\(edit\)/)
      assert.notInclude(text, "<environment>")
    })
  )

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
