import type { Event } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { Row } from "@belay/interaction"
import { Sentences } from "@belay/task-engine/text"
import { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"

const taskId = TaskId.TaskId.make("t")

const stored = (...bodies: ReadonlyArray<Event.EventBody>): ReadonlyArray<Event.StoredEvent> =>
  bodies.map((body, index) => ({ ...body, taskId, seq: index + 1, ts: 50_530_000 + index * 1000 }))

/** Each row in its first place, as it is at last. */
const shown = (events: ReadonlyArray<Event.StoredEvent>): ReadonlyArray<Row.Row> => {
  const { add } = Row.make()
  const rows = new Map<string, Row.Row>()
  for (const event of events) for (const row of add(event)) rows.set(row.id, row)
  return [...rows.values()]
}

const says = (role: Message.Role, ...content: ReadonlyArray<Message.ContentBlock>): Event.EventBody => ({
  type: "message",
  index: 0,
  role,
  content
})

const asked = (name: string, args: unknown): Event.EventBody => ({ type: "tool.requested", callId: "c", name, args })
const began: Event.EventBody = { type: "tool.started", callId: "c", name: "x", argsHash: "h", rule: "commands.allow" }
const ended = (name: string, text: string, more: Partial<Event.EventBody> = {}): Event.EventBody =>
  ({
    type: "tool.finished",
    callId: "c",
    name,
    isError: false,
    result: [Message.text(text)],
    state: "finished",
    ...more
  }) as Event.EventBody

const command = "execute_command"
const run = [asked(command, { command: "npm test" }), began]

const turns = stored(
  says("user", Message.text("Cut the release")),
  says("assistant", Message.text("I look first.")),
  asked("read_file", { path: "a.ts" }),
  began,
  ended("read_file", "export {}"),
  says("assistant", Message.text("Now I test.")),
  ...run,
  ended(command, "ok")
)

describe("the rows of a conversation", () => {
  it("show of what the model is given beside somebody's words its pictures alone", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } } as const
    const given = [Message.text("<given>"), Message.text('<mention of="@/a.txt">\nsecret\n</mention>'), image]
    const rows = shown(
      stored(says("user", Message.text("Look at @/a.txt")), says("user", ...given, Message.text("</given>")))
    )
    assert.deepEqual(
      rows.map((row) => (row.kind === "said" ? [row.by, row.text, row.pictures?.length ?? 0] : [])),
      [
        ["you", "Look at @/a.txt", 0],
        ["you", "", 1]
      ]
    )
  })

  it("say nothing of a repair, whose words are internal, and begin what failed with a capital", () => {
    const rows = shown(
      stored(
        { type: "repaired", rule: "R", detail: "active, but no live process runs it" },
        { type: "error", tag: "ModelError", message: "the service refused the key (401)." },
        { type: "error", tag: "Outage", message: "The service is overloaded." }
      )
    )
    assert.deepEqual(
      rows.map((row) => (row.kind === "note" ? [row.tone, row.text] : [])),
      [
        ["error", "The service refused the key (401)."],
        ["warning", "The service is overloaded."]
      ]
    )
  })

  it("are one for each text and call, a call in the place where it was asked for", () => {
    assert.deepEqual(
      shown(turns).map(({ id, kind }) => [id, kind]),
      [
        ["m1.0", "said"],
        ["m2.0", "said"],
        ["c3", "call"],
        ["m6.0", "said"],
        ["c7", "call"]
      ]
    )
  })

  it("are the same whether reading begins at the start or at any turn", () => {
    const starts = turns.filter((event) => event.type === "message" && event.role === "assistant")
    assert.equal(starts.length, 2)
    for (const { seq } of starts) {
      const later = shown(turns.slice(seq - 1))
      assert.deepEqual(later, shown(turns).slice(-later.length))
    }
  })

  it("show a call by its rule, its time and the ends of its output, and where the whole is", () => {
    const long = Array.from({ length: 100 }, (_, line) => `line ${line}`).join("\n")
    const [row] = shown(stored(...run, ended(command, long)))
    assert.isTrue(row?.kind === "call")
    if (row?.kind !== "call") return
    assert.deepInclude(row, { state: "done", ms: 1000, decided: "allowed: commands.allow", left: 70, seq: 3 })
    assert.equal(row.output.split("\n").length, 31)
    assert.include(row.output, "line 0\n")
    assert.isTrue(row.output.endsWith("line 99"))
  })

  it("hold no character that could steer a display, wherever it comes from", () => {
    const evil = "a\u001B[2J\u202Eb\u009B\u{E0041}\rc"
    const question: Event.EventBody = {
      type: "ask",
      askId: "q",
      kind: "question",
      question: evil,
      options: [evil],
      grants: []
    }
    const rows = shown(
      stored(
        says("user", Message.text(evil)),
        says("assistant", Message.text(evil), { type: "thinking", thinking: evil, signature: "" }),
        asked(evil, { command: evil }),
        ended(evil, evil),
        question,
        { type: "ask.settled", askId: "q", text: evil, by: "user" },
        { type: "error", tag: "x", message: evil },
        { type: "task.renamed", title: evil },
        { type: "task.completed", outcome: "succeeded", result: evil }
      )
    )
    assert.equal(rows.length, 8)
    assert.notMatch(JSON.stringify(rows).replaceAll("\\n", ""), /[\p{Cc}\u202E\u{E0000}-\u{E007F}]|\\u00/u)
  })

  it("name the images that come with words, in the row of the words or in one of their own", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "" } } as const
    const rows = shown(stored(says("user", Message.text("Look"), image, image), says("user", image)))
    assert.deepEqual(
      rows.map((row) => (row.kind === "said" ? [row.text, row.pictures] : [])),
      [
        ["Look", ["1.1", "1.2"]],
        ["", ["2.0"]]
      ]
    )
    assert.deepEqual(Row.pictureOf("1.2"), { seq: 1, index: 2 })
    for (const other of ["", "1", "1.", "-1.0", "a.b", "1.2.3"]) assert.isUndefined(Row.pictureOf(other))
  })

  it("say of a call that never began for want of a yes that it was denied, and of others what they were", () => {
    const states = (...events: ReadonlyArray<Event.EventBody>) =>
      shown(stored(...events)).map((row) => (row.kind === "call" ? row.state : row.kind))
    const tool = "use_mcp_tool"
    const failed = (text: string) => ended(tool, text, { isError: true })
    const call = asked(tool, { server: "s", tool: "t" })
    assert.deepEqual(states(call, failed("Not run: 'https://x' is private (rule: mcp).")), ["denied"])
    assert.deepEqual(states(call, failed("Not run: the user rejected this call.")), ["denied"])
    assert.deepEqual(states(call, began, failed("Not run: says the server")), ["failed"])
    assert.deepEqual(states(call, failed("There is no tool 'x'.")), ["failed"])
  })

  it("say of a call that a process died in that its outcome is not known", () => {
    const rows = shown(stored(...run, ended(command, "", { state: "unknown" })))
    assert.deepEqual(
      rows.map((row) => (row.kind === "call" ? row.state : row.kind)),
      ["unknown", "note"]
    )
  })

  it("tell what an answer was, at the call or at the question that it was given to", () => {
    const approval: Event.EventBody = { type: "ask", askId: "a", kind: "approval", callId: "c", grants: [] }
    const allowed: Event.EventBody = { type: "ask.settled", askId: "a", decision: "allow", by: "user" }
    const [call] = shown(stored(asked(command, { command: "x" }), approval, allowed, began))
    assert.deepInclude(call, { state: "running", decided: "you allowed it once" })
    const question: Event.EventBody = { type: "ask", askId: "q", kind: "question", question: "Which?", grants: [] }
    const [row] = shown(stored(question, { type: "ask.settled", askId: "q", text: "Both", by: "user" }))
    assert.deepInclude(row, { answer: "You answered: Both" })
  })

  it("leave out what the model is told by nobody, and keep apart what is no word of the person", () => {
    const texts = ["<environment>\nx\n</environment>", "[task 1: done] Parsed", "[A notice.]", "Hello"]
    const rows = shown(stored(says("user", ...texts.map(Message.text))))
    assert.deepEqual(
      rows.map((row) => (row.kind === "said" ? row.by : "")),
      ["report", "notice", "you"]
    )
  })

  it("mark what a turn changed by its message and by the one that a restore keeps, and say what is in no checkpoint", () => {
    const leftOut = [{ path: "big.bin", reason: "tooLarge" }]
    const turn: Event.EventBody = { type: "checkpoint", id: "x", files: 2, messageIndex: 5 }
    const [row, only] = shown(stored({ ...turn, leftOut }, { ...turn, files: 0, leftOut }))
    assert.deepInclude(row, { kind: "checkpoint", message: 5, to: 6 })
    assert.isTrue(row?.kind === "checkpoint" && row.text.endsWith("\nbig.bin is in no checkpoint: it is too large."))
    assert.strictEqual(only?.kind, "note")
  })

  it("offer one undo for what went back in one commit", () => {
    const files: Event.EventBody = { type: "checkpoint", id: "x", files: 2, messageIndex: 1, moment: "restore" }
    const cut: Event.EventBody = { type: "conversation.cut", edit: 1, from: 2, to: 9, fromSeq: 3 }
    const together = stored(files, cut).map((event) => ({ ...event, ts: 1 }))
    const kinds = (rows: ReadonlyArray<Row.Row>) => rows.map((row) => (row.kind === "restored" ? row.undo : row.kind))
    assert.deepStrictEqual(kinds(shown(together)), [true, "note"])
    const undone = stored({ ...files, moment: "undo" }, { type: "conversation.uncut", edit: 1 })
    assert.deepStrictEqual(kinds(shown([...stored(cut), ...undone])), [false, false])
  })

  it("are not replaced once they are final, whatever happens after", () => {
    const calls = ["a", "b", "c"]
    const body = (seed: number, n: number): Event.EventBody => {
      const callId = calls[seed % 3] ?? ""
      const kinds: ReadonlyArray<Event.EventBody> = [
        { ...asked(command, { command: "npm test" }), callId } as Event.EventBody,
        { ...began, callId },
        { ...ended(command, "ok"), callId } as Event.EventBody,
        { ...ended(command, "no", { isError: true }), callId } as Event.EventBody,
        { ...ended(command, "", { state: "unknown" }), callId } as Event.EventBody,
        { type: "ask", askId: `q${n}`, kind: "approval", callId, question: "x {}", grants: [] },
        { type: "ask", askId: `r${n}`, kind: "question", question: "Which?", grants: [] },
        { type: "ask.settled", askId: `${seed % 2 === 0 ? "q" : "r"}${seed % (n + 1)}`, by: "user", decision: "allow" },
        says("assistant", Message.text("Well.")),
        {
          type: "task.status",
          from: "active",
          to: "interrupted",
          command: "Interrupt",
          attempt: 1,
          owner: "me",
          rev: 1
        }
      ]
      return kinds[(seed >> 3) % kinds.length] ?? began
    }
    let state = 1
    for (let round = 0; round < 200; round += 1) {
      const bodies = Array.from({ length: 40 }, (_, n) => {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
        return body(state >> 8, n)
      })
      const { add } = Row.make()
      const final = new Set<string>()
      for (const event of stored(...bodies)) {
        for (const row of add(event)) {
          assert.isFalse(final.has(row.id), `${row.id} after ${event.type}`)
          if (Row.isFinal(row)) final.add(row.id)
        }
      }
    }
  })

  it("show the end of a turn once, as what was said, and no stop, resume or answer that only follows from it", () => {
    const end = (askId: string, question: string, callId?: string): Event.EventBody => ({
      type: "ask",
      askId,
      kind: "completion",
      question,
      grants: [],
      options: ["Accept this as the result"],
      ...(callId === undefined ? {} : { callId })
    })
    const stop = { type: "task.status", from: "active", to: "interrupted", reason: "host" } as Event.EventBody
    const resume = { type: "task.status", from: "interrupted", to: "active" } as Event.EventBody
    const done = (result: string): Event.EventBody =>
      ({ type: "task.completed", outcome: "succeeded", result }) as never
    const rows = shown(
      stored(
        says("assistant", Message.text("It is done.")),
        end("a", "It is done."),
        stop,
        resume,
        { type: "ask.settled", askId: "a", by: "user", text: "And the docs?" },
        says("user", Message.text("And the docs?")),
        asked("attempt_completion", { result: "Wrote them." }),
        end("b", "Wrote them.", "c"),
        { type: "ask.settled", askId: "b", by: "user", decision: "allow" },
        done("Wrote them.")
      )
    )
    assert.deepStrictEqual(
      rows.map((row) => (row.kind === "said" ? [row.by, row.text] : [row.kind])),
      [
        ["assistant", "It is done."],
        ["you", "And the docs?"],
        ["assistant", "Wrote them."]
      ]
    )
  })

  it("say in one place that a switch to act answered a plan, in words of people", () => {
    const rows = shown(
      stored(
        { type: "ask", askId: "p", kind: "plan", question: "1. Parse", grants: [] },
        { type: "mode.changed", from: "plan", to: "act", by: "user", answeredAsk: "p" },
        { type: "ask.settled", askId: "p", by: "user", text: Sentences.switchedToAct }
      )
    )
    assert.deepStrictEqual(
      rows.map((row) => (row.kind === "question" ? row.answer : row.kind)),
      ["You switched to Act"]
    )
  })
})
