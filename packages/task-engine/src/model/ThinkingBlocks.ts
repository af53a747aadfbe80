/**
 * What of a conversation's thinking goes back: only what the same service and model made, and, to models that look at it,
 * only behind the very request that it answered. The log keeps all of it.
 *
 * What is left out follows from the messages alone, so it is left out of every later request, too, and a request stays a
 * prefix of the next.
 */
import { Conversation, Message } from "@belay/message-state"
import { ModelTable } from "@belay/model-client"
import { createHash } from "node:crypto"

export interface Sent {
  readonly messages: ReadonlyArray<Message.Message>
  /** Who is asked, behind all this. */
  readonly by: Message.Maker
}

export interface To {
  readonly service: string
  readonly model: string
  /** Prompt and tools: the same values for the same ones. */
  readonly head: ReadonlyArray<object>
}

const digests = new WeakMap<object, string>()

const digestOf = (value: object): string => {
  const before = digests.get(value)
  if (before !== undefined) return before
  const digest = createHash("sha256").update(JSON.stringify(value)).digest("base64url")
  digests.set(value, digest)
  return digest
}

const chained = (before: string, next: string): string =>
  createHash("sha256").update(before).update(next).digest("base64url")

/** Nothing is looked at behind what came before. */
const unbound = ""

/** The messages as they are sent. */
export const sent = (log: ReadonlyArray<Message.Message>, { head, model, service }: To): Sent => {
  const how = ModelTable.find(model)?.thinking
  const isBound = how?.kind === "adaptive" && how.bound
  let after = isBound ? head.map(digestOf).reduce(chained, "") : unbound
  const messages = log.map((message): Message.Message => {
    const { by, content, role } = message
    const isOwn = by?.service === service && by.model === model && (!isBound || by.after === after)
    const kept = isOwn ? content : Message.unthought(content)
    if (isBound) after = chained(after, `${role}${digestOf(kept)}`)
    return kept === content ? message : { role, content: kept }
  })
  return { messages: Conversation.conversation(messages), by: { service, model, after } }
}
