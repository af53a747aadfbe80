import { Message, Origin } from "@belay/message-state"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"

describe("who wrote a block", () => {
  it.prop("is read as it was stored, block for block", [Schema.Array(Origin.Origin)], ([from]) => {
    const stored = Origin.encode(from)
    const read = stored === null ? from.map(() => "unknown") : Origin.decode(stored)
    assert.deepStrictEqual(read, from)
  })

  it("is unknown where a later version names somebody else, and nothing where it is damaged", () => {
    assert.deepStrictEqual(Origin.decode('["user","engine.tomorrow",7]'), ["user", "unknown", "unknown"])
    for (const damaged of ["", "{", "null", '"user"']) assert.isUndefined(Origin.decode(damaged))
  })

  it("stays with the block when messages become one", () => {
    const joined = Message.joined(
      Message.from("user", Message.text("a")),
      Message.user(Message.text("b")),
      Message.from("engine.notice")
    )
    assert.deepStrictEqual(joined, {
      role: "user",
      content: [Message.text("a"), Message.text("b")],
      from: ["user", "unknown"]
    })
  })

  it("is the model's of an answer, and unknown of any other message that does not say it", () => {
    const content = [Message.text("a")]
    assert.strictEqual(Message.originOf({ role: "assistant", content }, 0), "model")
    assert.strictEqual(Message.originOf({ role: "user", content }, 0), "unknown")
  })
})
