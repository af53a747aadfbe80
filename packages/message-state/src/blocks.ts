/**
 * The blocks of messages as types alone, without a library.
 * Source: https://docs.anthropic.com/en/api/messages
 */

/** A text. */
export interface TextBlock {
  readonly type: "text"
  readonly text: string
}

/** A thought of the model. The service refuses one whose signature does not fit. */
export interface ThinkingBlock {
  readonly type: "thinking"
  readonly thinking: string
  readonly signature: string
}

/** A thought that the service has encrypted. */
export interface RedactedThinkingBlock {
  readonly type: "redacted_thinking"
  readonly data: string
}

/** A call of a tool. `input` is what the model wrote, decoded from JSON and not checked. */
export interface ToolUseBlock {
  readonly type: "tool_use"
  readonly id: string
  readonly name: string
  readonly input: unknown
}

/** An image in base64. */
export interface ImageBlock {
  readonly type: "image"
  readonly source: { readonly type: "base64"; readonly media_type: string; readonly data: string }
}

/** The result of the call `tool_use_id`. Every call has exactly one. */
export interface ToolResultBlock {
  readonly type: "tool_result"
  readonly tool_use_id: string
  readonly content: ReadonlyArray<TextBlock | ImageBlock>
  readonly is_error?: boolean
}

/** One block of a message, as the Messages API has it. */
export type ContentBlock =
  | TextBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolResultBlock
  | ImageBlock
