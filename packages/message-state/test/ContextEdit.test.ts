import { ContextEdit, Message } from "@belay/message-state"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import { between, log as anyLog } from "./arbitraries.ts"

const { hidden, view, within } = ContextEdit

const logged = Arbitrary.map(anyLog, (messages): ReadonlyArray<Message.LoggedMessage> =>
  messages.map((message, index) => ({ ...message, index }))
)

/** Edits of every kind, also such that hide each other. */
const edits = Arbitrary.array(
  Arbitrary.map(
    Arbitrary.all([between(0, 3), between(0, 8), between(0, 4), between(0, 3)]),
    ([kind, from, length, block]): ContextEdit.Draft => {
      const range = { from, to: from + length }
      if (kind === 0) return { ...range, kind: "cut" }
      if (kind === 1) return { ...range, kind: "elide", results: [{ index: from, block, text: `left out ${block}` }] }
      return { ...range, kind: kind === 2 ? "summary" : "left-out", text: `${from} to ${range.to}` }
    }
  ),
  { maxLength: 5 }
)

const texts = (messages: ReadonlyArray<Message.Message>) =>
  messages.flatMap(({ content }) => content.flatMap((block) => (block.type === "text" ? [block.text] : [])))

const result = (id: string, text: string): Message.ToolResultBlock => ({
  type: "tool_result",
  tool_use_id: id,
  content: [Message.text(text)]
})

const log: ReadonlyArray<Message.LoggedMessage> = [
  Message.user(Message.text("do it")),
  { role: "assistant" as const, content: [{ type: "tool_use" as const, id: "a", name: "read_file", input: {} }] },
  Message.user(result("a", "long")),
  { role: "assistant" as const, content: [Message.text("done")] },
  Message.user(Message.text("and now?"))
].map((message, index) => ({ ...message, index }))

describe("the view of a log", () => {
  it("without edits is the log", () => {
    assert.deepStrictEqual(view(log, []), log)
  })

  it("has one message of the user where a summary stands for several", () => {
    const shown = view(log, [{ kind: "summary", from: 1, to: 3, text: "it was done" }])
    assert.deepStrictEqual(shown, [
      ...log.slice(0, 1),
      { index: 1, ...Message.from("engine.summary", Message.text("it was done")) },
      ...log.slice(4)
    ])
  })

  it("keeps the call and the place of a result that is left out", () => {
    const shown = view(log, [{ kind: "elide", from: 2, to: 2, results: [{ index: 2, block: 0, text: "(left out)" }] }])
    assert.deepStrictEqual(shown[2]?.content, [result("a", "(left out)")])
    assert.strictEqual(shown[1], log[1])
  })

  it("ends where a restore cut it, with what came after", () => {
    const after: Message.LoggedMessage = { ...Message.user(Message.text("otherwise")), index: 5 }
    assert.deepStrictEqual(view([...log, after], [{ kind: "cut", from: 3, to: 4 }]), [...log.slice(0, 3), after])
  })

  it.prop("leaves out what is hidden, and nothing else", { log: logged, edits }, ({ edits, log }) => {
    const ranges = hidden(edits)
    const shown = view(log, edits)
    for (const message of log) {
      const gone = ranges.some(({ from, to }) => from <= message.index && message.index <= to)
      const found = shown.filter(({ index, role }) => index === message.index && role === message.role)
      if (!gone) assert.isAbove(found.length, 0)
      if (!gone && !edits.some(({ kind }) => kind === "elide")) assert.include(shown, message)
    }
    assert.deepStrictEqual(
      shown.map(({ index }) => index),
      shown.map(({ index }) => index).toSorted((a, b) => a - b)
    )
  })

  it.prop("is the same of a log from which the hidden messages are missing", { log: logged, edits }, (given) => {
    const ranges = hidden(given.edits)
    const rest = given.log.filter(({ index }) => !ranges.some(({ from, to }) => from <= index && index <= to))
    assert.deepStrictEqual(view(rest, given.edits), view(given.log, given.edits))
  })

  it.prop("of a longer log begins as that of the log", { log: logged, edits, at: between(0, 8) }, (given) => {
    const { at, edits, log } = given
    const past = edits.filter(({ to }) => to < at)
    const short = view(log.slice(0, at), past)
    assert.deepStrictEqual(view(log, past).slice(0, short.length), short)
  })

  it.prop("is that of the log when every edit is taken back", { log: logged, edits }, ({ edits, log }) => {
    const before = JSON.stringify(log)
    view(log, edits)
    assert.strictEqual(JSON.stringify(log), before)
    assert.deepStrictEqual(view(log, []), log)
  })

  it.prop("says nothing of a summary that a later edit hides", { log: logged, edits }, ({ edits, log }) => {
    const all: ContextEdit.Draft = { kind: "left-out", from: 0, to: 99, text: "everything" }
    assert.deepStrictEqual(texts(view(log, [...edits, all])), ["everything"])
  })

  it.prop(
    "of a copied beginning shows nothing of what comes later",
    { log: logged, edits, through: between(0, 8) },
    (given) => {
      const numbered = given.edits.map((edit, at): ContextEdit.ContextEdit => ({ ...edit, id: at + 1 }))
      const kept = within(numbered, given.through)
      for (const { to } of kept) assert.isAtMost(to, given.through)
      for (const edit of numbered) if (edit.to <= given.through) assert.include(kept, edit)
    }
  )
})
