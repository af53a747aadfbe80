/** Updates as version 1 of the protocol has them. */
import type * as Protocol from "@agentclientprotocol/sdk"
import type * as Update from "./Update.ts"

const contentOf = (content: Update.Content): Protocol.ToolCallContent =>
  content.type === "text"
    ? { type: "content", content: { type: "text", text: content.text } }
    : { type: "diff", path: content.path, oldText: content.before, newText: content.after }

/** What of a call is said, and nothing of what is left out. */
export const callOf = (call: Update.Call): Protocol.ToolCallUpdate => {
  const { content, id, input, kind, name, paths, status, title } = call
  return {
    toolCallId: id,
    ...(title === undefined ? {} : { title }),
    ...(name === undefined ? {} : { name }),
    ...(kind === undefined ? {} : { kind }),
    ...(status === undefined ? {} : { status }),
    ...(input === undefined ? {} : { rawInput: input }),
    ...(paths === undefined ? {} : { locations: paths.map((path) => ({ path })) }),
    ...(content === undefined ? {} : { content: content.map(contentOf) })
  }
}

const chunks = {
  user: "user_message_chunk",
  agent: "agent_message_chunk",
  thought: "agent_thought_chunk"
} as const

const states = { open: "pending", doing: "in_progress", done: "completed" } as const

export const updateOf = (update: Update.Update): Protocol.SessionUpdate => {
  switch (update.type) {
    case "said":
      return {
        sessionUpdate: chunks[update.by],
        content: { type: "text", text: update.text },
        messageId: update.message
      }
    case "picture":
      return {
        sessionUpdate: "user_message_chunk",
        content: { type: "image", mimeType: update.mediaType, data: update.data },
        messageId: update.message
      }
    case "call":
      return { sessionUpdate: "tool_call", ...callOf(update.call), title: update.call.title } as Protocol.SessionUpdate
    case "change":
      return { sessionUpdate: "tool_call_update", ...callOf(update.call) }
    case "output":
      return {
        sessionUpdate: "tool_call_update",
        toolCallId: update.id,
        content: [contentOf({ type: "text", text: update.text })]
      }
    case "plan":
      return {
        sessionUpdate: "plan",
        entries: update.items.map(({ state, text }) => ({ content: text, priority: "medium", status: states[state] }))
      }
    case "title":
      return { sessionUpdate: "session_info_update", title: update.title }
    case "mode":
      return { sessionUpdate: "current_mode_update", currentModeId: update.mode }
    case "usage":
      return {
        sessionUpdate: "usage_update",
        used: update.used,
        size: update.size,
        ...(update.costUsd === null ? {} : { cost: { amount: update.costUsd, currency: "USD" } })
      }
  }
}
