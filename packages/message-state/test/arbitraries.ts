import type { Message } from "@belay/message-state"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

export const between = (minimum: number, maximum: number): Arbitrary.Arbitrary<number> =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))

const calls = ["toolu_a", "toolu_b", "toolu_c"] as const

/** Every kind of block; calls and results share few ids, so that they often meet. */
const block: Arbitrary.Arbitrary<Message.ContentBlock> = Arbitrary.map(
  Arbitrary.all([between(0, 5), between(0, calls.length - 1), between(0, 999)]),
  ([kind, call, value]): Message.ContentBlock => {
    const id = calls[call] ?? calls[0]
    switch (kind) {
      case 0:
        return { type: "thinking", thinking: `${value}`, signature: `s${value}` }
      case 1:
      case 2:
        return { type: "tool_use", id, name: "read_file", input: { path: `${value}` } }
      case 3:
      case 4:
        return { type: "tool_result", tool_use_id: id, content: [{ type: "text", text: `${value}` }] }
      default:
        return { type: "text", text: `${value}` }
    }
  }
)

const message: Arbitrary.Arbitrary<Message.Message> = Arbitrary.map(
  Arbitrary.all([Arbitrary.schema(Schema.Boolean), Arbitrary.array(block, { maxLength: 4 })]),
  ([isUser, content]) => ({ role: isUser ? "user" : "assistant", content })
)

export const log = Arbitrary.array(message, { maxLength: 8 })
