/** What a model that takes no images is shown in their place; a request of it stays a prefix of the next. */
import { LogFold, Message } from "@belay/message-state"

const inPlace = Message.text("[There is an image here. This model takes no images.]")

const withoutImages = (content: Message.Message["content"]): Message.Message["content"] =>
  content.map((block): Message.ContentBlock => {
    if (block.type === "image") return inPlace
    if (block.type !== "tool_result" || !block.content.some(({ type }) => type === "image")) return block
    return { ...block, content: block.content.map((part) => (part.type === "image" ? inPlace : part)) }
  })

const hasImage = (block: Message.ContentBlock): boolean =>
  block.type === "image" || (block.type === "tool_result" && block.content.some(({ type }) => type === "image"))

const unseen = (message: Message.Message): Message.Message =>
  message.content.some(hasImage) ? { ...message, content: withoutImages(message.content) } : message

/** The messages without images; those that have none are the very same. */
export const images: (log: ReadonlyArray<Message.Message>) => ReadonlyArray<Message.Message> = LogFold.make(
  (): Array<Message.Message> => [],
  (messages, message: Message.Message) => {
    messages.push(unseen(message))
    return messages
  }
)
