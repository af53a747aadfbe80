/**
 * The rows of one message: each block that is said or thought is one; pictures that a person sent stand with their words.
 */
import type { Event } from "@belay/history-store"
import { Message } from "@belay/message-state"
import type { Row } from "./Row.ts"
import { cutText } from "./RowText.ts"
import * as Speaker from "./Speaker.ts"

type MessageEvent = Extract<Event.StoredEvent, { readonly type: "message" }>

const saidIn = (event: MessageEvent, block: Message.ContentBlock, index: number): ReadonlyArray<Row> => {
  const row = { id: `m${event.seq}.${index}`, ts: event.ts }
  if (block.type === "thinking") {
    return block.thinking.trim() === "" ? [] : [{ ...row, kind: "thinking", text: cutText(block.thinking).text }]
  }
  if (block.type !== "text") return []
  const speaker = Speaker.of(block.text, Message.originOf(event, index))
  if (speaker === "nobody") return []
  const by = event.role === "assistant" ? "assistant" : speaker
  return [{ ...row, kind: "said", by, ...cutText(block.text), message: event.index }]
}

export const said = (event: MessageEvent): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  const shown = new Set(Speaker.shownOf(event))
  for (const [index, block] of event.content.entries()) {
    if (!shown.has(block)) continue
    const before = rows.at(-1)
    const pictures = [`${event.seq}.${index}`]
    if (block.type !== "image") rows.push(...saidIn(event, block, index))
    else if (before?.kind === "said" && before.by === "you") {
      rows[rows.length - 1] = { ...before, pictures: [...(before.pictures ?? []), ...pictures] }
    } else {
      const { index: message, seq, ts } = event
      rows.push({ id: `m${seq}.${index}`, ts, kind: "said", by: "you", text: "", message, pictures })
    }
  }
  return rows
}
