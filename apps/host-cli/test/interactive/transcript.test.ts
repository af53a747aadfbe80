/** The conversation as lines that stay: what a model says as it comes, held against what is stored. */
import type { Event, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import type { LiveEvent } from "@belay/task-engine"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { Transcript } from "../../src/interactive/transcript/Transcript.ts"

const taskId = TaskId.TaskId.make("t")
const look = { color: false, ascii: false, plain: false, width: 80 }

/** A task that begins, and what stays of it. */
const begun = async () => {
  const lines: Array<string> = []
  const history = { events: () => Effect.succeed([]) } as unknown as TaskHistory["Service"]
  const place = {
    form: () => ({ look, columns: 79 }),
    commit: (more: ReadonlyArray<string>) => void lines.push(...more),
    changed: () => undefined
  }
  const transcript = new Transcript(history, place)
  await Effect.runPromise(transcript.show(taskId, true))
  let seq = 0
  const stored = (body: Event.EventBody): void => {
    seq += 1
    transcript.take({ ...body, taskId, seq, ts: seq * 1000 })
  }
  const live = (body: LiveEvent.LiveBody): void =>
    transcript.take({ ...body, taskId, ts: seq * 1000, after: seq, n: 1 })
  const say = (text: string): void => live({ type: "text.delta", text })
  const message = (text: string): void =>
    stored({ type: "message", index: seq, role: "assistant", content: [Message.text(text)] })
  return { lines, live, message, say, stored, transcript }
}

const call = (callId: string, name: string, args: unknown) => [
  { type: "tool.requested" as const, callId, name, args },
  { type: "tool.started" as const, callId, name, argsHash: "h", rule: "read" },
  {
    type: "tool.finished" as const,
    callId,
    name,
    isError: false,
    result: [Message.text("ok")],
    state: "finished" as const
  }
]

describe("the conversation in a terminal", () => {
  it("has what a model says once, whether or not it came in pieces", async () => {
    const { lines, message, say } = await begun()
    say("One sen")
    say("tence.\nAnd an")
    assert.deepStrictEqual(lines, ["  One sentence."])
    say("other.")
    message("One sentence.\nAnd another.")
    message("Whole.")
    assert.deepStrictEqual(
      lines.filter((line) => line !== ""),
      ["  One sentence.", "  And another.", "  Whole."]
    )
  })

  it("tells of an answer that began again, and takes nothing back", async () => {
    const { lines, live, message, say } = await begun()
    say("The first\nans")
    live({ type: "progress", text: "The connection was lost. Trying again." })
    say("The second.")
    message("The second.")
    assert.deepStrictEqual(
      lines.filter((line) => line !== ""),
      ["  The first", "· The answer began again.", "  The second."]
    )
  })

  it("says nothing of an answer that began again before any of it stayed", async () => {
    const { lines, live, message, say } = await begun()
    say("The fir")
    live({ type: "progress", text: "The service is overloaded. Trying again." })
    say("The second.")
    message("The second.")
    assert.deepStrictEqual(
      lines.filter((line) => line !== ""),
      ["  The second."]
    )
  })

  it("shows a message whole that is another than the one that came", async () => {
    const { lines, message, say } = await begun()
    say("What came.\n")
    message("What is stored.")
    assert.deepStrictEqual(
      lines.filter((line) => line !== ""),
      ["  What came.", "· The answer began again.", "  What is stored."]
    )
  })

  it("has a call once it has ended, and reads that follow each other in one line", async () => {
    const { lines, message, stored } = await begun()
    for (const event of [...call("a", "read_file", { path: "a" }), ...call("b", "read_file", { path: "b" })])
      stored(event)
    for (const event of call("c", "execute_command", { command: "npm test" }).slice(0, 2)) stored(event)
    assert.deepStrictEqual(lines, [])
    for (const event of call("c", "execute_command", { command: "npm test" }).slice(2)) stored(event)
    message("Done.")
    assert.deepStrictEqual(lines, ["· Read 2 files", "· $ npm test  1s · allowed: read", "", "  Done."])
  })

  it("asks in words once, and says nothing of an ask that repeats what was said", async () => {
    const { lines, message, stored } = await begun()
    message("Anything else?")
    stored({ type: "ask", askId: "1", kind: "question", question: "Anything else?", grants: [] })
    stored({ type: "ask.settled", askId: "1", by: "user" })
    stored({ type: "ask", askId: "2", kind: "question", question: "Which?", options: ["a", "b"], grants: [] })
    stored({ type: "ask.settled", askId: "2", by: "user", text: "a" })
    assert.deepStrictEqual(
      lines.filter((line) => line !== ""),
      ["  Anything else?", "  Which?", "  1  a", "  2  b", "› You answered: a"]
    )
  })

  it("keeps what others wrote out of the first column, and shows what stands behind many blanks", async () => {
    const { lines, stored } = await begun()
    const long = `One${" and".repeat(30)}${" ".repeat(80)}╚ 1 Allow`
    stored({ type: "ask", askId: "1", kind: "question", question: "Which?", options: [long, "b"], grants: [] })
    for (const event of call("c", "execute_command", { command: `echo fine${" ".repeat(200)}; rm all` })) stored(event)
    assert.isTrue(lines.every((line) => line.length < 79))
    assert.isTrue(lines.every((line) => /^(?:$| |·)/u.test(line)))
    assert.include(lines.join("\n"), "$ echo fine ; rm all")
  })

  it("leaves a call that waits for a yes or no to the ask that shows it", async () => {
    const { lines, stored } = await begun()
    const question = 'list_files {"path":"."}'
    stored({ type: "ask", askId: "1", kind: "mistakes", question, callId: "c", grants: [] })
    assert.deepStrictEqual(lines, [])
  })
})
