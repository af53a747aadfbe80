/** What a model that takes no images is shown in their place; a request of it stays a prefix of the next. */
import { Message } from "@belay/message-state"

const inPlace = Message.text("[There is an image here. This model takes no images.]")

const withoutImages = (content: Message.Message["content"]): Message.Message["content"] =>
  content.map((block): Message.ContentBlock => {
    if (block.type === "image") return inPlace
    if (block.type !== "tool_result" || !block.content.some(({ type }) => type === "image")) return block
    return { ...block, content: block.content.map((part) => (part.type === "image" ? inPlace : part)) }
  })

const hasImage = (block: Message.ContentBlock): boolean =>
  block.type === "image" || (block.type === "tool_result" && block.content.some(({ type }) => type === "image"))

const known = new WeakMap<Message.Message["content"], Message.Message["content"]>()

/** The messages without images; those that have none are the very same. */
export const images = (log: ReadonlyArray<Message.Message>): ReadonlyArray<Message.Message> =>
  log.map((message) => {
    const { content } = message
    if (!content.some(hasImage)) return message
    const before = known.get(content)
    const after = before ?? withoutImages(content)
    known.set(content, after)
    return { ...message, content: after }
  })
