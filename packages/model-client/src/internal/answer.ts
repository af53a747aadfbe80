/**
 * Builds one answer from the service's events and says what each of them means.
 *
 * Blocks keep every field they started with. A tool call is finished only when its JSON is complete; one whose input is
 * missing or broken is held back, since `max_tokens` can cut it. Cut or broken, it stays in the message with `{}`, and the
 * answer names it as spoiled. No two calls of an answer have one id, and none has a used one.
 */
import { Conversation, type Message, type Usage } from "@belay/message-state"
import type { Finished, ModelEvent, SpoiledCall } from "../ModelEvent.ts"
import { jsonFault } from "./jsonFault.ts"

/** What the service sent cannot be understood. */
export class Unreadable extends Error {}

type Fields = Record<string, unknown>

interface Open {
  readonly index: number
  readonly start: Fields
  readonly text: Array<string>
  readonly json: Array<string>
  readonly signature: Array<string>
  readonly citations: Array<unknown>
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const fields = (value: unknown, what: string): Fields => {
  if (!isFields(value)) throw new Unreadable(`${what} is missing`)
  return value
}

const text = (value: unknown, what: string): string => {
  if (typeof value !== "string") throw new Unreadable(`${what} is not a text`)
  return value
}

const isBlock = (value: Fields): value is Fields & Message.ContentBlock => typeof value["type"] === "string"

const CUT = new Set(["max_tokens", "model_context_window_exceeded"])

const USAGE = {
  input_tokens: "inputTokens",
  output_tokens: "outputTokens",
  cache_read_input_tokens: "cacheReadTokens",
  cache_creation_input_tokens: "cacheWriteTokens"
} as const

const isUsageKey = (key: string): key is keyof typeof USAGE => Object.hasOwn(USAGE, key)

export class AnswerBuilder {
  readonly #emit: (event: ModelEvent) => void
  readonly #blocks: Array<Message.ContentBlock> = []
  readonly #usage: { -readonly [K in keyof Usage.Usage]: number } = {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0
  }
  #open: Open | undefined
  /** A tool call that ended without usable input; what comes next decides on it. */
  #held: { readonly index: number; readonly block: Fields; readonly json: string } | undefined
  readonly #ids = new Set<string>()
  readonly #used: ReadonlySet<string>
  readonly #spoiled: Array<SpoiledCall> = []
  #started = false
  #model = ""
  #stopReason: string | undefined
  /** Whether a tool call was handed out: from then on the answer must not be given a second time. */
  handedOut = false

  constructor(emit: (event: ModelEvent) => void, used: ReadonlySet<string> = new Set()) {
    this.#emit = emit
    this.#used = used
  }

  /** Takes one event; returns the answer with the last one. Throws `Unreadable`. */
  accept(input: unknown): Finished | undefined {
    const event = fields(input, "an event")
    const type = event["type"]
    if (!this.#started && typeof type === "string" && (type.startsWith("content_block_") || type === "message_stop")) {
      throw new Unreadable(`${type} came before message_start`)
    }
    switch (type) {
      case "content_block_delta":
        this.#delta(event)
        break
      case "content_block_start":
        this.#settle(false)
        this.#start(event)
        break
      case "content_block_stop":
        this.#stop(event)
        break
      case "message_start": {
        if (this.#started) throw new Unreadable("a second message_start came")
        this.#started = true
        const message = fields(event["message"], "the message of message_start")
        if (typeof message["model"] === "string") this.#model = message["model"]
        this.#count(message["usage"])
        this.#emit({ _tag: "Began", usage: { ...this.#usage } })
        break
      }
      case "message_delta": {
        const reason = fields(event["delta"], "the delta of message_delta")["stop_reason"]
        if (typeof reason === "string") this.#stopReason = reason
        this.#count(event["usage"])
        break
      }
      case "message_stop":
        return this.#finish()
    }
    return undefined
  }

  #count(usage: unknown): void {
    if (!isFields(usage)) return
    for (const [key, value] of Object.entries(usage)) {
      if (isUsageKey(key) && typeof value === "number" && Number.isSafeInteger(value) && value >= 0) {
        this.#usage[USAGE[key]] = value
      }
    }
  }

