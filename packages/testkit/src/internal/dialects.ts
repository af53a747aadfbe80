/**
 * How services that speak the Messages API differ from the one that made it, as far as a client sees it in a stream.
 *
 * Sources: https://docs.ollama.com/api/anthropic-compatibility, https://openrouter.ai/docs,
 * https://github.com/ggml-org/llama.cpp/pull/17570, https://api-docs.deepseek.com,
 * https://docs.litellm.ai
 */
import type { Dialect } from "../Scenario.ts"

/** An event of the stream. */
export interface Data {
  readonly type: string
  readonly [key: string]: any
}

interface Speaker {
  /** The events that stand for one. */
  readonly events: (event: Data, at: number, all: ReadonlyArray<Data>) => ReadonlyArray<Data>
  /** Lines between events. */
  readonly comment?: string
  readonly counts: boolean
}

const isPing = ({ type }: Data): boolean => type === "ping"

/** Usage without what was read from a cache or written to it. */
const uncached = (event: Data): Data => {
  const bare = (usage: Data["usage"]) =>
    usage === undefined ? {} : { usage: { input_tokens: usage.input_tokens, output_tokens: usage.output_tokens } }
  if (event.type === "message_start") {
    return { ...event, message: { ...event["message"], ...bare(event["message"].usage) } }
  }
  return event.type === "message_delta" ? { ...event, ...bare(event["usage"]) } : event
}

const isOfCall = (event: Data, all: ReadonlyArray<Data>): boolean =>
  all.some(
    ({ content_block, index, type }) =>
      type === "content_block_start" && index === event["index"] && content_block.type === "tool_use"
  )

const jsonOf = (index: number, all: ReadonlyArray<Data>): string =>
  all.flatMap((event) => (event["index"] === index ? [event["delta"]?.partial_json ?? ""] : [])).join("")

/** A call comes whole with its first event. */
const wholeCalls = (event: Data, all: ReadonlyArray<Data>): ReadonlyArray<Data> => {
  if (!isOfCall(event, all)) return [event]
  if (event.type === "content_block_delta") return []
  if (event.type !== "content_block_start") return [event]
  return [{ ...event, content_block: { ...event["content_block"], input: JSON.parse(jsonOf(event["index"], all)) } }]
}

const speakers: { readonly [D in Dialect]: Speaker } = {
  ollama: {
    events: (event, _, all) => (isPing(event) ? [] : wholeCalls(uncached(event), all)),
    counts: false
  },
  openrouter: {
    events: (event) => [
      event.type === "message_start"
        ? { ...event, message: { ...event["message"], provider: "Somebody" } }
        : event.type === "message_delta"
          ? { ...event, usage: { ...event["usage"], cost: 0.0001, is_byok: false } }
          : event,
      ...(event.type === "content_block_stop" ? [{ type: "ping" }] : [])
    ],
    comment: ": OPENROUTER PROCESSING\n\n",
    counts: false
  },
  "llama.cpp": {
    events: (event) =>
      isPing(event)
        ? []
        : [event.type === "message_delta" ? { ...uncached(event), timings: { predicted_n: 20 } } : uncached(event)],
    counts: true
  },
  deepseek: {
    events: (event) => [
      event.type === "message_start"
        ? { ...uncached(event), message: { ...uncached(event)["message"], model: "another-model" } }
        : uncached(event)
    ],
    counts: false
  },
  litellm: {
    events: (event) => {
      if (isPing(event)) return []
      if (event.type !== "message_start" && event.type !== "message_delta") return [event]
      const { usage: _, ...bare } = event
      if (event.type === "message_delta") return [bare]
      const { usage: _none, ...message } = event["message"]
      return [{ ...bare, message }]
    },
    counts: false
  }
}

const written = (data: Data): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

/** The events of a stream as a service sends them. */
export const speak = (dialect: Dialect | undefined, events: ReadonlyArray<Data>): ReadonlyArray<string> => {
  if (dialect === undefined) return events.map(written)
  const { comment = "", events: said } = speakers[dialect]
  return events.flatMap((event, at) => said(event, at, events)).map((data) => `${comment}${written(data)}`)
}

export const counts = (dialect: Dialect | undefined): boolean => dialect === undefined || speakers[dialect].counts
