/**
 * What a server answers, as a model reads it: text without control characters, at most 48,000 of them, and images.
 *
 * What cannot be shown is named with its kind and size. Head and tail of a long text stay.
 */
import type { ToolContent, ToolOutput } from "../tool/Tool.ts"
import * as PlainText from "../workspace/text/PlainText.ts"
import type { Block, Part, ResourceResult, ToolResult } from "./ServerConnection.ts"

/** Characters. */
const longest = 48_000
/** Of base64: 5 MB of an image, as model services take it. */
const largestImage = 7_000_000
const mostImages = 10
const imageTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])

const bytesOf = (base64: string): number => Math.floor((base64.length * 3) / 4)

const blob = (type: string | undefined, base64: string): string =>
  `[${PlainText.name(type ?? "data of no known type")}, ${bytesOf(base64)} bytes, not shown]`

const image = (type: string | undefined, data: string): ToolContent => {
  const mediaType = (type ?? "").toLowerCase()
  return imageTypes.has(mediaType) && data.length <= largestImage && /^[A-Za-z0-9+/=\s]*$/.test(data)
    ? { type: "image", source: { type: "base64", media_type: mediaType, data: data.replaceAll(/\s/g, "") } }
    : { type: "text", text: blob(type, data) }
}

const part = (found: Part): ToolContent => {
  const head = `[${PlainText.name(found.uri)}]\n`
  if ("text" in found) return { type: "text", text: `${head}${found.text}` }
  return found.mimeType?.startsWith("image/") === true
    ? image(found.mimeType, found.blob)
    : { type: "text", text: `${head}${blob(found.mimeType, found.blob)}` }
}

const block = (found: Block): ToolContent => {
  switch (found.type) {
    case "text":
      return { type: "text", text: found.text }
    case "image":
      return image(found.mimeType, found.data)
    case "audio":
      return { type: "text", text: blob(found.mimeType, found.data) }
    case "resource":
      return part(found.resource)
    case "resource_link": {
      const about = found.description === undefined ? "" : `: ${found.description}`
      return { type: "text", text: `[Resource ${found.uri} (${found.name})${about}]` }
    }
  }
}

const shortened = (text: string): string => {
  if (text.length <= longest) return text
  const half = longest / 2
  return `${text.slice(0, half)}\n[${text.length - longest} characters left out]\n${text.slice(-half)}`.toWellFormed()
}

const bounded = (blocks: ReadonlyArray<ToolContent>): ReadonlyArray<ToolContent> => {
  const text = blocks.flatMap((found) => (found.type === "text" ? [PlainText.output(found.text)] : [])).join("\n")
  const images = blocks.filter((found) => found.type === "image")
  const left = images.length - mostImages
  const note = left > 0 ? `\n[${left} more images, not shown]` : ""
  const shown = `${shortened(text)}${note}`
  return [
    ...(shown.trim() === "" && images.length > 0
      ? []
      : [{ type: "text" as const, text: shown.trim() === "" ? "[No output.]" : shown }]),
    ...images.slice(0, mostImages)
  ]
}

/** Of a tool. What it states as data besides is shown where it says nothing else. */
export const ofTool = ({ content, isError, structuredContent }: ToolResult): ToolOutput => {
  const stated = content.length === 0 && structuredContent !== undefined ? JSON.stringify(structuredContent) : undefined
  const blocks = stated === undefined ? content.map(block) : [{ type: "text" as const, text: stated }]
  return { content: bounded(blocks), isError: isError === true }
}

export const ofResource = ({ contents }: ResourceResult): ToolOutput => ({
  content: bounded(contents.map(part)),
  isError: false
})
