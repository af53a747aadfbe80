import { Conversation, Message } from "@belay/message-state"
import { assert, describe, it } from "@effect/vitest"
import { between, log } from "./arbitraries.ts"

const { conversation, duplicates, unanswered, withOwnIds } = Conversation

/** Each block with the role that it is sent under. */
const blocks = (messages: ReadonlyArray<Message.Message>) =>
  messages.flatMap(({ content, role }) => content.map((block) => ({ role, block })))

const call = (id: string): Message.ToolUseBlock => ({ type: "tool_use", id, name: "read_file", input: {} })
const result = (id: string): Message.ToolResultBlock => ({ type: "tool_result", tool_use_id: id, content: [] })
const assistant = (...content: ReadonlyArray<Message.ContentBlock>): Message.Message => ({ role: "assistant", content })

describe("conversation", () => {
  it("joins consecutive messages of one role in order", () => {
    const merged = conversation([
      Message.user(Message.text("a")),
      Message.user(Message.text("b")),
      assistant(call("1"), call("2")),
      Message.user(result("1")),
      Message.user(result("2"), Message.text("c"))
    ])
    assert.deepStrictEqual(merged, [
      Message.user(Message.text("a"), Message.text("b")),
      assistant(call("1"), call("2")),
      Message.user(result("1"), result("2"), Message.text("c"))
    ])
  })

  it("gives a call whose id an earlier one has one of its own, and its result with it; what was before stays", () => {
    const twice = [
      assistant(call("a")),
      Message.user(result("a")),
      assistant(call("a"), call("a_2")),
      Message.user(result("a"), result("a_2")),
      assistant(call("a"))
    ]
    const merged = withOwnIds(twice)
    assert.deepStrictEqual(merged, [
      assistant(call("a")),
      Message.user(result("a")),
      assistant(call("a_2"), call("a_2_2")),
      Message.user(result("a_2"), result("a_2_2")),
      assistant(call("a_3"))
    ])
    assert.deepStrictEqual(withOwnIds(twice.slice(0, 4)), merged.slice(0, 4))
    assert.deepStrictEqual(unanswered(merged), [call("a_3")])
  })

  it.prop(
    "with ids of their own no two calls have one, each has its results, and a prefix stays one",
    { log },
    ({ log }) => {
      const own = withOwnIds(log)
      const ids = own.flatMap(Message.toolUses).map(({ id }) => id)
      assert.strictEqual(new Set(ids).size, ids.length)
      const named = (of: ReadonlyArray<Message.ToolUseBlock>) => of.map(({ input, name }) => ({ input, name }))
      assert.deepStrictEqual(named(unanswered(own)), named(unanswered(log)))
      assert.deepStrictEqual(named(duplicates(own)), named(duplicates(log)))
      const half = Math.floor(log.length / 2)
      assert.deepStrictEqual(withOwnIds(log.slice(0, half)), own.slice(0, half))
    }
  )

  it.prop("roles alternate, and the blocks are the very ones of the log", { log }, ({ log }) => {
    const merged = conversation(log)
    for (const [index, { role }] of merged.entries()) assert.notStrictEqual(role, merged[index - 1]?.role)
    const before = blocks(log)
    const after = blocks(merged)
    assert.strictEqual(after.length, before.length)
    for (const [index, { block, role }] of after.entries()) {
      assert.strictEqual(block, before[index]?.block)
      assert.strictEqual(role, before[index]?.role)
    }
  })

  it.prop("of a log that has grown has the very same values before what is new", { log }, ({ log }) => {
    const growing: Array<Message.Message> = []
    let before: ReadonlyArray<Message.Message> = []
    for (const message of log) {
      growing.push(message)
      const now = Conversation.sent(growing)
      const same = now.filter(({ content }, at) => content === before[at]?.content).length
      // The last one may have become longer.
      assert.isAtLeast(same, before.length - 1)
      before = now
    }
  })

  it.prop("of a prefix is a prefix of that of the log", { log, at: between(0, 8) }, ({ at, log }) => {
    const short = conversation(log.slice(0, at))
    const long = conversation(log)
    // All messages but the newest are the same; the newest may have got further blocks at its end.
    for (const [index, { content, role }] of short.entries()) {
      const isNewest = index === short.length - 1
      assert.strictEqual(long[index]?.role, role)
      assert.deepStrictEqual(long[index]?.content.slice(0, isNewest ? content.length : undefined), content)
    }
    assert.deepStrictEqual(blocks(long).slice(0, blocks(short).length), blocks(short))
  })

  it.prop("leaves the log as it is, and its own result", { log }, ({ log }) => {
    const before = JSON.stringify(log)
    const merged = conversation(log)
    assert.strictEqual(JSON.stringify(log), before)
    assert.deepStrictEqual(conversation(merged), merged)
  })
})

describe("results of calls", () => {
  it("names the calls without a result and those with two", () => {
    const messages = [
      assistant(call("none"), call("one"), call("two")),
      Message.user(result("two"), result("one")),
      Message.user(result("two"), result("of no call"))
    ]
    assert.deepStrictEqual(
      unanswered(messages).map(({ id }) => id),
      ["none"]
    )
    assert.deepStrictEqual(
      duplicates(messages).map(({ id }) => id),
      ["two"]
    )
  })

  it("does not take an earlier result for the answer of a later call", () => {
    assert.deepStrictEqual(unanswered([Message.user(result("a")), assistant(call("a"))]), [call("a")])
    const repeated = [assistant(call("a")), Message.user(result("a")), assistant(call("a"))]
    assert.deepStrictEqual([unanswered(repeated), duplicates(repeated)], [[call("a")], []])
  })

  it.prop("an answer to each unanswered call, and only that, leaves none open", { log }, ({ log }) => {
    const open = unanswered(log)
    const answered = [...log, Message.user(...[...new Set(open.map(({ id }) => id))].map(result))]
    const shadowed = open.filter(
      (block) => log.flatMap(Message.toolUses).findLast(({ id }) => id === block.id) !== block
    )
    assert.deepStrictEqual(unanswered(answered), shadowed)
    if (shadowed.length === 0) assert.deepStrictEqual(duplicates(answered), duplicates(log))
  })

  it.prop("does not depend on how the log is cut into messages", { log }, ({ log }) => {
    const merged = conversation(log)
    assert.deepStrictEqual(unanswered(merged), unanswered(log))
    assert.deepStrictEqual(duplicates(merged), duplicates(log))
    assert.isFalse(unanswered(log).some((block) => duplicates(log).includes(block)))
  })

  it.prop("one more result moves a call from unanswered to answered to duplicated", { log }, ({ log }) => {
    const fresh = [...log, assistant(call("fresh"))]
    const ids = (messages: ReadonlyArray<Message.Message>) => [
      unanswered(messages).some(({ id }) => id === "fresh"),
      duplicates(messages).some(({ id }) => id === "fresh")
    ]
    const once = [...fresh, Message.user(result("fresh"))]
    assert.deepStrictEqual(ids(fresh), [true, false])
    assert.deepStrictEqual(ids(once), [false, false])
    assert.deepStrictEqual(ids([...once, Message.user(result("fresh"))]), [false, true])
  })
})

describe("Message", () => {
  it("textOf joins text blocks with an empty line and leaves the rest out", () => {
    const message = assistant(Message.text("a"), call("1"), Message.text("b"))
    assert.strictEqual(Message.textOf(message), "a\n\nb")
    assert.deepStrictEqual(Message.toolUses(message), [call("1")])
  })
})
