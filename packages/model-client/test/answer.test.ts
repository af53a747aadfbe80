import type { ModelEvent } from "@belay/model-client"
import { assert, describe, it } from "@effect/vitest"
import { AnswerBuilder } from "../src/internal/answer.ts"
import { same } from "./harness.ts"

const start = { type: "message_start", message: { model: "m", usage: { input_tokens: 3, output_tokens: 1 } } }
const stop = (reason: string) => [
  { type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: 5, input_tokens: null } },
  { type: "message_stop" }
]
const tool = (index: number, ...json: ReadonlyArray<string>) => [
  { type: "content_block_start", index, content_block: { type: "tool_use", id: `t${index}`, name: "w", input: {} } },
  ...json.map((partial_json) => ({
    type: "content_block_delta",
    index,
    delta: { type: "input_json_delta", partial_json }
  })),
  { type: "content_block_stop", index }
]

const play = (...events: ReadonlyArray<unknown>) => {
  const emitted: Array<ModelEvent.ModelEvent> = []
  const builder = new AnswerBuilder((event) => void emitted.push(event))
  let finished: ModelEvent.Finished | undefined
  for (const event of [start, ...events]) finished = builder.accept(event) ?? finished
  return {
    builder,
    finished,
    blocks: emitted.flatMap((event) => (event._tag === "BlockFinished" ? [event.block] : []))
  }
}

describe("AnswerBuilder", () => {
  it("keeps a tool call that max_tokens cut without its arguments, names it, and does not hand it out", () => {
    for (const pieces of [[], [""], ['{"path":'], ['{"path":"a"']]) {
      const { blocks, builder, finished } = play(...tool(0, ...pieces), ...stop("max_tokens"))
      assert.deepStrictEqual(blocks, [])
      same(finished?.message.content, [{ type: "tool_use", id: "t0", name: "w", input: {} }])
      assert.deepStrictEqual(finished?.spoiled, [{ callId: "t0", received: pieces.join("") }])
      assert.isFalse(builder.handedOut)
    }
  })

  it("gives a tool call without input once what follows shows that it is complete", () => {
    const { blocks, finished } = play(...tool(0, ""), ...tool(1, '{"a"', ":1}"), ...stop("tool_use"))
    const expected = [
      { type: "tool_use", id: "t0", name: "w", input: {} },
      { type: "tool_use", id: "t1", name: "w", input: { a: 1 } }
    ]
    same(blocks, expected)
    same(finished?.message.content, expected)
  })

  it("keeps a tool call whose arguments are not JSON without them, and says where they are broken", () => {
    const { blocks, finished } = play(...tool(0, '{"a"'), ...tool(1, '{"b":1}'), ...tool(2, "[]"), ...stop("tool_use"))
    const good = { type: "tool_use", id: "t1", name: "w", input: { b: 1 } }
    same(blocks, [good])
    same(finished?.message.content, [
      { type: "tool_use", id: "t0", name: "w", input: {} },
      good,
      { type: "tool_use", id: "t2", name: "w", input: {} }
    ])
    assert.deepStrictEqual(finished?.spoiled, [
      { callId: "t0", received: '{"a"', fault: "character 4: they end too early" },
      { callId: "t2", received: "[]", fault: "character 0: they have to begin with {" }
    ])
  })

  it("takes arguments that came as a JSON string of their JSON", () => {
    const { finished } = play(...tool(0, JSON.stringify('{"a":1}')), ...stop("tool_use"))
    same(finished?.message.content, [{ type: "tool_use", id: "t0", name: "w", input: { a: 1 } }])
    assert.deepStrictEqual(finished?.spoiled, [])
  })

  it("gives calls whose ids are taken or empty ids of their own, and loses none", () => {
    const call = (index: number, id: string) => [
      { type: "content_block_start", index, content_block: { type: "tool_use", id, name: "w", input: { index } } },
      { type: "content_block_stop", index }
    ]
    const ids = ["a", "a_2", "a", "a", "", ""]
    const { blocks, finished } = play(...ids.flatMap((id, index) => call(index, id)), ...stop("tool_use"))
    const expected = ["a", "a_2", "a_3", "a_4", "call", "call_2"].map((id, index) => ({
      type: "tool_use",
      id,
      name: "w",
      input: { index }
    }))
    same(finished?.message.content, expected)
    same(blocks, expected)
  })

  it("gives a call no id that another call of the task has", () => {
    const builder = new AnswerBuilder(() => undefined, new Set(["a", "call", "b_2"]))
    let finished: ModelEvent.Finished | undefined
    const calls = ["a", "a_2", "b", ""].flatMap((id, index) => [
      { type: "content_block_start", index, content_block: { type: "tool_use", id, name: "w", input: {} } },
      { type: "content_block_stop", index }
    ])
    for (const event of [start, ...calls, ...stop("tool_use")]) finished = builder.accept(event) ?? finished
    const ids = finished?.message.content.map((block) => (block.type === "tool_use" ? block.id : ""))
    assert.deepStrictEqual(ids, ["a_2", "a_2_2", "b", "call_2"])
  })

  it("keeps blocks of unknown types and fields nobody knows as received", () => {
    const unknown = { type: "web_search_tool_result", tool_use_id: "s", content: [{ url: "x" }] }
    const citation = { type: "char_location", cited_text: "c" }
    const { finished } = play(
      { type: "content_block_start", index: 0, content_block: unknown },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "a", citations: [], more: 1 } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "b" } },
      { type: "content_block_delta", index: 1, delta: { type: "citations_delta", citation } },
      { type: "content_block_delta", index: 1, delta: { type: "a_new_delta" } },
      { type: "content_block_stop", index: 1 },
      { type: "a_new_event" },
      ...stop("end_turn")
    )
    same(finished?.message.content, [unknown, { type: "text", text: "ab", citations: [citation], more: 1 }])
  })

  it("takes the last count the service gave of each kind of token", () => {
    assert.deepStrictEqual(play(...stop("end_turn")).finished?.usage, {
      inputTokens: 3,
      outputTokens: 5,
      cacheReadTokens: 0,
      cacheWriteTokens: 0
    })
  })
})
