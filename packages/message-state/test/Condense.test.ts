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
      for (const edit of [
        repeatedReads(log, reads),
        oldOutputs(log, { keepFrom: at, free: 5000, reads }),
        shortened(log)
      ]) {
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
    const long = texts.filter((text) => text !== readAgain && text.length >= 1500)
    assert.strictEqual(new Set(long.map((text) => text[0])).size, long.length)
  })

  it("what is recent stays as it was", () => {
    const log = conversation([
      { reads: [1], size: 400, remark: false },
      { reads: [2], size: 400, remark: false }
    ])
    const shown = after(log, oldOutputs(log, { keepFrom: 3, free: Infinity, reads }))
    assert.include(JSON.stringify(shown[2]), "the result of read_file 1.ts")
    assert.deepStrictEqual(shown.slice(3), log.slice(3))
  })
})

describe("old results", () => {
  /** An answer with one call, and its result; the last two are recent. */
  const log = (
    ...calls: ReadonlyArray<readonly [name: string, input: object, text: string, isError?: true]>
  ): ReadonlyArray<Message.LoggedMessage> =>
    [
      Message.user(Message.text("do it")),
      ...calls.flatMap(([name, input, text, is_error], at): ReadonlyArray<Message.Message> => [
        { role: "assistant", content: [{ type: "tool_use", id: `${at}`, name, input }] },
        Message.user({
          type: "tool_result",
          tool_use_id: `${at}`,
          content: [Message.text(text)],
          ...(is_error === undefined ? {} : { is_error })
        })
      ]),
      { role: "assistant" as const, content: [Message.text("next")] }
    ].map((message, index) => ({ ...message, index }))

  const ran = (command: string, text: string) => ["execute_command", { command }, text] as const
  const leftOut = (messages: ReadonlyArray<Message.LoggedMessage>, free = Infinity) => {
    const edit = oldOutputs(messages, { keepFrom: messages.length - 1, free, reads })
    return edit?.kind === "elide" ? edit.results.map(({ index, text }) => [(index - 2) / 2, text]) : []
  }
  const long = "x".repeat(1500)

  it("stay when they are short, an error, or the last run of tests", () => {
    const messages = log(
      ["read_file", { path: "short.ts" }, long.slice(1)],
      ["read_file", { path: "long.ts" }, long],
      ["replace_in_file", { path: "a.ts" }, long, true],
      ran("npm test -- --run", long),
      ran("cd a && npx vitest run", long),
      ran("npm run build", `${long}\n${"built it\n".repeat(40)}done in 3 s\nexit code 0`)
    )
    const end = `${"built it\n".repeat(30)}done in 3 s\nexit code 0`
    assert.deepStrictEqual(leftOut(messages), [
      [1, "(Left out: 1,500 characters, the result of read_file long.ts. Call it again if you need it.)"],
      [
        3,
        `(Left out: 1,500 characters, the result of execute_command npm test -- --run. Call it again if you need it. It ended:)\n${"x".repeat(300)}`
      ],
      [
        5,
        `(Left out: 1,884 characters, the result of execute_command npm run build. Call it again if you need it. It ended:)\n${end}`
      ]
    ])
  })

  it("go the oldest and biggest first, and no more than are needed", () => {
    const read = (name: string, size: number) => ["read_file", { path: name }, "y".repeat(size)] as const
    const messages = log(read("a", 2000), read("b", 40_000), read("c", 2000), read("d", 10_000))
    const gone = (free: number) => leftOut(messages, free).map(([at]) => at)
    assert.deepStrictEqual(gone(1), [1])
    assert.deepStrictEqual(gone(40_000), [0, 1])
    assert.deepStrictEqual(gone(50_000), [0, 1, 3])
    assert.deepStrictEqual(gone(0), [])
    const edit = oldOutputs(messages, { keepFrom: messages.length - 1, free: 30_000, reads })
    assert.isAtMost(weight(after(messages, edit)), weight(messages) - 30_000)
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
