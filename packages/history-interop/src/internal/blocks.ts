/** Blocks of a stored conversation as the Messages API takes them: known fields only, and nothing that says nothing. */
import type { Import } from "@belay/history-store"
import { type Fields, fieldsOf, isFields, listOf, text } from "./fields.ts"

export type Message = Extract<Import.Entry, { readonly message: unknown }>["message"]
export type Block = Message["content"][number]
export type ToolUse = Extract<Block, { readonly type: "tool_use" }>
export type ToolResult = Extract<Block, { readonly type: "tool_result" }>

export const said = (value: string): Extract<Block, { readonly type: "text" }> => ({ type: "text", text: value })

export const isSaid = (value: string | undefined): value is string => value !== undefined && value.trim() !== ""

const saidBlocks = (value: string | undefined): ReadonlyArray<Extract<Block, { type: "text" }>> =>
  isSaid(value) ? [said(value)] : []

/** Pictures as the API takes them: `data:` addresses and the parts of AI SDK, too. */
const imageOf = (block: Fields): Extract<Block, { type: "image" }> | undefined => {
  const source = fieldsOf(block["source"])
  const address = /^data:(?<kind>image\/[a-z+]+);base64,(?<data>.+)$/su.exec(text(block["image"]) ?? "")?.groups
  const kind = text(source["media_type"]) ?? address?.["kind"] ?? text(block["mediaType"])
  const data = text(source["data"]) ?? address?.["data"] ?? text(block["image"])
  if (kind === undefined || data === undefined) return undefined
  return { type: "image", source: { type: "base64", media_type: kind, data } }
}

/** What a result says, in whatever shape it is stored. */
const resultContent = (value: unknown): ToolResult["content"] => {
  if (typeof value === "string") return saidBlocks(value)
  if (isFields(value))
    return resultContent(value["value"] ?? value["text"] ?? value["content"] ?? JSON.stringify(value))
  return listOf(value).flatMap((part): ToolResult["content"] => {
    if (typeof part === "string") return saidBlocks(part)
    const block = fieldsOf(part)
    if (block["type"] !== "image") return resultContent(block)
    const image = imageOf(block)
    return image === undefined ? [said("[a picture that cannot be read]")] : [image]
  })
}

/** Summaries of what a model thought, in the shapes of several services. */
export const thoughts = (value: unknown): string =>
  (typeof value === "string" ? [value] : listOf(value))
    .flatMap((part) => text(part) ?? text(fieldsOf(part)["text"]) ?? text(fieldsOf(part)["summary"]) ?? [])
    .filter(isSaid)
    .join("\n\n")

export const thought = (words: string): ReadonlyArray<Block> => (isSaid(words) ? [said(`[thought] ${words}`)] : [])

const thinkingOf = (block: Fields): ReadonlyArray<Block> => {
  const thinking = text(block["thinking"])
  const signature = text(block["signature"])
  if (thinking !== undefined && isSaid(signature)) return [{ type: "thinking", thinking, signature }]
  const data = text(block["data"])
  if (block["type"] === "redacted_thinking" && data !== undefined) return [{ type: "redacted_thinking", data }]
  // What another service's model thought is no answer of this one's, but it was there.
  return thought(thinking ?? text(block["text"]) ?? thoughts(block["summary"] ?? block["content"]))
}

const isFailure = (block: Fields): boolean =>
  block["is_error"] === true || text(fieldsOf(block["output"])["type"])?.startsWith("error") === true

const blockOf = (block: Fields): ReadonlyArray<Block> => {
  switch (block["type"]) {
    case "text":
      return saidBlocks(text(block["text"]))
    case "image": {
      const image = imageOf(block)
      return image === undefined ? [said("[a picture that cannot be read]")] : [image]
    }
    case "tool_use":
    case "tool-call": {
      const id = text(block["id"]) ?? text(block["toolCallId"]) ?? ""
      const name = text(block["name"]) ?? text(block["toolName"]) ?? "unknown"
      return [{ type: "tool_use", id, name, input: fieldsOf(block["input"]) }]
    }
    case "tool_result":
    case "tool-result": {
      const of = text(block["tool_use_id"]) ?? text(block["toolCallId"]) ?? ""
      const content = resultContent(block["content"] ?? block["output"])
      return [{ type: "tool_result", tool_use_id: of, content, ...(isFailure(block) ? { is_error: true } : {}) }]
    }
    case "thinking":
    case "redacted_thinking":
    case "reasoning":
      return thinkingOf(block)
    // What another service's model keeps for itself is no word of the conversation.
    case "thoughtSignature":
      return []
    case "file":
      return saidBlocks(`[file ${text(block["path"]) ?? ""}]\n${text(block["content"]) ?? ""}`.trim())
    default:
      return [said(JSON.stringify(block))]
  }
}

/** The blocks of a stored message, with the ids that it has. */
export const blocksOf = (content: unknown): ReadonlyArray<Block> => {
  if (typeof content === "string") return saidBlocks(content)
  return listOf(content).flatMap((block) =>
    isFields(block) ? blockOf(block) : saidBlocks(typeof block === "string" ? block : JSON.stringify(block))
  )
}