  #start(event: Fields): void {
    if (this.#open !== undefined) throw new Unreadable("a block started before the one before it stopped")
    const index = event["index"]
    if (typeof index !== "number") throw new Unreadable("a block has no index")
    const start = fields(event["content_block"], "the block of content_block_start")
    const type = text(start["type"], "the type of a block")
    const isCall = type === "tool_use"
    const fresh = isCall ? { ...start, id: this.#fresh(text(start["id"], "the id of a tool call")) } : start
    this.#open = { index, start: fresh, text: [], json: [], signature: [], citations: [] }
    if (!isCall) return this.#emit({ _tag: "BlockStarted", index, type })
    const name = text(start["name"], "the name of a tool call")
    this.#emit({ _tag: "BlockStarted", index, type, callId: textOr(fresh["id"]), name })
  }

  /** The id that the service gave, else one that no other call has. */
  #fresh(given: string): string {
    const id = Conversation.freshId(
      given === "" ? "call" : given,
      (known) => this.#ids.has(known) || this.#used.has(known)
    )
    this.#ids.add(id)
    return id
  }

  #openAt(event: Fields): Open {
    const open = this.#open
    if (open === undefined || open.index !== event["index"]) throw new Unreadable("an event names no open block")
    return open
  }

  #delta(event: Fields): void {
    const open = this.#openAt(event)
    const delta = fields(event["delta"], "the delta of a block")
    const index = open.index
    switch (delta["type"]) {
      case "text_delta": {
        const piece = text(delta["text"], "a text delta")
        open.text.push(piece)
        return this.#emit({ _tag: "TextDelta", index, text: piece })
      }
      case "thinking_delta": {
        const piece = text(delta["thinking"], "a thinking delta")
        open.text.push(piece)
        return this.#emit({ _tag: "ThinkingDelta", index, text: piece })
      }
      case "input_json_delta": {
        const json = text(delta["partial_json"], "a piece of tool input")
        if (json === "") return
        open.json.push(json)
        return this.#emit({ _tag: "ToolInputDelta", index, json })
      }
      case "signature_delta":
        open.signature.push(text(delta["signature"], "a signature"))
        return
      case "citations_delta":
        open.citations.push(delta["citation"])
    }
  }

  #stop(event: Fields): void {
    const { citations, index, json, signature, start, text: pieces } = this.#openAt(event)
    this.#open = undefined
    const block: Fields = { ...start }
    const key = start["type"] === "thinking" ? "thinking" : "text"
    if (pieces.length > 0) block[key] = textOr(start[key]) + pieces.join("")
    if (signature.length > 0) block["signature"] = textOr(start["signature"]) + signature.join("")
    if (citations.length > 0)
      block["citations"] = [...(Array.isArray(start["citations"]) ? start["citations"] : []), ...citations]
    if (json.length > 0) {
      const input = objectIn(json.join(""))
      if (input === undefined) {
        this.#held = { index, block: { ...block, input: {} }, json: json.join("") }
        return
      }
      block["input"] = input
    } else if (start["type"] === "tool_use" && isEmpty(start["input"])) {
      this.#held = { index, block: { ...block, input: {} }, json: "" }
      return
    }
    this.#finishBlock(index, block)
  }

  #settle(cut: boolean): void {
    const held = this.#held
    this.#held = undefined
    if (held === undefined) return
    const { block, index, json } = held
    const fault = jsonFault(json)
    if (!cut && (json === "" || fault === undefined)) return this.#finishBlock(index, block)
    if (isBlock(block)) this.#blocks.push(block)
    const callId = textOr(block["id"])
    this.#spoiled.push(cut || fault === undefined ? { callId, received: json } : { callId, received: json, fault })
  }

  #finishBlock(index: number, block: Fields): void {
    if (!isBlock(block)) throw new Unreadable("a block has no type")
    this.#blocks.push(block)
    if (block.type === "tool_use") this.handedOut = true
    this.#emit({ _tag: "BlockFinished", index, block })
  }

  #finish(): Finished {
    if (this.#open !== undefined) throw new Unreadable("the message stopped inside a block")
    if (this.#stopReason === undefined) throw new Unreadable("the message stopped without a reason")
    this.#settle(CUT.has(this.#stopReason))
    return {
      _tag: "Finished",
      message: { role: "assistant", content: this.#blocks },
      stopReason: this.#stopReason,
      spoiled: this.#spoiled,
      usage: { ...this.#usage },
      model: this.#model
    }
  }
}

const textOr = (value: unknown): string => (typeof value === "string" ? value : "")

const isEmpty = (input: unknown): boolean => !isFields(input) || Object.keys(input).length === 0

/** Some services send the JSON as a JSON string. */
const objectIn = (json: string): Fields | undefined => {
  try {
    const value: unknown = JSON.parse(json)
    const inner: unknown = typeof value === "string" ? JSON.parse(value) : value
    return isFields(inner) ? inner : undefined
  } catch {
    return undefined
  }
}
