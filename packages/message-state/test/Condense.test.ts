import { Condense, ContextEdit, Conversation, Message } from "@belay/message-state"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { between } from "./arbitraries.ts"

const { oldOutputs, readAgain, repeatedReads, shortened, tailFrom, weight } = Condense

interface Turn {
  readonly reads: ReadonlyArray<number>
  readonly size: number
  readonly remark: boolean
}

/** A conversation of whole turns, as it is before a request. */
const conversation = (turns: ReadonlyArray<Turn>): ReadonlyArray<Message.LoggedMessage> => {
  const messages: Array<Message.Message> = [Message.user(Message.text("do it"))]
  for (const [turn, { reads, remark, size }] of turns.entries()) {
    const id = (at: number) => `call-${turn}-${at}`
    messages.push({
      role: "assistant",
      content: [
        Message.text("next"),
        ...reads.map((file, at) => ({
          type: "tool_use" as const,
          id: id(at),
          name: "read_file",
          input: { path: `${file}.ts`, task_progress: `- [ ] ${turn}` }
        }))
      ]
    })
    if (reads.length > 0) {
      messages.push(
        Message.user(
          ...reads.map((file, at): Message.ToolResultBlock => ({
            type: "tool_result",
            tool_use_id: id(at),
            content: [Message.text(`${file} of ${turn} `.repeat(size))]
          }))
        )
      )
    }
    if (remark || reads.length === 0) messages.push(Message.user(Message.text(`remark ${turn}`)))
  }
  return messages.map((message, index) => ({ ...message, index }))
}

const turn: Arbitrary.Arbitrary<Turn> = Arbitrary.map(
  Arbitrary.all([Arbitrary.array(between(0, 3), { maxLength: 3 }), between(1, 400), Arbitrary.schema(Schema.Boolean)]),
  ([reads, size, remark]) => ({ reads, size, remark })
)
const messages = Arbitrary.map(Arbitrary.array(turn, { maxLength: 6 }), conversation)

const reads = new Set(["read_file"])

const after = (log: ReadonlyArray<Message.LoggedMessage>, edit: ContextEdit.Draft | undefined) =>
  ContextEdit.view(log, edit === undefined ? [] : [edit])

/** Results whose call is not before them. */
const strays = (log: ReadonlyArray<Message.Message>) => {
  const calls = new Set<string>()
  return log.flatMap((message) => {
    for (const { id } of Message.toolUses(message)) calls.add(id)
    return message.content.filter((block) => block.type === "tool_result" && !calls.has(block.tool_use_id))
  })
}

const paired = (log: ReadonlyArray<Message.Message>) => [
  Conversation.unanswered(log),
  Conversation.duplicates(log),
  strays(log)
]

describe("leaving out", () => {
  it.prop(
    "every call keeps its one result, and nothing gets longer",
    { log: messages, at: between(0, 14) },
    (given) => {
      const { at, log } = given
      for (const edit of [repeatedReads(log, reads), oldOutputs(log, at), shortened(log)]) {
        const shown = after(log, edit)
        assert.deepStrictEqual(paired(shown), [[], [], []])
        assert.strictEqual(shown.length, log.length)
        assert.isAtMost(weight(shown), weight(log))
      }
    }
  )

  it.prop("the newest read of each file stays as it was", { log: messages }, ({ log }) => {
    const shown = after(log, repeatedReads(log, reads))
    const texts = shown.flatMap(({ content }) =>
      content.flatMap((block) =>
        block.type === "tool_result" ? block.content.map((part) => (part.type === "text" ? part.text : "")) : []
      )
    )
    const newest = new Map<string, string>()
    for (const { content } of log) {
      for (const block of content) {
        const part = block.type === "tool_result" ? block.content[0] : undefined
        if (part?.type === "text") newest.set(part.text[0] ?? "", part.text)
      }
    }
    for (const text of newest.values()) assert.include(texts, text)
    const long = texts.filter((text) => text !== readAgain && text.length > 600)
    assert.strictEqual(new Set(long.map((text) => text[0])).size, long.length)
  })

  it("what is recent stays as it was", () => {
    const log = conversation([
      { reads: [1], size: 400, remark: false },
      { reads: [2], size: 400, remark: false }
    ])
    const shown = after(log, oldOutputs(log, 3))
    assert.include(JSON.stringify(shown[2]), "the result of read_file 1.ts")
    assert.deepStrictEqual(shown.slice(3), log.slice(3))
  })
})

describe("where a conversation may be cut", () => {
  it.prop(
    "no result loses its call, and the newest turn is kept",
    { log: messages, most: between(0, 20_000) },
    (given) => {
      const { log, most } = given
      const at = tailFrom(log, most)
      if (at === undefined) return
      const shown = after(log, { kind: "left-out", from: 1, to: (log[at]?.index ?? 0) - 1, text: "left out" })
      assert.deepStrictEqual(shown.slice(2), log.slice(at))
      assert.deepStrictEqual(paired(shown), [[], [], []])
      assert.isAtMost(
        at,
        log.findLastIndex(({ role }) => role === "assistant")
      )
      const tail = log.slice(at)
      const isOneTurn = tail.filter(({ role }) => role === "assistant").length === 1
      if (!isOneTurn) assert.isAtMost(weight(tail), most)
    }
  )

  it("is nowhere when there is one turn only", () => {
    assert.isUndefined(tailFrom(conversation([{ reads: [1], size: 1, remark: true }]), 1_000_000))
  })
})
