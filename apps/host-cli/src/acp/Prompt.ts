/**
 * What a client sends as a prompt: words, and what is given with them.
 *
 * A link to a file of the session's folder is a mention, which is read by the rules of every mention; one to something else
 * stands as its address. A text that came whole is given whole, and a picture as a picture.
 */
import type * as Protocol from "@agentclientprotocol/sdk"
import { Message } from "@belay/message-state"
import { Mention } from "@belay/prompt-context"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

export interface Prompt {
  readonly text: string
  readonly attached: ReadonlyArray<Message.Attachment>
}

/** Relative to the folder, with slashes; nothing of what is elsewhere. */
const within = (uri: string, workspace: string): string | undefined => {
  try {
    if (!uri.startsWith("file:")) return undefined
    const relative = path.relative(workspace, fileURLToPath(uri))
    const isBelow = relative !== "" && !relative.startsWith("..") && !path.isAbsolute(relative)
    return isBelow ? relative.split(path.sep).join("/") : undefined
  } catch {
    return undefined
  }
}

const linked = (uri: string, workspace: string): string => {
  const relative = within(uri, workspace)
  return relative === undefined ? uri : Mention.ofPath(relative)
}

/** Nothing where a block is of a kind that was not offered. */
export const of = (blocks: ReadonlyArray<Protocol.ContentBlock>, workspace: string): Prompt | undefined => {
  let text = ""
  const attached: Array<Message.Attachment> = []
  for (const block of blocks) {
    if (block.type === "text") text += block.text
    else if (block.type === "resource_link") text += linked(block.uri, workspace)
    else if (block.type === "image") {
      attached.push({ type: "image", source: { type: "base64", media_type: block.mimeType, data: block.data } })
    } else if (block.type === "resource" && "text" in block.resource) {
      const { resource } = block
      attached.push(Message.text(`<file uri=${JSON.stringify(resource.uri)}>\n${resource.text}\n</file>`))
    } else return undefined
  }
  return { text: text.trim(), attached }
}
