import type { Message } from "@belay/message-state"
import type { ModelRequest } from "@belay/model-client"
import { assert, describe, it } from "@effect/vitest"
import { encode } from "../src/internal/encode.ts"
import { prepare, prepareCount, thoughtless } from "../src/internal/prepare.ts"
import { request } from "./harness.ts"

const mark = { cache_control: { type: "ephemeral" } }
const text = (value: string): Message.TextBlock => ({ type: "text", text: value })
const thinking: Message.ThinkingBlock = { type: "thinking", thinking: "t", signature: "s" }
const redacted: Message.RedactedThinkingBlock = { type: "redacted_thinking", data: "d" }

const freeze = <A>(value: A): A => {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(freeze)
  return value
}

describe("prepare", () => {
  it("puts breakpoints on the last tool, the last system block, the newest block and the end of the user message before it", () => {
    const tool = (name: string) => ({ name, description: "d", input_schema: { type: "object" } })
    const messages: ReadonlyArray<Message.Message> = [
      { role: "user", content: [text("a")] },
      { role: "assistant", content: [text("b")] },
      { role: "user", content: [text("c"), text("d")] },
      { role: "assistant", content: [text("e"), text("f")] },
      { role: "user", content: [text("g"), text("h")] }
    ]
    const body = prepare(freeze(request({ system: [text("s"), text("t")], tools: [tool("x"), tool("y")], messages })))
    assert.deepStrictEqual(body, {
      model: "test-model",
      max_tokens: 1024,
      stream: true,
      tools: [tool("x"), { ...tool("y"), ...mark }],
      system: [text("s"), { ...text("t"), ...mark }],
      messages: [
        ...messages.slice(0, 2),
        { role: "user", content: [text("c"), { ...text("d"), ...mark }] },
        ...messages.slice(3, 4),
        { role: "user", content: [text("g"), { ...text("h"), ...mark }] }
      ]
    })
  })

  it("is the same bytes whoever wrote the messages", () => {
    const content = [[text("a"), text("b")], [text("c")], [text("d")], [text("e")]]
    const roles = ["user", "user", "assistant", "user"] as const
    const messages = content.map((blocks, at): Message.Message => ({ role: roles[at] ?? "user", content: blocks }))
    const told = messages.map((message) => ({
      ...message,
      from: message.content.map(() => "engine.notice" as const)
    }))
    assert.deepStrictEqual(encode(prepare(request({ messages: told }))), encode(prepare(request({ messages }))))
    assert.deepStrictEqual(
      encode(prepareCount(request({ messages: told }))),
      encode(prepareCount(request({ messages })))
    )
  })

  it("keeps a breakpoint where the request before ended, behind any number of calls, and never has more than four", () => {
    const calls = Array.from({ length: 24 }, (_, at) => ({
      type: "tool_use" as const,
      id: `${at}`,
      name: "read_file",
      input: { path: `${at}` }
    }))
    const results = calls.map(({ id }): Message.ContentBlock => ({ type: "tool_result", tool_use_id: id, content: [] }))
    const marksOf = (message: object | undefined) => JSON.stringify(message).split("cache_control").length - 1
    const log: Array<Message.Message> = [{ role: "user", content: [text("do it")] }]
    for (let turn = 0; turn < 5; turn++) {
      const ended = log.length - 1
      log.push({ role: "assistant", content: calls }, { role: "user", content: results })
      const body = prepare(freeze(request({ messages: [...log] })))
      assert.include(JSON.stringify(body.messages[ended]?.content.at(-1)), "cache_control", `${turn}`)
      assert.include(JSON.stringify(body.messages.at(-1)?.content.at(-1)), "cache_control", `${turn}`)
      assert.strictEqual(marksOf(body), 4, `${turn}`)
    }
  })

  it("never marks thinking or empty text, but the nearest block before it", () => {
    const last = (...messages: ReadonlyArray<Message.Message>) => prepare(freeze(request({ messages }))).messages
    assert.deepStrictEqual(
      last({ role: "assistant", content: [text("a"), text("b"), thinking, redacted, text("")] })[0]?.content,
      [text("a"), { ...text("b"), ...mark }, thinking, redacted, text("")]
    )
    assert.deepStrictEqual(
      last(
        { role: "user", content: [text("a"), text("")] },
        { role: "assistant", content: [text("b")] },
        { role: "user", content: [text("")] },
        { role: "assistant", content: [text("c"), thinking] },
        { role: "user", content: [text("d")] }
      ).map((one) => one.content),
      [
        [{ ...text("a"), ...mark }, text("")],
        [text("b")],
        [text("")],
        [text("c"), thinking],
        [{ ...text("d"), ...mark }]
      ]
    )
    assert.deepStrictEqual(
      last({ role: "user", content: [text("a")] }, { role: "assistant", content: [thinking] }).map(
        (one) => one.content
      ),
      [[{ ...text("a"), ...mark }], [thinking]]
    )
    assert.deepStrictEqual(last({ role: "assistant", content: [thinking] })[0]?.content, [thinking])
  })

  it("sends nothing of a logged message but its role and content", () => {
    const logged = { index: 3, role: "user" as const, content: [text("a")] }
    const [sent] = prepare(request({ messages: [logged] })).messages
    assert.deepStrictEqual(Object.keys(sent ?? {}), ["role", "content"])
  })

  it("says how to think only when it is told, and leaves out empty tools and system", () => {
    const bare = { tools: [], system: [] }
    assert.deepStrictEqual(Object.keys(prepare(request(bare))), ["model", "max_tokens", "stream", "messages"])
    const thought = (thinking: ModelRequest.Thinking) => {
      const { messages: _, model: _model, ...rest } = prepareCount(request({ ...bare, thinking }))
      return rest
    }
    assert.deepStrictEqual(thought({ type: "budget", tokens: 2048 }), {
      thinking: { type: "enabled", budget_tokens: 2048 }
    })
    assert.deepStrictEqual(thought({ type: "adaptive", effort: "low" }), {
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: "low" }
    })
    for (const type of ["disabled", "between_tools"] as const) {
      assert.deepStrictEqual(thought({ type }), { thinking: { type } })
    }
    assert.strictEqual(prepare(request({ temperature: 0.5 })).temperature, 0.5)
  })

  it("without a word of thinking is the same request with what was said", () => {
    const first: Message.Message = { role: "user", content: [text("a")] }
    const thought: Message.Message = { role: "assistant", content: [thinking, text("b"), redacted] }
    const messages = [first, thought, first, { ...thought, content: [thinking] }]
    const asked = request({ messages, thinking: { type: "disabled" } })
    const after = thoughtless(freeze(asked))
    assert.notProperty(after, "thinking")
    assert.deepStrictEqual(after.messages, [
      first,
      { role: "assistant", content: [text("b")] },
      first,
      { role: "assistant", content: [text("(no answer)")] }
    ])
    // The very same lists: what was sent of them need not be made again.
    assert.strictEqual(thoughtless(asked).messages[1]?.content, after.messages[1]?.content)
  })

  it("sends the JSON of the whole body, whatever was sent before", () => {
    const log: Array<Message.Message> = []
    const send = (...content: ReadonlyArray<Message.ContentBlock>) => {
      log.push({ role: log.length % 2 === 0 ? "user" : "assistant", content })
      for (const body of [prepare(request({ messages: log })), prepareCount(request({ messages: log, tools: [] }))]) {
        assert.strictEqual(encode(body).toString(), JSON.stringify(body))
      }
    }
    assert.strictEqual(
      encode(prepare(request({ messages: [] })))
        .toString()
        .slice(-14),
      '"messages":[]}'
    )
    send(text("äöü \u2028 \ud83d\ude00 \ud83d"))
    send(thinking, { type: "tool_use", id: "1", name: "read_file", input: { path: 'a\n"b' } })
    send({ type: "tool_result", tool_use_id: "1", content: [text("é")], is_error: true })
    send(text("done"))
    // Another one in the middle, then the same ones in other places.
    log[1] = { role: "assistant", content: [text("left out")] }
    send(text("after"))
    log.reverse()
    send(text("again"))
  })
})
