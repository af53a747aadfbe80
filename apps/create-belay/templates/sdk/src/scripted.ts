/** A model without a service: one call after the other, each when the one before it has its result. */
import { defineModel } from "@belay/sdk"

export const scripted = (...calls: ReadonlyArray<{ readonly name: string; readonly input: object }>) =>
  defineModel({
    stream: async function* ({ messages }) {
      const done = messages.flatMap(({ content }) => content).filter(({ type }) => type === "tool_result").length
      const call = calls[Math.min(done, calls.length - 1)]
      yield { type: "finished", content: call === undefined ? [] : [{ type: "tool_use", id: `call-${done}`, ...call }] }
    }
  })
