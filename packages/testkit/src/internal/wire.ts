/**
 * Renders answers as the Messages API sends them: server-sent events, one message, or an error.
 *
 * Rendering is pure: the same answer gives the same bytes. Text and tool input are cut into several deltas, never
 * inside a surrogate pair. Source: https://docs.anthropic.com/en/api/messages-streaming
 */
import type { Answer, BlockSpec, Dialect, ErrorSpec } from "../Scenario.ts"
import { type Data, speak } from "./dialects.ts"

/** Names the answer within its scenario; ids derive from it. */
export interface Place {
  readonly script: number | "fallback"
  readonly answer: number
  readonly model: string
  readonly dialect?: Dialect | undefined
}

/** The events of an answer, and the index just behind its first delta. */
export interface Rendered {
  readonly events: ReadonlyArray<string>
  readonly begun: number
}

/** Characters of a delta of text. */
export const TEXT_PIECE = 24
const JSON_PIECE = 12

/** The text in pieces of a size, never cut inside a surrogate pair. */
export const pieces = (value: string, size: number): ReadonlyArray<string> => {
  const out: Array<string> = []
  let start = 0
  while (start < value.length) {
    let end = Math.min(start + size, value.length)
    const last = value.charCodeAt(end - 1)
    if (end < value.length && last >= 0xd800 && last <= 0xdbff) end++
    out.push(value.slice(start, end))
    start = end
  }
  return out
}

const event = (data: Data): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

const withId = (block: BlockSpec, place: Place, index: number) =>
  block.type === "tool_use"
    ? {
        type: block.type,
        id: block.id ?? `toolu_${place.script}_${place.answer}_${index}`,
        name: block.name,
        input: block.input,
        ...(block.raw === undefined ? {} : { raw: block.raw })
      }
    : block

const usageOf = (answer: Answer) => ({
  input_tokens: answer.usage?.input_tokens ?? 100,
  cache_creation_input_tokens: answer.usage?.cache_creation_input_tokens ?? 0,
  cache_read_input_tokens: answer.usage?.cache_read_input_tokens ?? 0,
  output_tokens: answer.usage?.output_tokens ?? 20
})

const stopReasonOf = (answer: Answer): string =>
  answer.stopReason ?? (answer.content?.some((block) => block.type === "tool_use") === true ? "tool_use" : "end_turn")

const idOf = (place: Place) => `msg_${place.script}_${place.answer}`

/** The whole message, for requests without `stream`. */
export const message = (answer: Answer, place: Place) => ({
  id: idOf(place),
  type: "message",
  role: "assistant",
  model: place.model,
  content: (answer.content ?? []).map((block, index) => withId(block, place, index)),
  stop_reason: stopReasonOf(answer),
  stop_sequence: null,
  usage: usageOf(answer)
})

const startOf = (block: ReturnType<typeof withId>) => {
  if (block.type === "text") return { type: "text", text: "" }
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" }
  if (block.type !== "tool_use") return block
  const { raw: _, ...start } = block
  return { ...start, input: {} }
}

const deltasOf = (block: ReturnType<typeof withId>): ReadonlyArray<unknown> => {
  if (block.type === "redacted_thinking") return []
  if (block.type === "text") return pieces(block.text, TEXT_PIECE).map((text) => ({ type: "text_delta", text }))
  if (block.type === "thinking") {
    const thoughts = pieces(block.thinking, TEXT_PIECE).map((thinking) => ({ type: "thinking_delta", thinking }))
    return [...thoughts, { type: "signature_delta", signature: block.signature }]
  }
  return ["", ...pieces(block.raw ?? JSON.stringify(block.input), JSON_PIECE)].map((partial_json) => ({
    type: "input_json_delta",
    partial_json
  }))
}

const faultless = (answer: Answer, place: Place): Rendered => {
  const usage = usageOf(answer)
  const head = message(answer, place)
  const events: Array<Data> = [
    {
      type: "message_start",
      message: { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } }
    },
    { type: "ping" }
  ]
  for (const [index, block] of head.content.entries()) {
    events.push({ type: "content_block_start", index, content_block: startOf(block) })
    for (const delta of deltasOf(block)) events.push({ type: "content_block_delta", index, delta })
    events.push({ type: "content_block_stop", index })
  }
  events.push(
    {
      type: "message_delta",
      delta: { stop_reason: head.stop_reason, stop_sequence: null },
      usage
    },
    { type: "message_stop" }
  )
  const said = speak(place.dialect, events)
  const first = said.findIndex((one) => one.includes("event: content_block_delta"))
  return { events: said, begun: first === -1 ? Math.min(2, said.length) : first + 1 }
}

/** The events of an answer; with `faults`, its malformed text and error event are in their places. */
export const render = (answer: Answer, place: Place, faults: boolean): Rendered => {
  const { begun, events } = faultless(answer, place)
  if (!faults) return { begun, events }
  let changed = events
  if (answer.malformed !== undefined) changed = changed.toSpliced(answer.malformedAt ?? begun, 0, answer.malformed)
  if (answer.streamError !== undefined) {
    const error = event({ type: "error", error: answer.streamError })
    changed = [...changed.slice(0, answer.streamErrorAt ?? begun), error]
  }
  return { begun, events: changed }
}

const KNOWN: { readonly [status: number]: readonly [type: string, message: string] } = {
  400: ["invalid_request_error", "The request is not valid"],
  401: ["authentication_error", "invalid x-api-key"],
  403: ["permission_error", "Your API key does not have permission to use the specified resource"],
  404: ["not_found_error", "Not found"],
  413: ["request_too_large", "Request exceeds the maximum size"],
  429: ["rate_limit_error", "This request would exceed your rate limit"],
  500: ["api_error", "Internal server error"],
  529: ["overloaded_error", "Overloaded"]
}

/** The body of an error, as the service sends it. */
export const errorBody = (error: ErrorSpec): string => {
  const [type, text] = KNOWN[error.status] ?? (error.status >= 500 ? KNOWN[500]! : KNOWN[400]!)
  return JSON.stringify({ type: "error", error: { type: error.type ?? type, message: error.message ?? text } })
}
