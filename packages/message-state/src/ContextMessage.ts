/** The message with what a model is given beside the words of others, as it is told apart in the log. */
import * as LogFold from "./LogFold.ts"
import * as Message from "./Message.ts"
import * as Origins from "./Origins.ts"

const opening = "<given>"
const closing = "</given>"

/** Makes the message that gives the model blocks which nobody has said. */
export const message = (blocks: ReadonlyArray<Message.ContentBlock>): Message.Message =>
  Message.from("engine.given", Message.text(opening), ...blocks, Message.text(closing))

/** Returns whether a message is one of these. */
export const isGiven = (message: Pick<Message.Message, "content" | "from" | "role">): boolean =>
  message.content.some((_, at) => Origins.of(message, at) === "engine.given")

/** Writes an element, which its content cannot end. `below`: the folder that it is for. */
export const element = (name: string, of: string, text: string, below?: string): Message.TextBlock =>
  Message.text(`${opened(name, of, below)}\n${text.replaceAll(`</${name}`, `<\\/${name}`).trimEnd()}\n</${name}>`)

const opened = (name: string, of: string, below: string | undefined): string =>
  `<${name} of=${JSON.stringify(of)}${below === undefined ? "" : ` for=${JSON.stringify(below)}`}>`

/** The model is shown such an element. */
export const has = (messages: ReadonlyArray<Message.Message>, name: string, of: string, below: string): boolean => {
  const head = `${opened(name, of, below)}\n`
  return messages.some(
    (given) => isGiven(given) && given.content.some((block) => block.type === "text" && block.text.startsWith(head))
  )
}

const ofAll = /^<(?:rules|skills|agents) of="(?:[^"\\]|\\.)*">/u

const isOfAll = (message: Message.Message): boolean =>
  isGiven(message) && message.content.some((block) => block.type === "text" && ofAll.test(block.text))

/** The model is shown rules, skills or agents that are for the whole workspace. */
export const hasRules: (log: ReadonlyArray<Message.Message>) => boolean = LogFold.make(
  () => false,
  (before, message: Message.Message) => before || isOfAll(message)
)
